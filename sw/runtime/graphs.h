#pragma once

#include <map>
#include <memory>

#include "runtime/graph.h"
#include "runtime/graph_capture.h"
#include "runtime/graph_exec.h"

namespace castor::runtime {

/// Registry of the program's graphs, executable graphs and captures, by their handles. Owned by the Session.
class Graphs {
 public:
  /// Takes ownership of a graph and returns its handle.
  cudaGraph_t keep(std::shared_ptr<Graph> graph);
  [[nodiscard]] std::shared_ptr<Graph> make() { return std::make_shared<Graph>(handles_); }
  /// Destroys a graph. ApiError: invalid value, also for a child graph, which its node owns.
  void destroy(cudaGraph_t graph);
  /// Returns the graph of a handle. ApiError: invalid value.
  [[nodiscard]] Graph& of(cudaGraph_t graph);
  /// Returns shared ownership of a graph. ApiError: invalid value, also for a child graph, which its node owns.
  [[nodiscard]] std::shared_ptr<Graph> shared(cudaGraph_t graph);
  /// Returns the graph that contains a node. ApiError: invalid value.
  [[nodiscard]] Graph& graph_of(cudaGraphNode_t node);
  /// Returns the work of a node. ApiError: invalid value.
  [[nodiscard]] GraphWork& work_of(cudaGraphNode_t node);

  cudaGraphExec_t keep(std::unique_ptr<GraphExec> exec);
  void destroy(cudaGraphExec_t exec);                 ///< ApiError: invalid value
  [[nodiscard]] GraphExec& of(cudaGraphExec_t exec);  ///< ApiError: invalid value

  [[nodiscard]] Captures& captures() { return captures_; }
  /// Destroys all graphs, executable graphs and captures after a device reset.
  void forget();

 private:
  GraphHandles handles_;
  std::map<cudaGraph_t, std::shared_ptr<Graph>> graphs_;
  std::map<cudaGraphExec_t, std::unique_ptr<GraphExec>> execs_;
  Captures captures_{handles_};
};

}  // namespace castor::runtime
