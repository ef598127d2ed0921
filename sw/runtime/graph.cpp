#include "runtime/graph.h"

#include <algorithm>
#include <set>

#include "runtime/api_error.h"

namespace castor::runtime {
namespace {

bool contains(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

}  // namespace

Graph::Graph(GraphHandles& handles) : handles_(handles), handle_(handles.next<cudaGraph_t>()) {
  handles_.graphs.emplace(handle_, this);
}

Graph::~Graph() {
  handles_.graphs.erase(handle_);
  for (const auto& [handle, node] : nodes_) handles_.nodes.erase(handle);
}

Graph::Node& Graph::node(cudaGraphNode_t handle) {
  const auto found = nodes_.find(handle);
  if (found == nodes_.end()) throw ApiError{cudaErrorInvalidValue};
  return found->second;
}

cudaGraphNode_t Graph::add(GraphWork work, std::vector<cudaGraphNode_t> dependencies) {
  std::set<cudaGraphNode_t> seen;
  for (const cudaGraphNode_t dependency : dependencies) {
    static_cast<void>(node(dependency));
    if (!seen.insert(dependency).second) throw ApiError{cudaErrorInvalidValue};
  }
  const auto handle = handles_.next<cudaGraphNode_t>();
  nodes_.emplace(handle, Node{std::move(work), std::move(dependencies), nullptr});
  handles_.nodes.emplace(handle, this);
  return handle;
}

void Graph::remove(cudaGraphNode_t handle) {
  static_cast<void>(node(handle));
  for (auto& [other, entry] : nodes_) {
    auto& before = entry.dependencies;
    before.erase(std::remove(before.begin(), before.end(), handle), before.end());
  }
  handles_.nodes.erase(handle);
  nodes_.erase(handle);
}

void Graph::connect(const std::vector<Edge>& edges) {
  std::set<Edge> fresh;
  for (const auto& [from, to] : edges) {
    static_cast<void>(node(from));
    if (contains(node(to).dependencies, from) || !fresh.emplace(from, to).second) throw ApiError{cudaErrorInvalidValue};
  }
  for (const auto& [from, to] : edges) node(to).dependencies.push_back(from);
}

void Graph::disconnect(const std::vector<Edge>& edges) {
  std::set<Edge> gone;
  for (const auto& [from, to] : edges) {
    static_cast<void>(node(from));
    if (!contains(node(to).dependencies, from) || !gone.emplace(from, to).second) throw ApiError{cudaErrorInvalidValue};
  }
  for (const auto& [from, to] : edges) {
    auto& before = node(to).dependencies;
    before.erase(std::find(before.begin(), before.end(), from));
  }
}

bool Graph::reaches(cudaGraphNode_t earlier, const std::vector<cudaGraphNode_t>& later) const {
  std::vector<cudaGraphNode_t> open = later;
  std::set<cudaGraphNode_t> seen;
  while (!open.empty()) {
    const cudaGraphNode_t at = open.back();
    open.pop_back();
    if (at == earlier) return true;
    const auto found = nodes_.find(at);
    if (found == nodes_.end() || !seen.insert(at).second) continue;
    open.insert(open.end(), found->second.dependencies.begin(), found->second.dependencies.end());
  }
  return false;
}

std::vector<cudaGraphNode_t> Graph::roots() const {
  std::vector<cudaGraphNode_t> found;
  for (const auto& [handle, node] : nodes_) {
    if (node.dependencies.empty()) found.push_back(handle);
  }
  return found;
}

std::vector<Graph::Edge> Graph::edges() const {
  std::vector<Edge> found;
  for (const auto& [handle, node] : nodes_) {
    for (const cudaGraphNode_t from : node.dependencies) found.emplace_back(from, handle);
  }
  return found;
}

std::vector<cudaGraphNode_t> Graph::dependents(cudaGraphNode_t handle) const {
  std::vector<cudaGraphNode_t> found;
  for (const auto& [other, node] : nodes_) {
    if (contains(node.dependencies, handle)) found.push_back(other);
  }
  return found;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>(handles_);
  std::unordered_map<cudaGraphNode_t, cudaGraphNode_t> twins;
  for (const auto& [handle, node] : nodes_) {
    GraphWork work = node.work;
    if (auto* const kernel = std::get_if<KernelWork>(&work))
      kernel->arguments.clear();  // the pointers refer to the
                                  // original's parameters
    if (auto* const child = std::get_if<ChildWork>(&work)) {
      child->graph = child->graph->clone();
      child->graph->embedded = true;
    }
    const cudaGraphNode_t twin = copy->add(std::move(work), {});
    copy->node(twin).original = handle;
    twins.emplace(handle, twin);
  }
  for (const auto& [handle, node] : nodes_) {
    auto& before = copy->node(twins.at(handle)).dependencies;
    for (const cudaGraphNode_t from : node.dependencies) before.push_back(twins.at(from));
  }
  return copy;
}

}  // namespace castor::runtime
