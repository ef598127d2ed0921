#pragma once

#include "castor/dtbl/engine.h"
#include "castor/twin/module.h"

namespace castor::dtbl {

/// Pins of the dynamic thread block launch (docs/blocks/dtbl.md, "Ports").
struct Pins {
  DTBL_INPUTS(CASTOR_INPUT_PIN)
  DTBL_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// One signal per pin, for twin::bind_pins.
struct Signals {
  DTBL_INPUTS(CASTOR_INPUT_SIGNAL)
  DTBL_OUTPUTS(CASTOR_OUTPUT_SIGNAL)
};

/// The dynamic thread block launch as a SystemC module (docs/blocks/dtbl.md, "Ports").
using Module = twin::Module<Block, Pins>;

}  // namespace castor::dtbl
