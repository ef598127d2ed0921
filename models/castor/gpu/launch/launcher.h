#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/launch/calling_blocks.h"
#include "castor/gpu/launch/launch_code.h"
#include "castor/gpu/launch/parameter_buffers.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Caller of a device runtime function: a thread block of a launch.
struct Caller {
  BlockId block = 0;
  LaunchId launch = 0;
  std::uint64_t module = 0;  ///< isa::Program::code_values of the caller's program
};

/// Result of a launch call: its error code and, if it succeeded, the number of the new launch.
struct Launched {
  LaunchCode code = LaunchCode::kSuccess;
  LaunchId id = 0;
  bool spilled = false;  ///< the launch was admitted beyond the limit of pending launches
};

/// Launch by device code that may start.
struct ChildLaunch {
  LaunchId id = 0;
  LaunchId root = 0;   ///< host launch at the top of the tree
  unsigned level = 0;  ///< number of generations below the root
  LaunchDescription launch;
  std::uint64_t parameters = 0;  ///< device address of the parameter buffer, which the launcher frees
  bool group = false;            ///< the launch is a group of thread blocks, which may run with another kernel
};

/// Launcher of device code, used by the functional and by the timing model (docs/decisions/device-launch.md). It keeps
/// the tree of launches, decides which launches may start, and enforces the limits.
///
/// A launch is open until it is complete itself and all its children are closed. Then its tail launches run one after
/// the other, and the launch stays open for each of them. The model that runs the launches reports events (`open_root`,
/// `complete`, `stop`, `drop`), requests the closing of launches (`close_level`, `close_all`), and then queries the
/// results. Limits: not thread-safe.
class Launcher {
 public:
  /// `record_bytes`: bytes of a launch record in memory (see ParameterBuffers).
  Launcher(const Machine& machine, Store& store, const ProgramTable& programs, std::uint64_t record_bytes = 0)
      : machine_(machine), programs_(programs), buffers_(store, record_bytes) {}

  void set_limits(const LaunchLimits& limits) { limits_ = limits; }
  [[nodiscard]] const LaunchLimits& limits() const { return limits_; }
  [[nodiscard]] ParameterBuffers& buffers() { return buffers_; }
  /// Opens the tree of a launch by the host. Returns the number of the launch.
  [[nodiscard]] LaunchId open_root();

  // Calls of device code.

  /// Allocates a parameter buffer of the called kernel's size for `launch`. Returns its device address; 0: the value
  /// names no kernel of the caller's module, or no memory is left.
  [[nodiscard]] std::uint64_t describe(const Caller& caller, const LaunchDescription& launch);
  /// Launches a kernel into a stream, with the parameters in `buffer`.
  [[nodiscard]] Launched launch(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer,
                                std::uint64_t stream);
  /// Launches the kernel and configuration stored with the buffer.
  [[nodiscard]] Launched launch(const Caller& caller, std::uint64_t buffer, std::uint64_t stream);
  /// Launches a group of thread blocks. It waits for no other launch and does not count against the limit of pending
  /// launches. Refuses groups of a kernel that synchronises over the device (refused_groups).
  [[nodiscard]] Launched launch_group(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer);
  /// Returns kSuccess if a warp of the block may wait for the block's launches; otherwise the error code.
  [[nodiscard]] LaunchCode synchronize(const Caller& caller) const;
  /// Answers a query of CUDA's functions about a kernel; `threads` and `dynamic_shared` are those of a block. Empty if
  /// the value names no kernel of the caller's module.
  [[nodiscard]] std::optional<std::uint64_t> figure(const Caller& caller, std::uint64_t kernel, isa::KernelFigure which,
                                                    unsigned threads, std::uint64_t dynamic_shared) const;
  /// Returns the streams, events and open launches of the calling blocks.
  [[nodiscard]] CallingBlocks& blocks() { return blocks_; }
  [[nodiscard]] const CallingBlocks& blocks() const { return blocks_; }

  // Progress of launches.

