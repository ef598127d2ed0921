#pragma once

#include <string>

#include "castor/gpu/sm/sm_parts.h"

namespace castor::gpu {

class Waves;

/// Declares the waveform signals of an SM's core and memory side; the parts must not move afterwards.
void add_core_waves(const SmParts& parts, Waves& waves, const std::string& scope);

}  // namespace castor::gpu
