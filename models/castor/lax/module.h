#pragma once

#include "castor/lax/engine.h"
#include "castor/twin/module.h"
#include "castor/twin/registers.h"

namespace castor::lax {

/// Pins of the laxity engine (docs/blocks/lax.md, "Ports").
struct Pins {
  LAX_INPUTS(CASTOR_INPUT_PIN)
  LAX_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// One signal per pin, for twin::bind_pins.
struct Signals {
  LAX_INPUTS(CASTOR_INPUT_SIGNAL)
  LAX_OUTPUTS(CASTOR_OUTPUT_SIGNAL)
};

/// The laxity engine as a SystemC module, and its registers as a TLM-2.0 target (docs/blocks/lax.md, "Registers").
using Module = twin::Module<Block, Pins>;
using Registers = twin::Registers<Module>;

}  // namespace castor::lax
