#pragma once

#include <cstdint>

#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the locality-aware thread block scheduler LaPerm (docs/blocks/laperm.md, "Ports").
// clang-format off
#define LAPERM_PARAMS(X)                                                                                           \
  /*name         default  minimum  maximum  rule         meaning */                                                \
  X(NumSm,       13,      2,       32,      kAny,        "SMs")                                                    \
  X(ClusterSize, 1,       1,       4,       kPowerOfTwo, "SMs that share a queue set")                             \
  X(LvlMax,      4,       1,       15,      kAny,        "levels of dynamic thread blocks")                        \
  X(BankDepth,   128,     2,       256,     kAny,        "entries of a queue set")                                 \
  X(NumKd,       32,      2,       256,     kAny,        "entries of the kernel table")                            \
  X(OvfW,        18,      2,       20,      kAny,        "bits of an index into a list in memory")                 \
  X(RefillMax,   4,       1,       8,       kAny,        "reads from the lists in memory that may be in flight")   \
  X(QcntW,       20,      2,       24,      kAny,        "bits of the number of items of a kernel")                \
  X(AgeiW,       32,      1,       64,      kAny,        "bits of a group's number")                               \
  X(CntW,        32,      1,       64,      kAny,        "bits of the number of an item's thread blocks")          \
  X(DimW,        64,      1,       64,      kAny,        "bits of an item's dimensions, which are only passed on") \
  X(ParamW,      32,      1,       64,      kAny,        "bits of the address of an item's parameters")
// clang-format on

namespace castor::laperm {

/// One set of parameters; call `check` before use.
struct Params {
  LAPERM_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    LAPERM_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("laperm", param, this->*member); });
  }

  /// Returns the width of a number that selects one of `count` things, at least 1.
  [[nodiscard]] static unsigned number_bits(unsigned count) { return count > 1 ? twin::log2_ceil(count) : 1; }

  /// Returns the number of queue sets: one for each cluster of SMs (NC).
  [[nodiscard]] unsigned sets() const { return (NumSm + ClusterSize - 1) / ClusterSize; }
  /// Returns the number of lists (NL); the list of a set and level has number set * LvlMax + level - 1, level
  /// 1..LvlMax.
  [[nodiscard]] unsigned lists() const { return sets() * LvlMax; }
  /// Return the widths of the numbers of an SM (SW), of a kernel table entry (KW), of a set and of a list (QW).
  [[nodiscard]] unsigned sm_bits() const { return number_bits(NumSm); }
  [[nodiscard]] unsigned kd_bits() const { return number_bits(NumKd); }
  [[nodiscard]] unsigned set_bits() const { return number_bits(sets()); }
  [[nodiscard]] unsigned list_bits() const { return number_bits(lists()); }
  /// Returns the width of an entry: {kd, agei, cnt, dim, param}, kd in the high bits (EW).
  [[nodiscard]] unsigned entry_bits() const { return kd_bits() + AgeiW + CntW + DimW + ParamW; }
  /// Returns the width of the number of entries of a set, 0..sets() * BankDepth: under TB-Pri one set has the entries
  /// of all.
  [[nodiscard]] unsigned entries_bits() const { return twin::log2_ceil(sets() * BankDepth + 1U); }
  /// Returns the width of the number of reads in flight plus one that waits to be inserted: 0..RefillMax + 1.
  [[nodiscard]] unsigned fetches_bits() const { return twin::log2_ceil(RefillMax + 2U); }
  /// Returns the width of the number of reads in flight: 0..RefillMax.
  [[nodiscard]] unsigned tags_bits() const { return twin::log2_ceil(RefillMax + 1U); }
  /// Returns the width of the number of entries of queue 0: 0..NumKd.
  [[nodiscard]] unsigned host_bits() const { return twin::log2_ceil(NumKd + 1U); }
};

}  // namespace castor::laperm
