// Undirected graphs of any size from a seed, each edge stored in both directions. They replace the inputs of published
// studies of irregular programs and reproduce their spread of degrees, diameter and memory locality of neighbours.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "csr.h"
#include "random.h"

namespace kernels {

constexpr int kLargestWeight = 100;  ///< largest weight of a generated edge; the smallest is 1

namespace generators {

inline Edge edge(Random& random, long from, long to) {
  return {static_cast<int>(from), static_cast<int>(to), static_cast<int>(random.range(1, kLargestWeight))};
}

inline std::vector<int> permutation(Random& random, long count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (long i = count - 1; i > 0; --i) std::swap(order[i], order[random.range(0, i)]);
  return order;
}

}  // namespace generators

/// Generates a citation network: each node refers to up to 2 * `degree` - 1 earlier nodes. Half of the references use
/// preferential attachment (they pick an end of an earlier edge, so degrees follow a power law). The other half pick
/// recent nodes, so that many neighbours are close in memory.
inline Csr citation_graph(long nodes, long degree, long seed) {
  Random random(seed);
  std::vector<Edge> edges;
  std::vector<int> ends{0};
  for (long node = 1; node < nodes; ++node) {
    for (long left = random.range(1, 2 * degree - 1); left > 0; --left) {
      const long span = std::min<long>(node, 64);
      const long older = random.next() % 2 != 0 ? ends[random.range(0, static_cast<long>(ends.size()) - 1)]
                                                : node - std::min(random.range(1, span), random.range(1, span));
      if (older == node) continue;
      edges.push_back(generators::edge(random, node, older));
      ends.push_back(static_cast<int>(older));
    }
    ends.push_back(static_cast<int>(node));
  }
  return symmetric(Csr(nodes, std::move(edges)));
}

/// Generates a road network: a square grid in which all nodes are connected and a third of the other streets is kept.
/// Degrees are 1 to 4; the diameter grows with the square root of the number of nodes.
inline Csr road_graph(long nodes, long seed) {
  Random random(seed);
  const long width = static_cast<long>(std::ceil(std::sqrt(static_cast<double>(nodes))));
  std::vector<Edge> streets;
  for (long node = 0; node < nodes; ++node) {
    if ((node + 1) % width != 0 && node + 1 < nodes) streets.push_back(generators::edge(random, node, node + 1));
    if (node + width < nodes) streets.push_back(generators::edge(random, node, node + width));
  }
  std::vector<int> leader(nodes);
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int node) {
    while (leader[node] != node) node = leader[node] = leader[leader[node]];
    return node;
  };
  std::vector<Edge> edges;
  for (const int i : generators::permutation(random, static_cast<long>(streets.size()))) {
    const int a = find(streets[i].from), b = find(streets[i].to);
    leader[a] = b;
    if (a != b || random.range(1, 3) == 1) edges.push_back(streets[i]);
  }
  return symmetric(Csr(nodes, std::move(edges)));
}

/// Generates a Kronecker graph as Graph500 does: `degree` edges per node, each drawn by recursive bisection of the
/// adjacency matrix with probabilities 0.57, 0.19, 0.19 and 0.05. Nodes are renumbered at random. Degrees are strongly
/// skewed and many nodes have no edge.
inline Csr kronecker_graph(long nodes, long degree, long seed) {
  Random random(seed);
  long size = 1;
  while (size < nodes) size *= 2;
  const std::vector<int> name = generators::permutation(random, nodes);
  std::vector<Edge> edges;
  for (long left = nodes * degree; left > 0;) {
    long from = 0, to = 0;
    for (long half = size / 2; half > 0; half /= 2) {
      const long percent = random.range(0, 99);
      if (percent >= 76) from += half;
      if ((percent >= 57 && percent < 76) || percent >= 95) to += half;
    }
    if (from >= nodes || to >= nodes) continue;  // the node exists only in the next larger power of two
    edges.push_back(generators::edge(random, name[from], name[to]));
    --left;
  }
  return symmetric(Csr(nodes, std::move(edges)));
}

/// Generates a balanced random graph: every node chooses `degree` / 2 random other nodes, so degrees are close to
/// `degree`.
inline Csr random_graph(long nodes, long degree, long seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (long node = 0; node < nodes; ++node) {
    for (long left = (degree + node % 2) / 2; left > 0; --left) {
      edges.push_back(generators::edge(random, node, random.range(0, nodes - 1)));
    }
  }
  return symmetric(Csr(nodes, std::move(edges)));
}

}  // namespace kernels
