#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "driver_types.h"

namespace castor::runtime {

struct LoadedKernel;
class Graph;

/// Kernel launch of a node, with the arguments given when the node was made.
struct KernelWork {
  LoadedKernel* kernel = nullptr;
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;       ///< bytes
  std::vector<std::byte> parameters{};  ///< parameter block
  bool cooperative = false;             ///< launched cooperatively
  std::vector<void*> arguments{};  ///< pointers into `parameters`, one per argument; filled when the program requests
                                   ///< the node's parameters
};
/// Copy of a memcpy node.
struct CopyWork {
  cudaMemcpy3DParms request{};
};
/// Fill of a memset node.
struct FillWork {
  cudaMemsetParams request{};
};
/// Host function of a host node.
struct HostWork {
  cudaHostNodeParams function{};
};
/// Child graph owned by a node; a clone of the node clones the child graph.
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
/// Work of an empty node, which only joins and forks dependencies.
struct EmptyWork {};
/// Wait for an event.
struct EventWaitWork {
  cudaEvent_t event = nullptr;
};
/// Record of an event.
struct EventRecordWork {
  cudaEvent_t event = nullptr;
};

/// Work of a graph node. The order of the alternatives is that of cudaGraphNodeType.
using GraphWork =
    std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, EventWaitWork, EventRecordWork>;

/// Handles of graphs, of nodes and of executable graphs. Handles are numbers that are never reused, so the handle of a
/// destroyed object is always refused.
class GraphHandles {
 public:
  template <class Handle>
  [[nodiscard]] Handle next() {
    last_ += kStep;
    return reinterpret_cast<Handle>(last_);
  }

  std::unordered_map<cudaGraph_t, Graph*> graphs;     ///< all graphs that exist, child graphs included
  std::unordered_map<cudaGraphNode_t, Graph*> nodes;  ///< graph that contains each node

 private:
  static constexpr std::uintptr_t kStep = 16;
  std::uintptr_t last_ = 0;
};

/// CUDA graph: nodes with their work, and the dependencies between nodes. Owned by the registry of graphs (Graphs), by
/// a node of another graph, or by a capture.
class Graph {
 public:
  /// Node of the graph.
  struct Node {
    GraphWork work;
    std::vector<cudaGraphNode_t> dependencies;  ///< nodes that must complete before this node, in the order of addition
    cudaGraphNode_t original = nullptr;         ///< in a clone: node of the original graph
  };
  using Edge = std::pair<cudaGraphNode_t, cudaGraphNode_t>;  ///< earlier node, later node

  explicit Graph(GraphHandles& handles);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] cudaGraph_t handle() const { return handle_; }
  /// Returns the nodes in the order in which they were added.
  [[nodiscard]] const std::map<cudaGraphNode_t, Node>& nodes() const { return nodes_; }
  /// Returns a node of this graph. ApiError: invalid value, if the node is not in this graph.
  [[nodiscard]] Node& node(cudaGraphNode_t handle);

  /// Adds a node. ApiError: invalid value, if a dependency is not in this graph or is named twice.
  cudaGraphNode_t add(GraphWork work, std::vector<cudaGraphNode_t> dependencies);
  void remove(cudaGraphNode_t handle);
  /// Adds all of the edges, or none if one is invalid. ApiError: invalid value, for an edge that exists already.
  void connect(const std::vector<Edge>& edges);
  /// Removes all of the edges, or none if one is invalid. ApiError: invalid value, for an edge that does not exist.
  void disconnect(const std::vector<Edge>& edges);
  /// True if a node of `later` is `earlier`, or depends on it.
  [[nodiscard]] bool reaches(cudaGraphNode_t earlier, const std::vector<cudaGraphNode_t>& later) const;

  [[nodiscard]] std::vector<cudaGraphNode_t> roots() const;
  [[nodiscard]] std::vector<Edge> edges() const;
  [[nodiscard]] std::vector<cudaGraphNode_t> dependents(cudaGraphNode_t handle) const;
  [[nodiscard]] std::shared_ptr<Graph> clone() const;

  bool embedded = false;  ///< the graph is a child graph: a node of another graph owns and destroys it

 private:
  GraphHandles& handles_;
  cudaGraph_t handle_;
  std::map<cudaGraphNode_t, Node> nodes_;
};

}  // namespace castor::runtime
