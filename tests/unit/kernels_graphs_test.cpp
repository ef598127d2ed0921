#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <queue>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sw/kernels/common/csr.h"
#include "sw/kernels/common/graph_files.h"
#include "sw/kernels/common/graph_generators.h"

namespace kernels {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::Le;
using testing::Lt;

using Reader = FileGraph (*)(std::istream&, const std::string&);

/// Returns "from-to:weight" for each edge. Nodes are counted from 0.
std::vector<std::string> edges_of(const FileGraph& graph) {
  std::vector<std::string> result;
  for (const Edge& edge : graph.edges) {
    result.push_back(std::to_string(edge.from) + "-" + std::to_string(edge.to) + ":" + std::to_string(edge.weight));
  }
  return result;
}

FileGraph read(Reader reader, const std::string& text) {
  std::istringstream in(text);
  return reader(in, "file");
}

std::string mistake(Reader reader, const std::string& text) {
  try {
    read(reader, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(MatrixMarket, ReadsItsFields) {
  const FileGraph pattern =
      read(read_matrix_market, "%%MatrixMarket matrix coordinate pattern general\n% c\n\n2 3 2\n1 3\n2 1\n");
  EXPECT_THAT(edges_of(pattern), ElementsAre("0-2:1", "1-0:1"));
  EXPECT_EQ(pattern.rows, 2);
  EXPECT_EQ(pattern.columns, 3);
  EXPECT_FALSE(pattern.weighted);
  const FileGraph integer =
      read(read_matrix_market, "%%MatrixMarket MATRIX Coordinate Integer General\n3 3 1\n1 2 7\n");
  EXPECT_THAT(edges_of(integer), ElementsAre("0-1:7"));
  EXPECT_TRUE(integer.weighted);
  const FileGraph real =
      read(read_matrix_market, "%%MatrixMarket matrix coordinate real general\r\n3 3 2\r\n1 2 -1.5e3\r\n3 1 .5\r\n");
  EXPECT_THAT(edges_of(real), ElementsAre("0-1:1", "2-0:1"));
  EXPECT_FALSE(real.weighted);
}

TEST(MatrixMarket, SymmetricEntriesGoBothWaysOffTheDiagonal) {
  const FileGraph graph =
      read(read_matrix_market, "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 4\n3 3 5\n");
  EXPECT_THAT(edges_of(graph), ElementsAre("1-0:4", "0-1:4", "2-2:5"));
}

TEST(MatrixMarket, SaysWhereAMistakeIs) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(mistake(read_matrix_market, ""), "file:1: a Matrix Market file begins with '%%MatrixMarket'");
  EXPECT_EQ(mistake(read_matrix_market, "3 3 1\n"), "file:1: a Matrix Market file begins with '%%MatrixMarket'");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix array real general\n"),
            "file:1: only 'matrix coordinate' is read, not 'matrix array'");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix coordinate complex general\n"),
            "file:1: the field is 'complex'; pattern, real and integer are read");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix coordinate real hermitian\n"),
            "file:1: the symmetry is 'hermitian'; general and symmetric are read");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix coordinate\n"),
            "file:1: a line '%%MatrixMarket matrix coordinate <field> <symmetry>' was expected, this one has 3 words");
  EXPECT_EQ(mistake(read_matrix_market, head), "file:1: the line 'rows columns entries' is missing");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 3\n"),
            "file:2: a line 'rows columns entries' was expected, this one has 2 words");
  EXPECT_EQ(mistake(read_matrix_market, head + "0 3 1\n"),
            "file:2: the number of rows is 0, allowed are 1 to 67108864");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 99999999999 1\n"),
            "file:2: the number of columns is 99999999999, allowed are 1 to 67108864");
  EXPECT_EQ(mistake(read_matrix_market, head + "% c\n3 3 1\n1 4\n"), "file:4: the column is 4, allowed are 1 to 3");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 3 1\n0 1\n"), "file:3: the row is 0, allowed are 1 to 3");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 3 1\nx 1\n"), "file:3: the row is 'x', not a whole number");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 3 1\n1 1 1\n"),
            "file:3: a line 'row column' was expected, this one has 3 words");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 3 1\n1 1\n1 2\n"),
            "file:4: there are more than the 1 entries of the header");
  EXPECT_EQ(mistake(read_matrix_market, head + "3 3 2\n1 1\n"),
            "file:3: the file ends after 1 entries; its header says 2");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n"),
            "file:3: the value is 'nan', not a number");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 -1\n"),
            "file:3: the value is -1, allowed are 0 to 1048576");
  EXPECT_EQ(mistake(read_matrix_market, "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
            "file:2: a symmetric matrix must be square");
}

TEST(DimacsShortestPaths, ReadsArcs) {
  const FileGraph graph = read(read_dimacs_gr, "c roads\np sp 3 2\nc\na 1 2 803\na 3 1 0\n");
  EXPECT_THAT(edges_of(graph), ElementsAre("0-1:803", "2-0:0"));
  EXPECT_EQ(graph.rows, 3);
  EXPECT_TRUE(graph.weighted);
}

