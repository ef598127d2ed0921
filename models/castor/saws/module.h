#pragma once

#include "castor/saws/engine.h"
#include "castor/twin/module.h"

namespace castor::saws {

/// Pins of the warp scheduler (docs/blocks/saws.md, "Ports").
struct Pins {
  SAWS_INPUTS(CASTOR_INPUT_PIN)
  SAWS_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// One signal per pin, for twin::bind_pins.
struct Signals {
  SAWS_INPUTS(CASTOR_INPUT_SIGNAL)
  SAWS_OUTPUTS(CASTOR_OUTPUT_SIGNAL)
};

/// The warp scheduler as a SystemC module (docs/blocks/saws.md, "Ports").
using Module = twin::Module<Block, Pins>;

}  // namespace castor::saws
