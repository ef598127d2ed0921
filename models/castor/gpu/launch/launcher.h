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

/// Who makes a call: a thread block of a launch.
struct Caller {
  BlockId block = 0;
  LaunchId launch = 0;
  std::uint64_t module = 0;  ///< isa::Program::code_values of its program
};

/// What a launch gives: its number if it succeeded.
struct Launched {
  LaunchCode code = LaunchCode::kSuccess;
  LaunchId id = 0;
  bool spilled = false;  ///< beyond the pending limit
};

/// A launch by device code that may start.
struct ChildLaunch {
  LaunchId id = 0;
  LaunchId root = 0;   ///< the host's launch at the top of its tree
  unsigned level = 0;  ///< generations below that
  LaunchDescription launch;
  std::uint64_t parameters = 0;  ///< device address, freed by the launcher
  bool group = false;            ///< of thread blocks, which may run with another kernel
};

/// Launches by device code, of both machines (docs/decisions/device-launch.md): the tree of launches, what may start,
/// limits.
///
/// A launch is open until it has completed itself and all its children are closed; then its tail launches run, one
/// after the other, and it stays open for each. Whoever runs the launches says what has happened (`open_root`,
/// `complete`, `stop`, `drop`), has the closings done (`close_level`, `close_all`) and asks for
/// what follows from it. Limits: one thread.
class Launcher {
 public:
  /// `record_bytes`: see ParameterBuffers.
  Launcher(const Machine& machine, Store& store, const ProgramTable& programs, std::uint64_t record_bytes = 0)
      : machine_(machine), programs_(programs), buffers_(store, record_bytes) {}

  void set_limits(const LaunchLimits& limits) { limits_ = limits; }
  [[nodiscard]] const LaunchLimits& limits() const { return limits_; }
  [[nodiscard]] ParameterBuffers& buffers() { return buffers_; }
  /// A launch of the host begins.
  [[nodiscard]] LaunchId open_root();

  // Calls of device code.

  /// The buffer of `launch`, whose size is the kernel's; 0: no kernel of that value, no room.
  [[nodiscard]] std::uint64_t describe(const Caller& caller, const LaunchDescription& launch);
  [[nodiscard]] Launched launch(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer,
                                std::uint64_t stream);
  /// What the buffer was made for.
  [[nodiscard]] Launched launch(const Caller& caller, std::uint64_t buffer, std::uint64_t stream);
  /// A group of thread blocks: it waits for nothing, and no limit counts it.
  [[nodiscard]] Launched launch_group(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer);
  /// Whether a warp of the block may wait for children.
  [[nodiscard]] LaunchCode synchronize(const Caller& caller) const;
  /// The answer of CUDA's functions about kernels to device code; none for a value that is no kernel of the caller's
  /// module.
  [[nodiscard]] std::optional<std::uint64_t> figure(const Caller& caller, std::uint64_t kernel, isa::KernelFigure which,
                                                    unsigned threads, std::uint64_t dynamic_shared) const;
  /// Its streams and events are asked for there, too.
  [[nodiscard]] CallingBlocks& blocks() { return blocks_; }
  [[nodiscard]] const CallingBlocks& blocks() const { return blocks_; }

  // What follows.