TEST(DimacsShortestPaths, SaysWhereAMistakeIs) {
  EXPECT_EQ(mistake(read_dimacs_gr, "c\n"), "file:1: the line 'p sp nodes arcs' is missing");
  EXPECT_EQ(mistake(read_dimacs_gr, "a 1 2 3\n"), "file:1: an arc before the line 'p sp nodes arcs'");
  EXPECT_EQ(mistake(read_dimacs_gr, "p edge 3 1\n"), "file:1: 'p sp' was expected, not 'p edge'");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 1\np sp 3 1\n"), "file:2: a second line 'p'");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 1\na 1 4 1\n"), "file:2: the node is 4, allowed are 1 to 3");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 1\na 1 2 -5\n"), "file:2: the weight is -5, allowed are 0 to 1048576");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 1\na 1 2\n"),
            "file:2: a line 'a from to weight' was expected, this one has 3 words");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 1\nx\n"), "file:2: a line begins with 'x'; c, p and a are known");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 2\na 1 2 1\n"), "file:2: the file ends after 1 arcs; its header says 2");
  EXPECT_EQ(mistake(read_dimacs_gr, "p sp 3 1\na 1 2 1\na 1 3 1\n"),
            "file:3: there are more than the 1 arcs of the header");
}

TEST(DimacsColouring, ReadsEdgesOnceOrBothWays) {
  EXPECT_THAT(edges_of(read(read_dimacs_col, "c x\np edge 3 2\ne 1 2\ne 3 2\n")),
              ElementsAre("0-1:1", "1-0:1", "2-1:1", "1-2:1"));
  EXPECT_EQ(read(read_dimacs_col, "p col 2 1\nn 1 5\ne 1 2\ne 2 1\n").edges.size(), 4u);
}

TEST(DimacsColouring, SaysWhereAMistakeIs) {
  EXPECT_EQ(mistake(read_dimacs_col, ""), "file:1: the line 'p edge nodes edges' is missing");
  EXPECT_EQ(mistake(read_dimacs_col, "e 1 2\n"), "file:1: an edge before the line 'p edge nodes edges'");
  EXPECT_EQ(mistake(read_dimacs_col, "p sp 2 1\n"), "file:1: 'p edge' was expected, not 'p sp'");
  EXPECT_EQ(mistake(read_dimacs_col, "p edge 2 1\ne 1 3\n"), "file:2: the node is 3, allowed are 1 to 2");
  EXPECT_EQ(mistake(read_dimacs_col, "p edge 2 1\nq\n"), "file:2: a line begins with 'q'; c, n, p and e are known");
  EXPECT_EQ(mistake(read_dimacs_col, "p edge 3 2\ne 1 2\n"), "file:2: the file ends after 1 edges; its header says 2");
  EXPECT_EQ(mistake(read_dimacs_col, "p edge 3 1\ne 1 2\ne 1 3\ne 2 3\n"),
            "file:4: there are more than the 1 edges of the header");
}

TEST(DimacsPartitioning, ReadsNeighbours) {
  EXPECT_THAT(edges_of(read(read_dimacs_graph, "% c\n3 2\n2\n1 3\n2\n\n")),
              ElementsAre("0-1:1", "1-0:1", "1-2:1", "2-1:1"));
  EXPECT_THAT(edges_of(read(read_dimacs_graph, "3 1 1\n\n3 9\n2 9\n")), ElementsAre("1-2:9", "2-1:9"));
}

TEST(DimacsPartitioning, SaysWhereAMistakeIs) {
  EXPECT_EQ(mistake(read_dimacs_graph, ""), "file:1: the line 'nodes edges' is missing");
  EXPECT_EQ(mistake(read_dimacs_graph, "3\n"),
            "file:1: a line 'nodes edges [format]' was expected, this one has 1 words");
  EXPECT_EQ(mistake(read_dimacs_graph, "3 2 11\n"), "file:1: the format is 11, allowed are 0 to 1");
  EXPECT_EQ(mistake(read_dimacs_graph, "2 1\n3\n1\n"), "file:2: the neighbour is 3, allowed are 1 to 2");
  EXPECT_EQ(mistake(read_dimacs_graph, "2 1\n2\n"), "file:2: the file ends after 1 nodes; its header says 2");
  EXPECT_EQ(mistake(read_dimacs_graph, "2 1\n2\n\n"), "file:3: the file ends after 1 neighbours; its header says 2");
  EXPECT_EQ(mistake(read_dimacs_graph, "2 1 1\n2 5\n1\n"), "file:3: the last neighbour has no weight");
  EXPECT_EQ(mistake(read_dimacs_graph, "2 1\n2\n1\n1\n"), "file:4: there are more than the 2 nodes of the header");
}

