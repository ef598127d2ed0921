#pragma once

#include <map>
#include <memory>

#include "runtime/graph.h"
#include "runtime/graph_capture.h"
#include "runtime/graph_exec.h"

namespace castor::runtime {

/// The graphs, executable graphs and captures of the program, by their handles.
class Graphs {
 public:
  /// Takes a graph over and returns its handle.
  cudaGraph_t keep(std::shared_ptr<Graph> graph);
  [[nodiscard]] std::shared_ptr<Graph> make() { return std::make_shared<Graph>(handles_); }
  /// ApiError: invalid value, also for a graph inside a node.
  void destroy(cudaGraph_t graph);
  [[nodiscard]] Graph& of(cudaGraph_t graph);                      ///< ApiError: invalid value
  [[nodiscard]] std::shared_ptr<Graph> shared(cudaGraph_t graph);  ///< the same, not for a graph inside a node
  [[nodiscard]] Graph& graph_of(cudaGraphNode_t node);             ///< ApiError: invalid value
  [[nodiscard]] GraphWork& work_of(cudaGraphNode_t node);          ///< ApiError: invalid value

  cudaGraphExec_t keep(std::unique_ptr<GraphExec> exec);
  void destroy(cudaGraphExec_t exec);                 ///< ApiError: invalid value
  [[nodiscard]] GraphExec& of(cudaGraphExec_t exec);  ///< ApiError: invalid value

  [[nodiscard]] Captures& captures() { return captures_; }
  /// Ends all of them: the device was reset.
  void forget();

 private:
  GraphHandles handles_;
  std::map<cudaGraph_t, std::shared_ptr<Graph>> graphs_;
  std::map<cudaGraphExec_t, std::unique_ptr<GraphExec>> execs_;
  Captures captures_{handles_};
};

}  // namespace castor::runtime