  [[nodiscard]] bool may_start() const { return !startable_.empty(); }
  /// The oldest that may start; it counts as started.
  [[nodiscard]] ChildLaunch start() { return start(*startable_.begin()); }
  /// It waits for no other launch.
  [[nodiscard]] bool may_start(LaunchId launch) const { return startable_.count(launch) != 0; }
  /// A launch that may start; it counts as started.
  [[nodiscard]] ChildLaunch start(LaunchId launch);
  /// What is known of a launch by device code that is open.
  [[nodiscard]] ChildLaunch find(LaunchId launch) const;
  /// A group that has not started becomes a kernel, and counts as pending.
  void fall_back(LaunchId group);
  /// For machines on which launches come to where they wait some time after they were admitted: one has come.
  void arrive(LaunchId launch);
  /// Launches that have come and wait for no other one any more, since the last call, in that order.
  [[nodiscard]] std::vector<LaunchId> take_arrived() { return std::exchange(arrived_, {}); }
  /// Launches beyond a limit: spilled, refused, without room.
  [[nodiscard]] LaunchesBeyond beyond() const { return {spilled_, refused_, buffers_.refused()}; }
  /// Admitted and not started.
  [[nodiscard]] std::uint64_t pending() const { return pending_; }
  /// No launch is open.
  [[nodiscard]] bool idle() const { return nodes_.empty(); }
  /// Launches that are open and have not started wait for others; text for a deadlock, empty if there are none.
  [[nodiscard]] std::string waiting() const;
  /// All thread blocks of a launch have ended.
  void complete(LaunchId launch);
  /// Some launch is to be closed.
  [[nodiscard]] bool closing() const { return !closing_.empty(); }
  /// Closes the launches that are open for nobody: their streams go on, the blocks that launched them have a child
  /// less. Their parents may be closed by the next call.
  void close_level();
  /// Nothing of the tree of a launch of the host is to start any more: its launches may be started, to be completed.
  void stop(LaunchId root) { nodes_.at(root).stopped = true; }
  [[nodiscard]] bool stopped(LaunchId launch) const { return nodes_.at(nodes_.at(launch).root).stopped; }
  /// Forgets the whole tree of a launch of the host, as if it had completed.
  void drop(LaunchId root);
  /// Launches of the host that have been closed since the last call, in that order.
  [[nodiscard]] std::vector<LaunchId> take_closed_roots() { return std::exchange(closed_roots_, {}); }
  /// Blocks whose last open child has been closed since the last call.
  [[nodiscard]] std::vector<BlockId> take_childless() { return std::exchange(childless_, {}); }
  /// Forgets everything, and frees the buffers.
  void reset();

 private:
  struct Node {
    LaunchId parent = 0;
    LaunchId root = 0;
    BlockId block = 0;  ///< that launched it
    unsigned level = 0;
    std::uint64_t open = 1;   ///< itself and children
    std::uint64_t waits = 0;  ///< for launches before it
    std::vector<LaunchId> followers;
    std::deque<LaunchId> tails;  ///< its tail launches that have not been let go
    LaunchDescription launch;
    std::uint64_t parameters = 0;
    bool arrived = false;
    bool group = false;
    bool pending = false;  ///< has not started
    bool stopped = false;  ///< of a launch of the host: `stop`
  };

  [[nodiscard]] LaunchCode check_buffer(const Caller& caller, const LaunchDescription& launch,
                                        std::uint64_t buffer) const;
  [[nodiscard]] LaunchCode check_size(const Caller& caller, const LaunchDescription& launch) const;
  /// `tail`: it only waits for the end of the launch that made it, and of the tail launches before it.
  Node& admit(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer, bool tail = false);
  /// The program that a kernel's value means to the caller, or null.
  [[nodiscard]] const LoadedProgram* program(const Caller& caller, std::uint64_t kernel) const;
  void follow(Node& node, LaunchId id, LaunchId before);
  void close(LaunchId launch, const Node& node);

  const Machine& machine_;
  const ProgramTable& programs_;
  ParameterBuffers buffers_;
  LaunchLimits limits_;
  LaunchId last_launch_ = 0;
  std::uint64_t pending_ = 0;
  std::uint64_t pending_groups_ = 0;  ///< of them
  std::uint64_t spilled_ = 0, refused_ = 0;
  std::unordered_map<LaunchId, Node> nodes_;
  std::set<LaunchId> startable_;
  std::vector<LaunchId> closing_;  ///< open for nobody
  CallingBlocks blocks_;
  std::vector<LaunchId> arrived_;
  std::vector<LaunchId> closed_roots_;
  std::vector<BlockId> childless_;
};

/// All closings: until nothing is left to be closed.
inline void close_all(Launcher& launcher) {
  while (launcher.closing()) launcher.close_level();
}

}  // namespace castor::gpu
