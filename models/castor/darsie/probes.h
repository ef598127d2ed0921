#pragma once

#include "castor/darsie/ports.h"
#include "castor/darsie/state.h"

namespace castor::darsie {

/// Returns the registers as a test bench sees them: 0 while undefined.
[[nodiscard]] Probes probes_of(const State& s);

}  // namespace castor::darsie
