#pragma once

#include "castor/twin/module.h"
#include "castor/twin/registers.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::turnstile {

struct Pins {
  TURNSTILE_INPUTS(CASTOR_INPUT_PIN)
  TURNSTILE_OUTPUTS(CASTOR_OUTPUT_PIN)
};
using Module = twin::Module<Block, Pins>;
using Registers = twin::Registers<Module>;

}  // namespace castor::turnstile
