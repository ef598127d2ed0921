#pragma once

#include "castor/darsie/cycle.h"

namespace castor::darsie {

/// Returns the errors of a cycle (docs/blocks/darsie.md, "Breaking the rules"), judged on its start.
[[nodiscard]] U8 errors_of(const View& view);

}  // namespace castor::darsie
