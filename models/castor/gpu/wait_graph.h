#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace castor::gpu {

/// Wait-for graph, in which deadlock reports search for cycles (docs/gpu/faults.md, "Who waits for whom"). Nodes are
/// named by the texts of the functions below, so that all units use the same names. Hooks add to it through the virtual
/// functions (Hook::waits), and therefore do not link the GPU.
class WaitGraph {
 public:
  WaitGraph() = default;
  WaitGraph(const WaitGraph&) = delete;
  WaitGraph& operator=(const WaitGraph&) = delete;
  virtual ~WaitGraph() = default;

  /// Adds an edge: `waiter` cannot proceed before `other` does.
  virtual void add(const std::string& waiter, const std::string& other);
  /// Adds a line of text: the waiting unit and the reason. The line begins with the hook's name.
  virtual void say(const std::string& text);
  /// Returns the node of the kernel in a kernel table entry.
  [[nodiscard]] virtual std::string kernel(unsigned entry) const;

  /// Sets the node of the kernel in an entry.
  void name_kernel(unsigned entry, const std::string& node) { kernels_[entry] = node; }
  /// Sets the name before the lines that follow: a hook, and the block that implements it ("" = none).
  void speaks(const std::string& hook, const std::string& block);
  /// Returns all lines.
  [[nodiscard]] const std::string& said() const { return said_; }

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
  std::map<unsigned, std::string> kernels_;
  std::string speaker_, said_;
};

[[nodiscard]] std::string kernel_node(const std::string& name, unsigned entry);
/// Node of the hub of device-wide synchronisation, for which stalled warps wait.
[[nodiscard]] inline std::string sync_hub_node() { return "synchronisation hub"; }
[[nodiscard]] inline std::string queue_node(unsigned queue) { return "queue " + std::to_string(queue); }
[[nodiscard]] inline std::string block_node(unsigned sm, unsigned context, std::uint64_t gid) {
  return "block " + std::to_string(gid) + " (SM " + std::to_string(sm) + ", context " + std::to_string(context) + ")";
}
[[nodiscard]] inline std::string warp_node(unsigned sm, unsigned slot) {
  return "warp of slot " + std::to_string(slot) + " (SM " + std::to_string(sm) + ")";
}

}  // namespace castor::gpu
