#include "graph_reference.h"

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <utility>

namespace kernels {

namespace {

struct Weight {
  int value;
};
using Graph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Weight, boost::no_property, int, int>;

Graph of(const Csr& graph) {
  std::vector<std::pair<int, int>> edges;
  std::vector<Weight> weights;
  for (const Edge& edge : graph.edge_list()) {
    edges.emplace_back(edge.from, edge.to);
    weights.push_back({edge.weight});
  }
  return Graph(boost::edges_are_sorted, edges.begin(), edges.end(), weights.begin(), static_cast<int>(graph.nodes()));
}

}  // namespace

std::vector<int> levels_by_boost(const Csr& graph, int source) {
  std::vector<int> level(graph.nodes(), kUnreached);
  level[source] = 0;
  const Graph searched = of(graph);
  const auto map = boost::make_iterator_property_map(level.begin(), boost::get(boost::vertex_index, searched));
  const auto record = boost::record_distances(map, boost::on_tree_edge());
  boost::breadth_first_search(searched, source, boost::visitor(boost::make_bfs_visitor(record)));
  return level;
}

std::vector<int> distances_by_boost(const Csr& graph, int source) {
  const Graph weighted = of(graph);
  std::vector<int> distance(graph.nodes());
  boost::dijkstra_shortest_paths(
      weighted, source,
      boost::weight_map(boost::get(&Weight::value, weighted))
          .distance_map(boost::make_iterator_property_map(distance.begin(), boost::get(boost::vertex_index, weighted)))
          .distance_inf(kUnreached));
  return distance;
}

}  // namespace kernels