TEST(GraphFiles, TakeTheFormFromTheName) {
  const std::string path = testing::TempDir() + "kernels_graphs_test.gr";
  std::ofstream(path) << "p sp 2 1\na 1 2 4\n";
  EXPECT_THAT(edges_of(read_graph_file(path)), ElementsAre("0-1:4"));
  std::ofstream(path) << "p sp 2 1\na 1 2 4 5\n";
  EXPECT_THROW(
      {
        try {
          read_graph_file(path);
        } catch (const InputError& error) {
          EXPECT_EQ(error.what(), path + ":2: a line 'a from to weight' was expected, this one has 5 words");
          throw;
        }
      },
      InputError);
  std::remove(path.c_str());
  EXPECT_THROW(read_graph_file(path), InputError);
  EXPECT_THROW(read_graph_file("graph"), InputError);
  EXPECT_THROW(read_graph_file("graph.txt"), InputError);
}

TEST(Csr, SortsAndKeepsTheLightestOfSeveralEdges) {
  const Csr graph(3, {{2, 0, 5}, {0, 2, 9}, {0, 1, 3}, {0, 2, 4}, {1, 1, 1}});
  EXPECT_THAT(graph.first_edge, ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(graph.target, ElementsAre(1, 2, 0));
  EXPECT_THAT(graph.weight, ElementsAre(3, 4, 5));
  EXPECT_THAT(transposed(graph).target, ElementsAre(2, 0, 0));
  EXPECT_THAT(symmetric(graph).target, ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(symmetric(graph).weight, ElementsAre(3, 4, 3, 4));
}

// --- Generators: undirected, equal for equal seeds, and of the degrees that they promise.

int largest_degree(const Csr& graph) {
  int largest = 0;
  for (long node = 0; node < graph.nodes(); ++node) largest = std::max(largest, graph.degree(node));
  return largest;
}

/// Returns the share of the nodes whose degree is in [low, high].
double share(const Csr& graph, int low, int high) {
  long count = 0;
  for (long node = 0; node < graph.nodes(); ++node) count += graph.degree(node) >= low && graph.degree(node) <= high;
  return static_cast<double>(count) / static_cast<double>(graph.nodes());
}

/// Nodes that a search from node 0 reaches, and its depth.
std::pair<long, int> reach(const Csr& graph) {
  std::vector<int> level(graph.nodes(), -1);
  std::queue<int> open;
  open.push(0);
  level[0] = 0;
  long reached = 0;
  int deepest = 0;
  for (; !open.empty(); open.pop()) {
    const int node = open.front();
    ++reached;
    deepest = level[node];
    for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; ++edge) {
      if (level[graph.target[edge]] >= 0) continue;
      level[graph.target[edge]] = level[node] + 1;
      open.push(graph.target[edge]);
    }
  }
  return {reached, deepest};
}

template <class Make>
void check_generator(const Make& make) {
  for (const long nodes : {1l, 2l, 3l, 100l, 1000l}) {
    const Csr graph = make(nodes, 1), again = make(nodes, 1);
    EXPECT_EQ(graph.nodes(), nodes);
    EXPECT_EQ(graph.target, again.target);
    EXPECT_EQ(graph.weight, again.weight);
    const Csr other_way = transposed(graph);
    EXPECT_EQ(graph.first_edge, other_way.first_edge);
    EXPECT_EQ(graph.target, other_way.target);
    EXPECT_EQ(graph.weight, other_way.weight);
    for (const int weight : graph.weight) {
      EXPECT_THAT(weight, Ge(1));
      EXPECT_THAT(weight, Le(kLargestWeight));
    }
    if (nodes >= 100) {
      EXPECT_NE(graph.target, make(nodes, 2).target);
    }
  }
}

TEST(Generators, Citation) {
  check_generator([](long nodes, long seed) { return citation_graph(nodes, 8, seed); });
  const Csr graph = citation_graph(20000, 8, 1);
  EXPECT_THAT(largest_degree(graph), Ge(400));
  EXPECT_THAT(share(graph, 0, 31), Ge(0.9));
  EXPECT_THAT(share(graph, 32, 63), Ge(8 * share(graph, 128, 255)));
  EXPECT_EQ(reach(graph).first, graph.nodes());
}

TEST(Generators, Road) {
  check_generator([](long nodes, long seed) { return road_graph(nodes, seed); });
  const Csr graph = road_graph(10000, 1);
  EXPECT_THAT(largest_degree(graph), Le(4));
  EXPECT_EQ(share(graph, 1, 4), 1);
  EXPECT_EQ(reach(graph).first, graph.nodes());
  EXPECT_THAT(reach(graph).second, Ge(198));  // distance from one corner to the other
}

TEST(Generators, Kronecker) {
  check_generator([](long nodes, long seed) { return kronecker_graph(nodes, 16, seed); });
  const Csr graph = kronecker_graph(20000, 16, 1);
  EXPECT_THAT(largest_degree(graph), Ge(2000));
  EXPECT_THAT(share(graph, 0, 3), Ge(0.3));
  EXPECT_THAT(reach(graph).second, Lt(10));
}

TEST(Generators, Random) {
  check_generator([](long nodes, long seed) { return random_graph(nodes, 19, seed); });
  const Csr graph = random_graph(20000, 19, 1);
  EXPECT_THAT(largest_degree(graph), Le(50));
  EXPECT_THAT(share(graph, 10, 30), Ge(0.98));
  EXPECT_NEAR(static_cast<double>(graph.edges()) / 20000, 19, 0.1);
}

}  // namespace
}  // namespace kernels
