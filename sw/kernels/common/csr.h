#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

namespace kernels {

/// A directed edge of a graph, with its weight.
struct Edge {
  int from, to;
  int weight = 1;
};

/// A directed graph in CSR form: the edges of node n go to target[first_edge[n]] up to target[first_edge[n + 1] - 1],
/// in ascending order.
struct Csr {
  Csr() = default;
  /// Builds the graph without loops. Of several edges between two nodes only the lightest is kept.
  Csr(long nodes, std::vector<Edge> edges) : first_edge(nodes + 1) {
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return std::tie(a.from, a.to, a.weight) < std::tie(b.from, b.to, b.weight);
    });
    const Edge* last = nullptr;
    for (const Edge& edge : edges) {
      if (edge.from == edge.to || (last != nullptr && last->from == edge.from && last->to == edge.to)) continue;
      ++first_edge[edge.from + 1];
      target.push_back(edge.to);
      weight.push_back(edge.weight);
      last = &edge;
    }
    for (long node = 0; node < nodes; ++node) first_edge[node + 1] += first_edge[node];
  }

  long nodes() const { return static_cast<long>(first_edge.size()) - 1; }
  long edges() const { return static_cast<long>(target.size()); }
  int degree(long node) const { return first_edge[node + 1] - first_edge[node]; }

  std::vector<Edge> edge_list() const {
    std::vector<Edge> list;
    list.reserve(target.size());
    for (int node = 0; node < nodes(); ++node) {
      for (int edge = first_edge[node]; edge < first_edge[node + 1]; ++edge) {
        list.push_back({node, target[edge], weight[edge]});
      }
    }
    return list;
  }

  std::vector<int> first_edge{0}, target, weight;
};

/// Returns the graph with every edge reversed.
inline Csr transposed(const Csr& graph) {
  std::vector<Edge> list = graph.edge_list();
  for (Edge& edge : list) std::swap(edge.from, edge.to);
  return Csr(graph.nodes(), std::move(list));
}

/// Returns the graph with every edge in both directions, both with the same weight.
inline Csr symmetric(const Csr& graph) {
  std::vector<Edge> list = graph.edge_list();
  const std::size_t count = list.size();
  for (std::size_t i = 0; i < count; ++i) list.push_back({list[i].to, list[i].from, list[i].weight});
  return Csr(graph.nodes(), std::move(list));
}

}  // namespace kernels
