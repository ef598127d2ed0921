#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace castor::gpu {

/// Wait-for graph, in which deadlock reports search for cycles (docs/gpu/faults.md, "Who waits for whom"). Nodes are
/// named by the texts of the functions below, so that all units use the same names.
class WaitGraph {
 public:
  /// Adds an edge: `waiter` cannot proceed before `other` does.
  void add(const std::string& waiter, const std::string& other);

  /// Returns the nodes of a cycle with the first node repeated at the end; empty if there is no cycle. The search
  /// starts from the waiters in the order in which they were added and returns the first cycle found.
  [[nodiscard]] std::vector<std::string> cycle() const;
  /// Returns the text "cycle: a -> b -> a" with a line end; empty if there is no cycle.
  [[nodiscard]] std::string cycle_text() const;

 private:
  /// Node with the indices of the nodes that it waits for.
  struct Node {
    std::string name;
    std::vector<std::size_t> others;
  };
  [[nodiscard]] std::size_t node(const std::string& name);

  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> index_;
};

[[nodiscard]] std::string queue_node(unsigned queue);
[[nodiscard]] std::string kernel_node(const std::string& name, unsigned entry);
[[nodiscard]] std::string block_node(unsigned sm, unsigned context, std::uint64_t gid);
[[nodiscard]] std::string warp_node(unsigned sm, unsigned slot);

}  // namespace castor::gpu
