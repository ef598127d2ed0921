#pragma once

#include <string>

#include "castor/gpu/sm/sm_parts.h"

namespace castor::gpu {

class Waves;

/// Declares the signals of an SM's core and of its memory side; the parts must stay where they are.
void add_core_waves(const SmParts& parts, Waves& waves, const std::string& scope);

}  // namespace castor::gpu
