#pragma once

#include "castor/darsie/ports.h"

/// Statistics that the model counts (docs/blocks/darsie.md, "Statistics"); the hardware has no counters.
// clang-format off
#define DARSIE_COUNTERS(X)                                                                                           \
  /*name            unit            meaning */                                                                       \
  X(skips_wake,     "instructions", "instructions skipped by warps that had waited for the version")                 \
  X(skips_hit,      "instructions", "instructions skipped at once, because of an entry of the skip table")           \
  X(skip_groups,    "groups",       "groups of warps that skipped together")                                         \
  X(probes,         "groups",       "groups of warps that probed a skip table")                                      \
  X(probe_misses,   "groups",       "groups of warps that probed a skip table without a hit")                        \
  X(latches_fetch,  "warps",        "warps that began to wait at an entry whose leader had not written its result")  \
  X(leads,          "instructions", "leaders elected")                                                               \
  X(releads,        "instructions", "leaders elected again because a store made the result of a load stale")         \
  X(late_latches,   "instructions", "instructions squashed at decode because another warp had been elected")         \
  X(priv_alone,     "instructions", "instructions executed privately: the warp is alone in the majority")            \
  X(priv_noelect,   "instructions", "instructions executed privately: no elections until the region ends")           \
  X(priv_stale,     "instructions", "instructions executed privately: a store made the result of a load stale")      \
  X(squash_sync,    "instructions", "instructions squashed at a synchronisation point")                              \
  X(squash_second,  "instructions", "instructions squashed as the second redundant instruction of a decode group")   \
  X(sync_points,    "events",       "synchronisation points opened because no row was free")                         \
  X(evictions,      "entries",      "valid entries of a skip table overwritten")                                     \
  X(meetings,       "events",       "completed meetings at branches")                                                \
  X(leavers,        "warps",        "warps that left the majority")                                                  \
  X(joins,          "warps",        "warps that joined the majority again at a barrier")                             \
  X(load_drops,     "warps",        "warps whose wait for a load was ended by a store")                              \
  X(copies,         "registers",    "registers copied from a row to a warp's own register")                          \
  X(row_lookups,    "operands",     "operands read from a row instead of the warp's own register")                   \
  X(wait_wb,        "warp cycles",  "cycles in which a warp waited for a version, summed over warps")                \
  X(wait_stop,      "warp cycles",  "cycles in which a warp waited for the rest of the majority, summed over warps") \
  X(wait_copy,      "warp cycles",  "cycles in which a warp waited for copies, summed over warps")
// clang-format on

#define DARSIE_COUNTER_FIELD(name_, unit_, meaning_) U64 name_ = 0;
#define DARSIE_COUNTER_EQUAL(name_, unit_, meaning_) &&a.name_ == b.name_
#define DARSIE_VISIT_COUNTER(name_, unit_, meaning_) f(#name_, unit_, meaning_, &Counters::name_);

namespace castor::darsie {

/// Counts since construction; a reset does not clear them.
struct Counters {
  DARSIE_COUNTERS(DARSIE_COUNTER_FIELD)

  /// Calls f(name, unit, meaning, member) for each counter.
  template <class F>
  static void each(F f) {
    DARSIE_COUNTERS(DARSIE_VISIT_COUNTER)
  }

  [[nodiscard]] friend bool operator==(const Counters& a, const Counters& b) {
    return true DARSIE_COUNTERS(DARSIE_COUNTER_EQUAL);
  }
  [[nodiscard]] friend bool operator!=(const Counters& a, const Counters& b) { return !(a == b); }
};

}  // namespace castor::darsie
