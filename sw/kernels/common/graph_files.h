// Readers of graph files: Matrix Market (coordinate form) and the three text forms of the DIMACS challenges (shortest
// paths .gr, colouring .col, partitioning .graph). An error in a file throws an InputError that names file and line.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <istream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "csr.h"

namespace kernels {

/// Error in an input file; the message names file and line.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Contents of a graph file. Nodes are numbered from 0, and an undirected edge is stored in both directions.
struct FileGraph {
  long rows = 0, columns = 0;  ///< equal, except for a Matrix Market file whose matrix is not square
  bool weighted = false;       ///< whether the file gives integer values that serve as edge weights
  std::vector<Edge> edges;
};

namespace graph_files {

/// Reads a graph file line by line, splits lines into words, and throws errors with file name and line number.
class Lines {
 public:
  Lines(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// Reads the next line and splits it into `words`. Returns false at the end of the file.
  bool next() {
    if (!std::getline(in_, line_)) {
      if (in_.bad()) fail("cannot be read");
      return false;
    }
    ++number_;
    words.clear();
    constexpr const char* kSpaces = " \t\r\v\f";
    for (std::size_t begin = line_.find_first_not_of(kSpaces); begin != std::string::npos;) {
      const std::size_t end = std::min(line_.find_first_of(kSpaces, begin), line_.size());
      words.emplace_back(line_.data() + begin, end - begin);
      begin = line_.find_first_not_of(kSpaces, end);
    }
    return true;
  }

  long whole(std::size_t index, const char* what, long low, long high) const {
    const std::string_view word = words.at(index);
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(word.data(), &end, 10);
    if (end != word.data() + word.size() || errno != 0) {
      fail(std::string(what) + " is '" + std::string(word) + "', not a whole number");
    }
    if (value < low || value > high) {
      fail(std::string(what) + " is " + std::string(word) + ", allowed are " + std::to_string(low) + " to " +
           std::to_string(high));
    }
    return value;
  }

  double real(std::size_t index, const char* what) const {
    const std::string_view word = words.at(index);
    char* end = nullptr;
    const double value = std::strtod(word.data(), &end);
    if (end != word.data() + word.size() || !std::isfinite(value)) {
      fail(std::string(what) + " is '" + std::string(word) + "', not a number");
    }
    return value;
  }

  /// Throws an InputError unless the current line has `low` to `high` words.
  void count(std::size_t low, std::size_t high, const char* form) const {
    if (words.size() < low || words.size() > high) {
      fail("a line '" + std::string(form) + "' was expected, this one has " + std::to_string(words.size()) + " words");
    }
  }

  [[noreturn]] void fail(const std::string& mistake) const {
    throw InputError(name_ + ":" + std::to_string(std::max(1l, number_)) + ": " + mistake);
  }

  std::vector<std::string_view> words;  ///< words of the current line

 private:
  std::istream& in_;
  std::string name_, line_;
  long number_ = 0;
};

constexpr long kMostNodes = 1 << 26;  ///< limit on nodes: a header alone allocates memory for each node, at most 1 GB
constexpr long kMost = std::numeric_limits<int>::max() - 1;  ///< limit on edges
constexpr long kHeaviest = 1 << 20;                          ///< limit on the weight of an edge

inline std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

inline void add(FileGraph& graph, long from, long to, long weight, bool both_ways) {
  graph.edges.push_back({static_cast<int>(from - 1), static_cast<int>(to - 1), static_cast<int>(weight)});
  if (both_ways && from != to) {
    graph.edges.push_back({static_cast<int>(to - 1), static_cast<int>(from - 1), static_cast<int>(weight)});
  }
}

inline void check_count(const Lines& lines, const char* what, long said, long found) {
  if (said != found) {
    lines.fail("the file ends after " + std::to_string(found) + " " + what + "; its header says " +
               std::to_string(said));
  }
}

}  // namespace graph_files

/// Reads a Matrix Market file: `matrix coordinate`, `pattern`, `real` or `integer`, `general` or `symmetric`. Integer
/// values that are not negative become edge weights; real values only mean that the edge exists.
inline FileGraph read_matrix_market(std::istream& in, const std::string& name) {
  graph_files::Lines lines(in, name);
  if (!lines.next() || lines.words.empty() || lines.words[0] != "%%MatrixMarket") {
    lines.fail("a Matrix Market file begins with '%%MatrixMarket'");
  }
  lines.count(5, 5, "%%MatrixMarket matrix coordinate <field> <symmetry>");
  const std::string object = graph_files::lower(lines.words[1]), form = graph_files::lower(lines.words[2]);
  const std::string field = graph_files::lower(lines.words[3]), symmetry = graph_files::lower(lines.words[4]);
  if (object != "matrix" || form != "coordinate") {
    lines.fail("only 'matrix coordinate' is read, not '" + object + " " + form + "'");
  }
  if (field != "pattern" && field != "real" && field != "integer") {
    lines.fail("the field is '" + field + "'; pattern, real and integer are read");
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    lines.fail("the symmetry is '" + symmetry + "'; general and symmetric are read");
  }
  FileGraph graph;
  graph.weighted = field == "integer";
  const std::size_t per_line = field == "pattern" ? 2 : 3;
  long said = -1, found = 0;
  while (lines.next()) {
    if (lines.words.empty() || lines.words[0][0] == '%') continue;
    if (said < 0) {
      lines.count(3, 3, "rows columns entries");
      graph.rows = lines.whole(0, "the number of rows", 1, graph_files::kMostNodes);
      graph.columns = lines.whole(1, "the number of columns", 1, graph_files::kMostNodes);
      said = lines.whole(2, "the number of entries", 0, graph_files::kMost / 2);
      if (symmetry == "symmetric" && graph.rows != graph.columns) lines.fail("a symmetric matrix must be square");
      continue;
    }
    lines.count(per_line, per_line, per_line == 2 ? "row column" : "row column value");
    const long row = lines.whole(0, "the row", 1, graph.rows), column = lines.whole(1, "the column", 1, graph.columns);
    long weight = 1;
    if (field == "integer") weight = lines.whole(2, "the value", 0, graph_files::kHeaviest);
    if (field == "real") lines.real(2, "the value");
    if (++found > said) lines.fail("there are more than the " + std::to_string(said) + " entries of the header");
    graph_files::add(graph, row, column, weight, symmetry == "symmetric");
  }
  if (said < 0) lines.fail("the line 'rows columns entries' is missing");
  graph_files::check_count(lines, "entries", said, found);
  return graph;
}

/// Reads a DIMACS shortest-path file: 'p sp nodes arcs', then arcs 'a from to weight'.
inline FileGraph read_dimacs_gr(std::istream& in, const std::string& name) {
  graph_files::Lines lines(in, name);
  FileGraph graph;
  graph.weighted = true;
  long said = -1, found = 0;
  while (lines.next()) {
    if (lines.words.empty() || lines.words[0][0] == 'c') continue;
    if (lines.words[0] == "p") {
      if (said >= 0) lines.fail("a second line 'p'");
      lines.count(4, 4, "p sp nodes arcs");
      if (lines.words[1] != "sp") lines.fail("'p sp' was expected, not 'p " + std::string(lines.words[1]) + "'");
      graph.rows = graph.columns = lines.whole(2, "the number of nodes", 1, graph_files::kMostNodes);
      said = lines.whole(3, "the number of arcs", 0, graph_files::kMost);
    } else if (lines.words[0] == "a") {
      if (said < 0) lines.fail("an arc before the line 'p sp nodes arcs'");
      lines.count(4, 4, "a from to weight");
      const long from = lines.whole(1, "the node", 1, graph.rows), to = lines.whole(2, "the node", 1, graph.rows);
      const long weight = lines.whole(3, "the weight", 0, graph_files::kHeaviest);
      if (++found > said) lines.fail("there are more than the " + std::to_string(said) + " arcs of the header");
      graph_files::add(graph, from, to, weight, false);
    } else {
      lines.fail("a line begins with '" + std::string(lines.words[0]) + "'; c, p and a are known");
    }
  }
  if (said < 0) lines.fail("the line 'p sp nodes arcs' is missing");
  graph_files::check_count(lines, "arcs", said, found);
  return graph;
}

/// Reads a DIMACS colouring file: 'p edge nodes edges' (or 'p col'), then edges 'e one other'. Some published files
/// list each edge in both directions but count it once, so the number of edge lines may be twice the header's number.
inline FileGraph read_dimacs_col(std::istream& in, const std::string& name) {
  graph_files::Lines lines(in, name);
  FileGraph graph;
  long said = -1, found = 0;
  while (lines.next()) {
    if (lines.words.empty() || lines.words[0] == "c" || lines.words[0] == "n") continue;
    if (lines.words[0] == "p") {
      if (said >= 0) lines.fail("a second line 'p'");
      lines.count(4, 4, "p edge nodes edges");
      if (lines.words[1] != "edge" && lines.words[1] != "col") {
        lines.fail("'p edge' was expected, not 'p " + std::string(lines.words[1]) + "'");
      }
      graph.rows = graph.columns = lines.whole(2, "the number of nodes", 1, graph_files::kMostNodes);
      said = lines.whole(3, "the number of edges", 0, graph_files::kMost / 2);
    } else if (lines.words[0] == "e") {
      if (said < 0) lines.fail("an edge before the line 'p edge nodes edges'");
      lines.count(3, 3, "e one other");
      const long one = lines.whole(1, "the node", 1, graph.rows), other = lines.whole(2, "the node", 1, graph.rows);
      if (++found > 2 * said) lines.fail("there are more than the " + std::to_string(said) + " edges of the header");
      graph_files::add(graph, one, other, 1, true);
    } else {
      lines.fail("a line begins with '" + std::string(lines.words[0]) + "'; c, n, p and e are known");
    }
  }
  if (said < 0) lines.fail("the line 'p edge nodes edges' is missing");
  if (found != 2 * said) graph_files::check_count(lines, "edges", said, found);
  return graph;
}

/// Reads a DIMACS partitioning file (the METIS form): 'nodes edges [format]', then a line for each node with its
/// neighbours. Format 1 has a weight after each neighbour; formats with node weights (10, 11) are not supported.
inline FileGraph read_dimacs_graph(std::istream& in, const std::string& name) {
  graph_files::Lines lines(in, name);
  FileGraph graph;
  long said = -1, node = 0, found = 0;
  while (lines.next()) {
    if (!lines.words.empty() && lines.words[0][0] == '%') continue;
    if (said < 0) {
      if (lines.words.empty()) continue;
      lines.count(2, 3, "nodes edges [format]");
      graph.rows = graph.columns = lines.whole(0, "the number of nodes", 1, graph_files::kMostNodes);
      said = lines.whole(1, "the number of edges", 0, graph_files::kMost / 2);
      graph.weighted = lines.words.size() == 3 && lines.whole(2, "the format", 0, 1) == 1;
      continue;
    }
    if (++node > graph.rows) {
      if (lines.words.empty()) continue;
      lines.fail("there are more than the " + std::to_string(graph.rows) + " nodes of the header");
    }
    const std::size_t step = graph.weighted ? 2 : 1;
    if (lines.words.size() % step != 0) lines.fail("the last neighbour has no weight");
    for (std::size_t i = 0; i < lines.words.size(); i += step) {
      const long other = lines.whole(i, "the neighbour", 1, graph.rows);
      const long weight = graph.weighted ? lines.whole(i + 1, "the weight", 0, graph_files::kHeaviest) : 1;
      graph_files::add(graph, node, other, weight, false);
      ++found;
    }
  }
  if (said < 0) lines.fail("the line 'nodes edges' is missing");
  if (node < graph.rows) graph_files::check_count(lines, "nodes", graph.rows, node);
  graph_files::check_count(lines, "neighbours", 2 * said, found);
  return graph;
}

/// Reads a graph file in the format that its file name extension selects.
inline FileGraph read_graph_file(const std::string& path) {
  const std::size_t dot = path.find_last_of('.');
  const std::string ending = dot == std::string::npos ? "" : path.substr(dot + 1);
  FileGraph (*const read)(std::istream&, const std::string&) = ending == "mtx"     ? read_matrix_market
                                                               : ending == "gr"    ? read_dimacs_gr
                                                               : ending == "col"   ? read_dimacs_col
                                                               : ending == "graph" ? read_dimacs_graph
                                                                                   : nullptr;
  if (read == nullptr) throw InputError(path + ": graph files end with .mtx, .gr, .col or .graph");
  std::ifstream in(path);
  if (!in) throw InputError(path + ": cannot be opened");
  return read(in, path);
}

}  // namespace kernels
