#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include "compiler/control_flow.h"

namespace castor::compiler {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// Returns the blocks from which a block of `ends` can be reached through blocks of `allowed`.
std::vector<bool> reaching(const std::vector<std::vector<std::uint32_t>>& successors, const std::vector<bool>& ends,
                           const std::vector<bool>& allowed) {
  std::vector<std::vector<std::uint32_t>> predecessors(successors.size());
  for (std::uint32_t b = 0; b < successors.size(); ++b)
    for (const std::uint32_t s : successors[b]) predecessors[s].push_back(b);
  std::vector<bool> found(successors.size(), false);
  std::vector<std::uint32_t> work;
  for (std::uint32_t b = 0; b < successors.size(); ++b) {
    if (!ends[b] || !allowed[b]) continue;
    found[b] = true;
    work.push_back(b);
  }
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    for (const std::uint32_t p : predecessors[b]) {
      if (found[p] || !allowed[p]) continue;
      found[p] = true;
      work.push_back(p);
    }
  }
  return found;
}

/// Computes the post-dominators of the blocks in `group`, for paths inside the group that end in a block of `ends`.
void solve(const std::vector<std::vector<std::uint32_t>>& successors, const std::vector<bool>& ends,
           const std::vector<bool>& group, std::vector<std::uint32_t>& result) {
  const std::size_t n = successors.size();
  // Edges run backwards, starting at the common exit (vertex n).
  Graph graph(n + 1);
  for (std::uint32_t b = 0; b < n; ++b) {
    if (!group[b]) continue;
    if (ends[b]) boost::add_edge(n, b, graph);
    for (const std::uint32_t s : successors[b])
      if (group[s]) boost::add_edge(s, b, graph);
  }
  std::vector<Graph::vertex_descriptor> dominator(n + 1, Graph::null_vertex());
  const auto map = boost::make_iterator_property_map(dominator.begin(), boost::get(boost::vertex_index, graph));
  boost::lengauer_tarjan_dominator_tree(graph, n, map);
  for (std::uint32_t b = 0; b < n; ++b)
    if (group[b] && dominator[b] != Graph::null_vertex() && dominator[b] != n)
      result[b] = static_cast<std::uint32_t>(dominator[b]);
}

}  // namespace

std::vector<std::uint32_t> post_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                           const PathEnds& ends) {
  const std::size_t n = successors.size();
  std::vector<std::uint32_t> result(n, kNoIndex);
  std::vector<bool> left(n, true);
  const auto settle = [&](const std::vector<bool>& at) {
    const std::vector<bool> group = reaching(successors, at, left);
    solve(successors, at, group, result);
    for (std::size_t b = 0; b < n; ++b)
      if (group[b]) left[b] = false;
  };
  settle(ends.exits);
  settle(ends.stops);
  settle(ends.faults);
  // The remaining blocks run forever. The blocks are treated as ends one by one, starting with the last in source
  // order. The paths of a loop's body then meet at the end of the body.
  for (std::size_t b = n; b-- > 0;) {
    if (!left[b]) continue;
    std::vector<bool> end(n, false);
    end[b] = true;
    settle(end);
  }
  return result;
}

}  // namespace castor::compiler
