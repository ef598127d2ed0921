#pragma once

#include <cstdint>

#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the dynamic thread block launch DTBL (docs/blocks/dtbl.md, "Ports").
// clang-format off
#define DTBL_PARAMS(X)                                                                                           \
  /*name     default  minimum  maximum  rule         meaning */                                                  \
  X(NumKde,   32,     1,       256,     kAny,        "entries of the kernel table")                              \
  X(AgtSize,  1024,   1,       2048,    kPowerOfTwo, "entries of the aggregated group table")                    \
  X(HashMode, 0,      0,       1,       kAny,        "group table entry of a thread: 0 by thread, 1 by thread and SM")
// clang-format on

namespace castor::dtbl {

/// One set of parameters; call `check` before use.
struct Params {
  DTBL_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    DTBL_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("dtbl", param, this->*member); });
  }

  /// Returns the width of a number that selects one of `count` items, at least 1.
  [[nodiscard]] static unsigned number_bits(unsigned count) { return count > 1 ? twin::log2_ceil(count) : 1; }

  /// Returns the width of a kernel table entry's number (KW).
  [[nodiscard]] unsigned kde_bits() const { return number_bits(NumKde); }
  /// Returns the width of an aggregated group table entry's number (IW).
  [[nodiscard]] unsigned age_bits() const { return number_bits(AgtSize); }
  /// Returns the width of the number of waiting marked kernels, 0..NumKde.
  [[nodiscard]] unsigned queue_bits() const { return twin::log2_ceil(NumKde + 1U); }
};

}  // namespace castor::dtbl
