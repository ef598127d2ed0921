#pragma once

#include <cstddef>
#include <vector>

#include "driver_types.h"
#include "runtime/api_error.h"

namespace castor::runtime {

/// Returns the nodes of an array that the program passes. ApiError: invalid value, if the array is null and `count` is
/// not 0.
[[nodiscard]] inline std::vector<cudaGraphNode_t> node_list(const cudaGraphNode_t* nodes, std::size_t count) {
  if (count == 0) return {};
  need(nodes);
  return {nodes, nodes + count};
}

/// Refuses edges that refer to a port of a node instead of the whole node. ApiError: not supported.
inline void only_whole_nodes(const cudaGraphEdgeData* data, std::size_t count) {
  for (std::size_t i = 0; data != nullptr && i < count; ++i) {
    if (data[i].from_port != 0 || data[i].to_port != 0 || data[i].type != 0) throw ApiError{cudaErrorNotSupported};
  }
}

}  // namespace castor::runtime
