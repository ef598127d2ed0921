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

/// Executable graph: a copy of a graph as a list of steps, with child graphs expanded. Steps are submitted to the
/// device's queues in a fixed order. Chains of independent nodes use separate queues ("lanes").
class GraphExec {
 public:
  /// Result of an update by a whole graph, with the node of the new graph at which the update failed.
  struct Update {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    cudaGraphNode_t node = nullptr;
  };

  /// Copies `graph`. `flags`: returned by flags(), without further effect. ApiError: invalid value, if the graph has a
  /// cycle; `error` is then a node of the cycle.
  GraphExec(Session& session, const Graph& graph, unsigned long long flags, cudaGraphNode_t& error);

  [[nodiscard]] unsigned long long flags() const { return flags_; }
  /// Appends all steps to a stream: after earlier work of the stream, and before its later work. Each launch runs after
  /// the previous launch of this object, in whatever stream. ApiError: the error of a step that cannot be submitted; no
  /// step is submitted then.
  void launch(Session& session, Stream& stream);
  /// Fills `empty` with the steps and their updates, and returns it; used when the launch itself is captured.
  [[nodiscard]] std::shared_ptr<Graph> graph(std::shared_ptr<Graph> empty) const;

  /// Returns the work of the step that was made from `node`. ApiError: invalid value, for a node of another graph.
  [[nodiscard]] const GraphWork& work(cudaGraphNode_t node) const;
  /// Replaces the work of the step for later launches. ApiError: invalid value, if the new work does not suit the step.
  void set_work(Session& session, cudaGraphNode_t node, GraphWork work);
  /// Replaces the work of the steps of a child graph. ApiError: update failure, if `child` has another structure.
  void set_child(Session& session, cudaGraphNode_t node, const Graph& child);
  void enable(cudaGraphNode_t node, bool on);
  [[nodiscard]] bool enabled(cudaGraphNode_t node) const;
  /// Replaces the work of all steps by the work of `graph`. Changes nothing if the structure of `graph` differs.
  [[nodiscard]] Update update(Session& session, const Graph& graph);

 private:
  /// Step of the executable graph, made from one node.
  struct Step {
    cudaGraphNode_t origin = nullptr;  ///< node from which the step was made
    GraphWork work;
    std::vector<std::size_t> after{};  ///< numbers of the steps on which this step depends
    std::size_t end = 0;               ///< for the first step of a child graph: number of the child graph's last step
    bool enabled = true;
    unsigned lane = 0;                 ///< lane in which the step runs; 0: the launch's stream
    std::vector<std::size_t> waits{};  ///< steps of `after` whose completion neither the lane's order nor another wait
                                       ///< implies
    bool marked = false;               ///< a step of another lane waits for this step
  };
  using Steps = std::vector<Step>;

  /// Appends the nodes of a graph and returns the numbers of its last steps. `entry`: step that precedes the graph.
  static std::vector<std::size_t> append(Steps& steps, const Graph& graph, std::optional<std::size_t> entry);
  /// Appends a child graph between two empty steps, and returns the number of the second one.
  static std::size_t append_child(Steps& steps, cudaGraphNode_t node, const Graph& graph);
  /// Replaces the work of the steps from `begin` on by the work of `fresh`, if both have the same structure. `inner`:
  /// the steps are a child graph, whose first step has dependencies outside of it.
  [[nodiscard]] Update replace(Session& session, std::size_t begin, Steps&& fresh, bool inner);
  void sort(cudaGraphNode_t& error);
  void assign_lanes(unsigned most);
  [[nodiscard]] std::size_t number_of(cudaGraphNode_t node) const;
  void submit_steps(Session& session, Stream& stream, std::vector<PreparedWork>& prepared);

  unsigned long long flags_ = 0;
  Steps steps_;
  std::vector<std::size_t> order_;  ///< numbers of the steps in the order of submission
  std::vector<Stream> lanes_;       ///< lanes besides the launch's stream
  std::vector<std::size_t> joins_;  ///< last steps of the lanes; the launch's stream waits for these steps
  std::unordered_map<cudaGraphNode_t, std::size_t> numbers_;
  std::optional<QueueMark> last_;  ///< end of the most recent launch
};

}  // namespace castor::runtime
