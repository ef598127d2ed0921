#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/graph.h"
#include "runtime/streams.h"

namespace castor::runtime {

class PreparedWork;
class Session;

/// An executable graph: a copy of a graph, with the graphs inside its nodes laid open, in the order in which its steps
/// are given to queues. Chains of nodes that can go on beside each other have queues of their own.
class GraphExec {
 public:
  /// Result of an update by a whole graph, and the node of that graph at which it failed.
  struct Update {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    cudaGraphNode_t node = nullptr;
  };

  /// `flags`: kept for who asks. ApiError: invalid value, if the graph has a cycle; `error` is then a node of it.
  GraphExec(Session& session, const Graph& graph, unsigned long long flags, cudaGraphNode_t& error);

  [[nodiscard]] unsigned long long flags() const { return flags_; }
  /// Appends all steps to a stream: after what is in it, and before what will be. A launch comes after the one before
  /// it, whatever their streams. ApiError: that of a step that cannot be done; no step is then.
  void launch(Session& session, Stream& stream);
  /// The graph as a new one, with the updates.
  [[nodiscard]] std::shared_ptr<Graph> graph(std::shared_ptr<Graph> empty) const;

  /// Work of the step that a node of the graph became; later launches do it. ApiError: invalid value, for another node.
  [[nodiscard]] const GraphWork& work(cudaGraphNode_t node) const;
  void set_work(Session& session, cudaGraphNode_t node, GraphWork work);  ///< ApiError: invalid value, if it may not
  /// Replaces the work of the steps of a graph inside a node. ApiError: update failure.
  void set_child(Session& session, cudaGraphNode_t node, const Graph& child);
  void enable(cudaGraphNode_t node, bool on);
  [[nodiscard]] bool enabled(cudaGraphNode_t node) const;
  /// Replaces the work of all steps by that of an equal graph, or of none.
  [[nodiscard]] Update update(Session& session, const Graph& graph);

 private:
  struct Step {
    cudaGraphNode_t origin = nullptr;  ///< node that it was
    GraphWork work;
    std::vector<std::size_t> after{};  ///< numbers of steps
    std::size_t end = 0;               ///< of a graph inside a node: number of the step that ends it
    bool enabled = true;
    unsigned lane = 0;                 ///< 0: the stream of the launch
    std::vector<std::size_t> waits{};  ///< those of `after` that neither its lane nor another wait covers
    bool marked = false;               ///< something of another lane waits for it
  };
  using Steps = std::vector<Step>;

  /// Appends the nodes of a graph and returns the numbers of the steps that end it. `entry`: step that it comes after.
  static std::vector<std::size_t> append(Steps& steps, const Graph& graph, std::optional<std::size_t> entry);
  /// Appends a graph inside a node, between two steps that do nothing, and returns the number of the second.
  static std::size_t append_child(Steps& steps, cudaGraphNode_t node, const Graph& graph);
  /// Replaces the work of the steps from `begin` on by that of `fresh`, if those are equal otherwise.
  /// `inner`: they are a graph inside a node, whose first step comes after others.
  [[nodiscard]] Update replace(Session& session, std::size_t begin, Steps&& fresh, bool inner);
  void sort(cudaGraphNode_t& error);
  void assign_lanes(unsigned most);
  [[nodiscard]] std::size_t number_of(cudaGraphNode_t node) const;
  void submit_steps(Session& session, Stream& stream, std::vector<PreparedWork>& prepared);

  unsigned long long flags_ = 0;
  Steps steps_;
  std::vector<std::size_t> order_;  ///< of the steps' submission
  std::vector<Stream> lanes_;       ///< beside the launch's stream
  std::vector<std::size_t> joins_;  ///< last steps of lanes for which the launch's stream waits
  std::unordered_map<cudaGraphNode_t, std::size_t> numbers_;
  std::optional<QueueMark> last_;  ///< end of the youngest launch
};

}  // namespace castor::runtime
