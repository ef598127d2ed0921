#pragma once

#include "castor/tb_swap/engine.h"
#include "castor/twin/module.h"

namespace castor::tb_swap {

/// Pins of the swap engine (docs/blocks/tb_swap.md, "Ports").
struct Pins {
  TB_SWAP_INPUTS(CASTOR_INPUT_PIN)
  TB_SWAP_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// One signal per pin, for twin::bind_pins.
struct Signals {
  TB_SWAP_INPUTS(CASTOR_INPUT_SIGNAL)
  TB_SWAP_OUTPUTS(CASTOR_OUTPUT_SIGNAL)
};

/// The swap engine as a SystemC module (docs/blocks/tb_swap.md, "Ports").
using Module = twin::Module<Block, Pins>;

}  // namespace castor::tb_swap
