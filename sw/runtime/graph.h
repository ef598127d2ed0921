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

/// Launch of a kernel with the arguments it had when the node was made.
struct KernelWork {
  LoadedKernel* kernel = nullptr;
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;       ///< bytes
  std::vector<std::byte> parameters{};  ///< parameter block
  std::vector<void*> arguments{};       ///< into `parameters`, one per argument; filled when the program asks
};
struct CopyWork {
  cudaMemcpy3DParms request{};
};
struct FillWork {
  cudaMemsetParams request{};
};
struct HostWork {
  cudaHostNodeParams function{};
};
/// A graph of its own inside a node; clones of the node clone it.
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
/// Does nothing: joins and forks dependencies.
struct EmptyWork {};
struct EventWaitWork {
  cudaEvent_t event = nullptr;
};
struct EventRecordWork {
  cudaEvent_t event = nullptr;
};

/// What a node of a graph does. The order is that of cudaGraphNodeType.
using GraphWork =
    std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, EventWaitWork, EventRecordWork>;

/// Handles of graphs, of their nodes and of executable graphs: numbers that are never given twice, so that the handle
/// of something destroyed is always refused.
class GraphHandles {
 public:
  template <class Handle>
  [[nodiscard]] Handle next() {
    last_ += kStep;
    return reinterpret_cast<Handle>(last_);
  }

  std::unordered_map<cudaGraph_t, Graph*> graphs;     ///< all that exist, embedded ones too
  std::unordered_map<cudaGraphNode_t, Graph*> nodes;  ///< graph that each node is in

 private:
  static constexpr std::uintptr_t kStep = 16;
  std::uintptr_t last_ = 0;
};

/// A CUDA graph: nodes of work and the dependencies between them. Owned by the registry of graphs (Graphs), by a node
/// of another graph, or by a capture.
class Graph {
 public:
  struct Node {
    GraphWork work;
    std::vector<cudaGraphNode_t> dependencies;  ///< nodes that must be complete before, in the order of addition
    cudaGraphNode_t original = nullptr;         ///< in a clone: the node it was made from
  };
  using Edge = std::pair<cudaGraphNode_t, cudaGraphNode_t>;  ///< from, to

  explicit Graph(GraphHandles& handles);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] cudaGraph_t handle() const { return handle_; }
  /// In the order in which they were added.
  [[nodiscard]] const std::map<cudaGraphNode_t, Node>& nodes() const { return nodes_; }
  [[nodiscard]] Node& node(cudaGraphNode_t handle);  ///< ApiError: invalid value, if it is not in this graph

  /// ApiError: invalid value, if a dependency is not in this graph or is named twice.
  cudaGraphNode_t add(GraphWork work, std::vector<cudaGraphNode_t> dependencies);
  void remove(cudaGraphNode_t handle);
  /// All or none of the edges. ApiError: invalid value, for one that is there already, or is not.
  void connect(const std::vector<Edge>& edges);
  void disconnect(const std::vector<Edge>& edges);
  /// Whether one of `later` is, or depends on, `earlier`.
  [[nodiscard]] bool reaches(cudaGraphNode_t earlier, const std::vector<cudaGraphNode_t>& later) const;

  [[nodiscard]] std::vector<cudaGraphNode_t> roots() const;
  [[nodiscard]] std::vector<Edge> edges() const;
  [[nodiscard]] std::vector<cudaGraphNode_t> dependents(cudaGraphNode_t handle) const;
  [[nodiscard]] std::shared_ptr<Graph> clone() const;

  bool embedded = false;  ///< in a node of another graph, which destroys it

 private:
  GraphHandles& handles_;
  cudaGraph_t handle_;
  std::map<cudaGraphNode_t, Node> nodes_;
};

}  // namespace castor::runtime
