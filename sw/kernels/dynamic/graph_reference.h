// Graph algorithms of the Boost Graph Library, as references. In a file of their own, which no device compiler sees.
#pragma once

#include <vector>

#include "../common/csr.h"

namespace kernels {

constexpr int kUnreached = 0x3fffffff;  ///< level or distance of a node without a way

std::vector<int> levels_by_boost(const Csr& graph, int source);
std::vector<int> distances_by_boost(const Csr& graph, int source);

}  // namespace kernels
