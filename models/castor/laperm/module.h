#pragma once

#include "castor/laperm/engine.h"
#include "castor/twin/module.h"

namespace castor::laperm {

/// Pins of the locality-aware thread block scheduler (docs/blocks/laperm.md, "Ports").
struct Pins {
  LAPERM_INPUTS(CASTOR_INPUT_PIN)
  LAPERM_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// One signal per pin, for twin::bind_pins.
struct Signals {
  LAPERM_INPUTS(CASTOR_INPUT_SIGNAL)
  LAPERM_OUTPUTS(CASTOR_OUTPUT_SIGNAL)
};

/// The locality-aware thread block scheduler as a SystemC module (docs/blocks/laperm.md, "Ports").
using Module = twin::Module<Block, Pins>;

}  // namespace castor::laperm
