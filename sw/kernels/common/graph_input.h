#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "csr.h"
#include "graph_files.h"
#include "graph_generators.h"
#include "program.h"

namespace kernels {

/// Input graph of a program: chosen on the command line from the generators or a file.
class GraphInput {
 public:
  /// `nodes`: default number of nodes of a generated graph.
  explicit GraphInput(long nodes) : nodes_(nodes) {}

  void add(Options& options) {
    options.add_text("input", &input_,
                     "citation, road, kronecker or random, or a file (.mtx, .gr, .col, .graph); default citation");
    options.add("nodes", &nodes_, 1, 1 << 26, "number of nodes of a generated graph");
    options.add("degree", &degree_, 0, 1 << 12,
                "of a generated graph: references, edges or neighbours a node; 0 = 8, 16 and 19 (road: none)");
  }

  /// Returns the graph. Edge weights come from the file if it has integer values, else from the seed. Ends the program
  /// with exit code 2 if the file is bad.
  Csr load(const Options& options, long seed) const {
    const auto degree = [&](long usual) { return degree_ != 0 ? degree_ : usual; };
    if (input_ == "citation") return citation_graph(nodes_, degree(8), seed);
    if (input_ == "road") return road_graph(nodes_, seed);
    if (input_ == "kronecker") return kronecker_graph(nodes_, degree(16), seed);
    if (input_ == "random") return random_graph(nodes_, degree(19), seed);
    try {
      FileGraph file = read_graph_file(input_);
      if (file.rows != file.columns) throw InputError(input_ + ": the matrix is not square, so it is no graph");
      Random random(seed);
      for (Edge& edge : file.edges) {
        if (!file.weighted) edge.weight = static_cast<int>(random.range(1, kLargestWeight));
      }
      return Csr(file.rows, std::move(file.edges));
    } catch (const InputError& error) {
      std::fprintf(stderr, "%s: %s\n", options.program(), error.what());
      std::exit(2);
    }
  }

  /// Returns the input's name and the graph's size, for the program's output line.
  std::string description(const Csr& graph) const {
    int largest = 0;
    for (long node = 0; node < graph.nodes(); ++node) largest = std::max(largest, graph.degree(node));
    return "input=" + input_ + ": nodes " + std::to_string(graph.nodes()) + ", edges " + std::to_string(graph.edges()) +
           ", largest degree " + std::to_string(largest);
  }

 private:
  std::string input_ = "citation";
  long nodes_, degree_ = 0;
};

/// Returns node `wanted` modulo the number of nodes; for -1 the first node with the largest degree.
inline int source_node(const Csr& graph, long wanted) {
  if (wanted >= 0) return static_cast<int>(wanted % graph.nodes());
  int best = 0;
  for (int node = 1; node < graph.nodes(); ++node) {
    if (graph.degree(node) > graph.degree(best)) best = node;
  }
  return best;
}

/// A graph in device memory, in CSR form.
struct DeviceGraph {
  explicit DeviceGraph(const Csr& graph)
      : first_edge(graph.first_edge), target(never_empty(graph.target)), weight(never_empty(graph.weight)) {}

  static std::vector<int> never_empty(std::vector<int> values) {
    if (values.empty()) values.push_back(0);
    return values;
  }

  DeviceArray<int> first_edge, target, weight;
};

}  // namespace kernels
