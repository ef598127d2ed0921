#pragma once

#include "castor/laperm_kmu/engine.h"
#include "castor/twin/module.h"

namespace castor::laperm_kmu {

/// Pins of the launcher's kernel choice (docs/blocks/laperm_kmu.md, "Ports").
struct Pins {
  LAPERM_KMU_INPUTS(CASTOR_INPUT_PIN)
  LAPERM_KMU_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// One signal per pin, for twin::bind_pins.
struct Signals {
  LAPERM_KMU_INPUTS(CASTOR_INPUT_SIGNAL)
  LAPERM_KMU_OUTPUTS(CASTOR_OUTPUT_SIGNAL)
};

/// The launcher's kernel choice as a SystemC module (docs/blocks/laperm_kmu.md, "Ports").
using Module = twin::Module<Block, Pins>;

}  // namespace castor::laperm_kmu
