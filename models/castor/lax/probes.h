#pragma once

#include "castor/base/time.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"
#include "castor/lax/state.h"

namespace castor::lax {

/// Returns the registers that a test bench can observe, single ones and table rows in the cycles in which they are
/// defined. `steady`: edges since the last change of a value that the selection reads.
[[nodiscard]] Probes probes_of(const Params& params, const State& s, base::Cycle steady);

}  // namespace castor::lax
