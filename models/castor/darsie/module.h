#pragma once

#include "castor/darsie/engine.h"
#include "castor/twin/module.h"

namespace castor::darsie {

/// Pins of the skip table and renamer (docs/blocks/darsie.md, "Ports").
struct Pins {
  DARSIE_INPUTS(CASTOR_INPUT_PIN)
  DARSIE_OUTPUTS(CASTOR_OUTPUT_PIN)
};

/// The skip table and renamer as a SystemC module (docs/blocks/darsie.md, "Ports").
using Module = twin::Module<Block, Pins>;

}  // namespace castor::darsie
