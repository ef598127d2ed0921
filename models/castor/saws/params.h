#pragma once

#include <cstdint>
#include <string>

#include "castor/base/error.h"
#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the warp scheduler SAWS (docs/blocks/saws.md, "Ports").
// clang-format off
#define SAWS_PARAMS(X)                                                                                                \
  /*name       default  minimum  maximum  rule         meaning */                                                     \
  X(NumSched,  4,       1,       4,       kPowerOfTwo, "warp schedulers of the SM")                                   \
  X(NumWarps,  64,      1,       64,      kAny,        "hardware warps of the SM; a multiple of NumSched")            \
  X(MaxCta,    32,      1,       32,      kAny,        "thread block slots of the SM")                                \
  X(EvqDepth,  4,       1,       16,      kAny,        "messages per scheduler that may wait")                        \
  X(PFloor,    1,       0,       1,       kAny,        "least value of the promotion register")                       \
  X(InitOrder, 0,       0,       1,       kAny,        "order at the switch: 0 greedy thread block first, 1 by age")  \
  X(DemoteAt,  0,       0,       1,       kAny,                                                                       \
    "own scheduler demotes: 0 when all warps are blocked, 1 at the first hit")                                        \
  X(SawsEn,    1,       0,       1,       kAny,        "1: SAWS hardware; 0: GTO only")
// clang-format on

namespace castor::saws {

/// One set of parameters; call `check` before use.
struct Params {
  SAWS_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    SAWS_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range or NumWarps is no multiple of NumSched.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("saws", param, this->*member); });
    if (NumWarps % NumSched != 0) {
      throw base::InputError("saws: parameter NumWarps is " + std::to_string(NumWarps),
                             "it must be a multiple of NumSched, " + std::to_string(NumSched));
    }
  }

  /// Returns the number of warps per scheduler; warp w is the local warp w / NumSched of scheduler w mod NumSched.
  [[nodiscard]] unsigned warps_per_scheduler() const { return NumWarps / NumSched; }
  /// Returns the width of a local warp number, at least 1.
  [[nodiscard]] unsigned index_bits() const {
    return warps_per_scheduler() > 1 ? twin::log2_ceil(warps_per_scheduler()) : 1;
  }
  /// Returns the width of a CTA slot number, at least 1.
  [[nodiscard]] unsigned cta_bits() const { return MaxCta > 1 ? twin::log2_ceil(MaxCta) : 1; }
  /// Returns the width of a position in a scheduler's list, of the list's length and of the promotion register.
  [[nodiscard]] unsigned position_bits() const { return twin::log2_ceil(warps_per_scheduler() + 1U); }
};

}  // namespace castor::saws