  /// Returns whether a launch may start.
  [[nodiscard]] bool may_start() const { return !startable_.empty(); }
  /// Starts the oldest launch that may start.
  [[nodiscard]] ChildLaunch start() { return start(*startable_.begin()); }
  /// Returns whether the launch waits for no other launch and has not started.
  [[nodiscard]] bool may_start(LaunchId launch) const { return startable_.count(launch) != 0; }
  /// Starts a launch that may start.
  [[nodiscard]] ChildLaunch start(LaunchId launch);
  /// Returns the description of an open launch by device code.
  [[nodiscard]] ChildLaunch find(LaunchId launch) const;
  /// Turns a group that has not started into a kernel, which counts as pending.
  void fall_back(LaunchId group);
  /// Reports that a launch has arrived at the place where it waits for its start. Used by models in which this happens
  /// some time after the admission.
  void arrive(LaunchId launch);
  /// Returns the launches that have arrived and wait for no other launch, since the last call, in the order in which
  /// both became true.
  [[nodiscard]] std::vector<LaunchId> take_arrived() { return std::exchange(arrived_, {}); }
  /// Returns the numbers of launches beyond a limit: spilled, refused, without memory for parameters.
  [[nodiscard]] LaunchesBeyond beyond() const { return {spilled_, refused_, buffers_.refused()}; }
  /// Returns why groups of kernels that synchronise over the device were refused, a text for each kernel; ordered.
  [[nodiscard]] const std::set<std::string>& refused_groups() const { return refused_groups_; }
  /// Returns the number of launches admitted and not started.
  [[nodiscard]] std::uint64_t pending() const { return pending_; }
  /// Returns whether no launch is open.
  [[nodiscard]] bool idle() const { return nodes_.empty(); }
  /// Returns a line about launches that have not started, for a deadlock report; empty if there are none.
  [[nodiscard]] std::string waiting() const;
  /// Reports that all thread blocks of a launch have ended.
  void complete(LaunchId launch);
  /// Returns whether a launch must be closed.
  [[nodiscard]] bool closing() const { return !closing_.empty(); }
  /// Closes the launches without open work. Launches that follow them in their streams may start, and the blocks that
  /// made them have one open child less. Their parents may become due for closing; the next call closes these.
  void close_level();
  /// Stops the tree of a host launch: no launch of it may execute any more. Its launches may still be started in order
  /// to be completed at once.
  void stop(LaunchId root) { nodes_.at(root).stopped = true; }
  [[nodiscard]] bool stopped(LaunchId launch) const { return nodes_.at(nodes_.at(launch).root).stopped; }
  /// Removes the whole tree of a host launch. The launch counts as closed.
  void drop(LaunchId root);
  /// Returns the host launches that were closed since the last call, in the order of closing.
  [[nodiscard]] std::vector<LaunchId> take_closed_roots() { return std::exchange(closed_roots_, {}); }
  /// Returns the blocks whose last open child was closed since the last call.
  [[nodiscard]] std::vector<BlockId> take_childless() { return std::exchange(childless_, {}); }
  /// Forgets all launches and frees the parameter buffers.
  void reset();

 private:
  struct Node {
    LaunchId parent = 0;
    LaunchId root = 0;
    BlockId block = 0;  ///< thread block that made the launch; 0 for a tail launch
    unsigned level = 0;
    std::uint64_t open = 1;           ///< 1 for the launch itself, plus 1 for each open child
    std::uint64_t waits = 0;          ///< number of launches for which this one waits
    std::vector<LaunchId> followers;  ///< launches that wait for this one
    std::deque<LaunchId> tails;       ///< tail launches that have not been allowed to start
    LaunchDescription launch;
    std::uint64_t parameters = 0;
    bool arrived = false;  ///< set by `arrive`
    bool group = false;
    bool pending = false;  ///< the launch has not started
    bool stopped = false;  ///< of a host launch: set by `stop`
  };

  [[nodiscard]] LaunchCode check_buffer(const Caller& caller, const LaunchDescription& launch,
                                        std::uint64_t buffer) const;
  /// Admits a launch whose arguments are valid. `tail`: the launch waits only for the end of the launch that made it
  /// and of earlier tail launches.
  Node& admit(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer, bool tail = false);
  /// Returns the program that a kernel's value names in the caller's module, or null.
  [[nodiscard]] const LoadedProgram* program(const Caller& caller, std::uint64_t kernel) const;
  void follow(Node& node, LaunchId id, LaunchId before);
  void close(LaunchId launch, const Node& node);

  const Machine& machine_;
  const ProgramTable& programs_;
  ParameterBuffers buffers_;
  LaunchLimits limits_;
  LaunchId last_launch_ = 0;
  std::uint64_t pending_ = 0;
  std::uint64_t pending_groups_ = 0;  ///< pending launches that are groups
  std::uint64_t spilled_ = 0, refused_ = 0;
  std::set<std::string> refused_groups_;
  std::unordered_map<LaunchId, Node> nodes_;
  std::set<LaunchId> startable_;   ///< launches that wait for no other and have not started
  std::vector<LaunchId> closing_;  ///< launches without open work
  CallingBlocks blocks_;
  std::vector<LaunchId> arrived_;  ///< launches that `take_arrived` returns at its next call
  std::vector<LaunchId> closed_roots_;
  std::vector<BlockId> childless_;
};

/// Closes launches until none is left to be closed.
inline void close_all(Launcher& launcher) {
  while (launcher.closing()) launcher.close_level();
}

}  // namespace castor::gpu
