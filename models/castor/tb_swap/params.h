#pragma once

#include <cstdint>
#include <string>

#include "castor/base/error.h"
#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the swap engine (docs/blocks/tb_swap.md, "Ports").
// clang-format off
#define TB_SWAP_PARAMS(X)                                                                  \
  /*name      default  minimum  maximum  rule  meaning */                                  \
  X(MaxTb,     32,      1,       64,      kAny, "TB contexts of the SM, and waiting jobs")  \
  X(NumHomes,  64,      1,       64,      kAny, "register homes, and shared homes; at least MaxTb") \
  X(NumPlaces, 64,      1,       64,      kAny, "places of on-chip storage")                \
  X(NumRegs,   256,     8,       256,     kAny, "registers of a thread")                    \
  X(NumSites,  16,      1,       64,      kAny, "sites with a mask of live registers")      \
  X(RoSegs,    2,       1,       4,       kAny, "read-only segments of a TB")
// clang-format on

namespace castor::tb_swap {

/// One set of parameters; call `check` before use.
struct Params {
  TB_SWAP_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    TB_SWAP_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("tb_swap", param, this->*member); });
    if (NumHomes < MaxTb) {
      throw base::InputError(
          "tb_swap: NumHomes (" + std::to_string(NumHomes) + ") is less than MaxTb (" + std::to_string(MaxTb) + ")",
          "a home for each TB context");
    }
  }

  /// Return the widths of the numbers of a TB context, of a register, and of a number of waiting jobs.
  [[nodiscard]] unsigned slot_bits() const { return MaxTb > 1 ? twin::log2_ceil(MaxTb) : 1; }
  [[nodiscard]] unsigned jobs_bits() const { return twin::log2_ceil(MaxTb + 1U); }
  /// Returns the number of rows in the tables of read-only segments; segment s of context t is row t * RoSegs + s.
  [[nodiscard]] unsigned segments() const { return MaxTb * RoSegs; }
};

}  // namespace castor::tb_swap
