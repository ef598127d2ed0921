#pragma once

#include "castor/darsie/ports.h"

/// Statistics that the model counts (docs/blocks/darsie.md, "Statistics"); the hardware has no counters.
// clang-format off
#define DARSIE_COUNTERS(X)                                                                             \
  /*name            unit            meaning */                                                         \
  X(skips_wake,     "instructions", "skipped by warps that had waited for the version")                \
  X(skips_hit,      "instructions", "skipped at once, by an entry of the skip table")                  \
  X(skip_groups,    "groups",       "groups of warps that skipped together")                           \
  X(probes,         "groups",       "groups of warps that asked a skip table")                         \
  X(probe_misses,   "groups",       "of these without a hit")                                          \
  X(latches_fetch,  "warps",        "that began to wait at an entry whose leader had not written")     \
  X(leads,          "instructions", "leaders elected")                                                 \
  X(releads,        "instructions", "leaders elected again because a store made the load stale")       \
  X(late_latches,   "instructions", "squashed at decode because another warp had been elected")        \
  X(priv_alone,     "instructions", "executed privately: the warp is alone in the majority")           \
  X(priv_noelect,   "instructions", "executed privately: no elections until the region ends")          \
  X(priv_stale,     "instructions", "executed privately: a store made the load stale")                 \
  X(squash_sync,    "instructions", "squashed at a synchronisation point")                             \
  X(squash_second,  "instructions", "squashed as the second redundant one of a decode group")          \
  X(sync_points,    "events",       "synchronisation points opened because no row was free")           \
  X(evictions,      "entries",      "valid entries of a skip table overwritten")                       \
  X(meetings,       "events",       "meetings at branches completed")                                  \
  X(leavers,        "warps",        "that left the majority")                                          \
  X(joins,          "warps",        "that came back to it at a barrier")                               \
  X(load_drops,     "warps",        "whose wait for a load a store ended")                             \
  X(copies,         "registers",    "copied from a row to a warp's own register")                      \
  X(row_lookups,    "operands",     "read from a row instead of the warp's own register")              \
  X(wait_wb,        "warp cycles",  "of waiting for a version")                                        \
  X(wait_stop,      "warp cycles",  "of waiting for the rest of the majority")                         \
  X(wait_copy,      "warp cycles",  "of waiting for copies")
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
