#pragma once

#include <queue>
#include <vector>

#include "program.h"

namespace kernels {

/// A random directed graph in CSR form: the edges of node n are target[first_edge[n]] to target[first_edge[n + 1] - 1].
/// Each node has 0 to 2 * degree edges. `target` is never empty.
struct RandomGraph {
  RandomGraph(long nodes, long degree, long seed) : first_edge(nodes + 1) {
    Random random(seed);
    for (long node = 0; node < nodes; ++node) {
      for (long edges = random.range(0, 2 * degree); edges > 0; --edges) {
        target.push_back(static_cast<int>(random.range(0, nodes - 1)));
      }
      first_edge[node + 1] = static_cast<int>(target.size());
    }
    if (target.empty()) target.push_back(0);
  }

  std::vector<int> first_edge, target;
};

/// Result of a breadth-first search from one node, computed on the host as the reference.
struct Levels {
  Levels(const RandomGraph& graph, int start) : level(graph.first_edge.size() - 1, -1) {
    level[start] = 0;
    std::queue<int> open;
    open.push(start);
    while (!open.empty()) {
      const int node = open.front();
      open.pop();
      ++reached;
      deepest = level[node];
      for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; ++edge) {
        if (level[graph.target[edge]] >= 0) continue;
        level[graph.target[edge]] = level[node] + 1;
        open.push(graph.target[edge]);
      }
    }
  }

  std::vector<int> level;  ///< level of each node; -1 = not reached
  long reached = 0;        ///< number of nodes reached
  int deepest = 0;         ///< highest level
};

}  // namespace kernels
