#pragma once

#include <cstdint>

#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the skip table and renamer DARSIE (docs/blocks/darsie.md, "Ports").
// clang-format off
#define DARSIE_PARAMS(X)                                                                                              \
  /*name      default  minimum  maximum  rule   meaning */                                                            \
  X(NumWarps, 64,      1,       64,      kAny,  "warp slots of the SM")                                               \
  X(NumTbs,   32,      1,       32,      kAny,  "thread block slots of the SM")                                       \
  X(NumPst,   8,       1,       16,      kAny,  "entries of the PC skip table per thread block")                      \
  X(NumRows,  32,      1,       32,      kAny,  "renaming rows per thread block")                                     \
  X(NumSlots, 32,      1,       32,      kAny,  "register numbers per thread block that may be renamed")              \
  X(PstRd,    2,       1,       4,       kAny,  "groups of warps served per cycle: read ports of a skip table")       \
  X(DecW,     2,       1,       4,       kAny,  "instructions of one warp decoded per cycle")                         \
  X(NumIss,   8,       1,       16,      kAny,  "issue ports")                                                        \
  X(NumSrc,   6,       1,       8,       kAny,  "source registers per instruction")                                   \
  X(NumWb,    16,      1,       16,      kAny,  "renaming rows written per cycle; equal to the number of banks")      \
  X(PcW,      48,      8,       64,      kAny,  "bits of a PC that are stored and compared")                          \
  X(RowW,     11,      1,       16,      kAny,  "bits of the address of a physical vector register")                  \
  X(StoreInv, 1,       0,       1,       kAny,                                                                        \
    "1: a store of a thread block removes the thread block's load entries")                                           \
  X(LoadSkip, 1,       0,       1,       kAny,  "1: loads are skipped too")                                           \
  X(SkipEn,   1,       0,       1,       kAny,  "1: instructions are skipped; 0: warps only meet at branches")
// clang-format on

namespace castor::darsie {

/// One set of parameters; call `check` before use.
struct Params {
  DARSIE_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    DARSIE_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("darsie", param, this->*member); });
  }

  /// Returns the width of a number that selects one of `count` items, at least 1.
  [[nodiscard]] static unsigned number_bits(unsigned count) { return count > 1 ? twin::log2_ceil(count) : 1; }

  /// Returns the width of a warp slot number.
  [[nodiscard]] unsigned warp_bits() const { return number_bits(NumWarps); }
  /// Returns the width of a TB slot number.
  [[nodiscard]] unsigned tb_bits() const { return number_bits(NumTbs); }
  /// Returns the width of a renaming row's number in its thread block's pool (a tag).
  [[nodiscard]] unsigned row_bits() const { return number_bits(NumRows); }
  /// Returns the width of a renamed register's number.
  [[nodiscard]] unsigned slot_bits() const { return number_bits(NumSlots); }
  /// Returns the width of a skip table entry's number.
  [[nodiscard]] unsigned entry_bits() const { return number_bits(NumPst); }
  /// Returns the width of a sequence number: one bit more than is needed to number the rows.
  [[nodiscard]] unsigned seq_bits() const { return twin::log2_ceil(NumRows) + 1; }
};

}  // namespace castor::darsie
