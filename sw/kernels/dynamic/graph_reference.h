// Graph algorithms of the Boost Graph Library, used as references. They have a file of their own because device
// compilers must not parse Boost.
#pragma once

#include <vector>

#include "../common/csr.h"

namespace kernels {

constexpr int kUnreached = 0x3fffffff;  ///< level or distance of an unreachable node

std::vector<int> levels_by_boost(const Csr& graph, int source);
std::vector<int> distances_by_boost(const Csr& graph, int source);

}  // namespace kernels
