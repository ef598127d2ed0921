#include "runtime/graphs.h"

#include <utility>

#include "runtime/api_error.h"

namespace castor::runtime {

cudaGraph_t Graphs::keep(std::shared_ptr<Graph> graph) {
  const cudaGraph_t handle = graph->handle();
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

void Graphs::destroy(cudaGraph_t graph) {
  if (graphs_.erase(graph) == 0) throw ApiError{cudaErrorInvalidValue};
}

Graph& Graphs::of(cudaGraph_t graph) {
  const auto found = handles_.graphs.find(graph);
  if (found == handles_.graphs.end()) throw ApiError{cudaErrorInvalidValue};
  return *found->second;
}

std::shared_ptr<Graph> Graphs::shared(cudaGraph_t graph) {
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) throw ApiError{cudaErrorInvalidValue};
  return found->second;
}

Graph& Graphs::graph_of(cudaGraphNode_t node) {
  const auto found = handles_.nodes.find(node);
  if (found == handles_.nodes.end()) throw ApiError{cudaErrorInvalidValue};
  return *found->second;
}

GraphWork& Graphs::work_of(cudaGraphNode_t node) { return graph_of(node).node(node).work; }

cudaGraphExec_t Graphs::keep(std::unique_ptr<GraphExec> exec) {
  const auto handle = handles_.next<cudaGraphExec_t>();
  execs_.emplace(handle, std::move(exec));
  return handle;
}

void Graphs::destroy(cudaGraphExec_t exec) {
  if (execs_.erase(exec) == 0) throw ApiError{cudaErrorInvalidValue};
}

GraphExec& Graphs::of(cudaGraphExec_t exec) {
  const auto found = execs_.find(exec);
  if (found == execs_.end()) throw ApiError{cudaErrorInvalidValue};
  return *found->second;
}

void Graphs::forget() {
  captures_.forget();
  execs_.clear();
  graphs_.clear();
}

}  // namespace castor::runtime
