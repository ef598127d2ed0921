#pragma once

#include <cstdint>
#include <string>

#include "castor/base/error.h"
#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the laxity engine (docs/blocks/lax.md, "Ports").
// clang-format off
#define LAX_PARAMS(X)                                                                                               \
  /*name        default  minimum  maximum  rule         meaning */                                                  \
  X(NumQueues,  128,     4,       256,     kPowerOfTwo, "compute queues, one job each")                             \
  X(MaxKt,      8,       1,       16,      kAny,        "kernel types that the list of one job can hold")           \
  X(NumKt,      64,      1,       256,     kAny,        "kernel types of the profiling table")                      \
  X(SelWidth,   16,      1,       256,     kPowerOfTwo, "queues compared per cycle by the selection; <= NumQueues") \
  X(VqDepth,    32,      4,       256,     kAny,        "verdicts, and jobs that wait for admission")               \
  X(ParseLanes, 4,       1,       8,       kAny,                                                                    \
    "parse lanes of the command processor; only reported in a register")
// clang-format on

namespace castor::lax {

/// One set of parameters; call `check` before use.
struct Params {
  LAX_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    LAX_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range or SelWidth exceeds NumQueues.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("lax", param, this->*member); });
    if (SelWidth > NumQueues) {
      throw base::InputError("lax: parameter SelWidth is " + std::to_string(SelWidth),
                             "it cannot exceed NumQueues, " + std::to_string(NumQueues));
    }
  }

  [[nodiscard]] unsigned queue_bits() const { return twin::log2_ceil(NumQueues); }
  [[nodiscard]] unsigned groups() const { return NumQueues / SelWidth; }
  /// Returns the width of a kernel type's number in the tables; at least 1.
  [[nodiscard]] unsigned kt_bits() const { return NumKt > 1 ? twin::log2_ceil(NumKt) : 1; }
};

}  // namespace castor::lax
