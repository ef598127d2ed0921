#pragma once

#include <cstdint>

#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Structural parameters of the launcher's kernel choice (docs/blocks/laperm_kmu.md, "Ports").
// clang-format off
#define LAPERM_KMU_PARAMS(X)                                                    \
  /*name   default  minimum  maximum  rule  meaning */                          \
  X(NumSm,  13,     2,       32,      kAny, "SMs")                              \
  X(LvlMax, 4,      1,       15,      kAny, "levels of launches by device code") \
  X(NumHq,  32,     1,       128,     kAny, "queues of the host")
// clang-format on

namespace castor::laperm_kmu {

/// One set of parameters; call `check` before use.
struct Params {
  LAPERM_KMU_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    LAPERM_KMU_PARAMS(CASTOR_VISIT_PARAM)
  }

  /// Throws InputError if a value is out of range.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("laperm_kmu", param, this->*member); });
  }

  /// Returns the width of a number that selects one of `count` things, at least 1.
  [[nodiscard]] static unsigned number_bits(unsigned count) { return count > 1 ? twin::log2_ceil(count) : 1; }

  /// Returns the number of lists; the list of an SM and level has number sm * LvlMax + level - 1, level 1..LvlMax.
  [[nodiscard]] unsigned lists() const { return NumSm * LvlMax; }
  /// Return the widths of the numbers of an SM, of a host queue, and of a list or host queue.
  [[nodiscard]] unsigned sm_bits() const { return number_bits(NumSm); }
  [[nodiscard]] unsigned queue_bits() const { return number_bits(NumHq); }
  [[nodiscard]] unsigned index_bits() const { return number_bits(lists() > NumHq ? lists() : NumHq); }
};

}  // namespace castor::laperm_kmu
