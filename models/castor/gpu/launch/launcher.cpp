#include "castor/gpu/launch/launcher.h"

#include <algorithm>
#include <limits>
#include <string>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/launch_check.h"

namespace castor::gpu {
namespace {

/// Decrements the number of launches for which `launch` waits. At 0 the launch may start.
template <class Nodes>
void release(Nodes& nodes, LaunchId launch, std::set<LaunchId>& startable, std::vector<LaunchId>& arrived) {
  const auto found = nodes.find(launch);
  if (found == nodes.end() || --found->second.waits != 0) return;
  startable.insert(launch);
  if (found->second.arrived) arrived.push_back(launch);
}

// Checks the sizes of a launch, and whether the machine executes the kernel.
LaunchCode check_size(const Machine& machine, const isa::Program& called, const LaunchDescription& launch) {
  // All thread blocks of such a kernel must be resident at once, which a launch by device code cannot wait for.
  if (called.reach.grid_barrier) return LaunchCode::kNotSupported;
  const auto verdict = check_launch(
      machine, called, LaunchSize{launch.grid, launch.block, launch.dynamic_shared, called.parameter_bytes});
  if (verdict.error == LaunchError::kNotAnswered) return LaunchCode::kNotSupported;
  if (verdict.error == LaunchError::kTooManyBlocks) return LaunchCode::kTooManyBlocks;
  const bool fits =
      verdict.error == LaunchError::kNone && launch.grid.count() <= std::numeric_limits<std::uint32_t>::max();
  return fits ? LaunchCode::kSuccess : LaunchCode::kInvalidConfiguration;
}

// Returns why groups of a kernel are refused; empty if they are not. A grid barrier or an event counts the thread
// blocks of one grid. Those of a group run with a kernel of another grid.
std::string why_no_group(const isa::Program& called) {
  if (!synchronises(called)) return {};
  return "groups of " + base::readable_name(called.kernel) + " were refused (error 801): " + why_synchronises(called) +
         ", and a group of thread blocks cannot synchronise over the device";
}

}  // namespace

LaunchId Launcher::open_root() {
  const LaunchId id = ++last_launch_;
  nodes_[id].root = id;
  return id;
}

// --- Calls ----------------------------------------------------------------------------------------------------------

const LoadedProgram* Launcher::program(const Caller& caller, std::uint64_t kernel) const {
  const LoadedProgram* const found = programs_.kernel(kernel);
  return found != nullptr && found->program().code_values == caller.module ? found : nullptr;
}

std::uint64_t Launcher::describe(const Caller& caller, const LaunchDescription& launch) {
  const LoadedProgram* const called = program(caller, launch.kernel);
  if (called == nullptr) return 0;
  return buffers_.allocate(ParameterBuffers::kMostAlignment, called->program().parameter_bytes, launch);
}

Launched Launcher::launch(const Caller& caller, std::uint64_t buffer, std::uint64_t stream) {
  const ParameterBuffers::Buffer* const known = buffers_.find(buffer);
  if (known == nullptr || !known->launch) return {LaunchCode::kInvalidValue};
  const LaunchDescription description = *known->launch;
  return launch(caller, description, buffer, stream);
}

LaunchCode Launcher::check_buffer(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer) const {
  const LoadedProgram* const called = program(caller, launch.kernel);
  const ParameterBuffers::Buffer* const known = buffers_.find(buffer);
  const bool fits =
      called != nullptr && known != nullptr && !known->launched && known->bytes >= called->program().parameter_bytes;
  return fits ? LaunchCode::kSuccess : LaunchCode::kInvalidValue;
}

// Admits a launch whose arguments are valid. A tail launch is not a child of the calling thread block. Otherwise the
// block could wait for the tail launch, which itself waits for the end of the block's launch.
Launcher::Node& Launcher::admit(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer,
                                bool tail) {
  const LaunchId id = ++last_launch_;
  Node& parent = nodes_.at(caller.launch);
  if (tail) {
    parent.tails.push_back(id);
  } else {
    ++parent.open;
    blocks_.open_child(caller.block);
  }
  ++pending_;
  buffers_.launch(buffer);
  Node node;
  node.parent = caller.launch;
  node.root = parent.root;
  node.block = tail ? 0 : caller.block;
  node.waits = tail ? 1 : 0;
  node.level = parent.level + 1;
  node.launch = launch;
  node.parameters = buffer;
  node.pending = true;
  return nodes_.emplace(id, std::move(node)).first->second;
}

Launched Launcher::launch(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer,
                          std::uint64_t stream) {
  if (const LaunchCode wrong = check_buffer(caller, launch, buffer); wrong != LaunchCode::kSuccess) return {wrong};
  const bool named = stream == kTailStream || stream == kFreeStream;
  CallingBlocks::Stream* const queue = named ? nullptr : blocks_.stream(caller.block, stream);
  if (queue == nullptr && !named) return {LaunchCode::kInvalidHandle};
  const isa::Program& called = program(caller, launch.kernel)->program();
  if (const LaunchCode wrong = check_size(machine_, called, launch); wrong != LaunchCode::kSuccess) return {wrong};
  const bool spills = pending_ - pending_groups_ >= limits_.pending;
  if (spills && machine_.pool.full == PoolFull::kRefuse) {
    ++refused_;
    return {LaunchCode::kPendingCountExceeded};
  }
  spilled_ += spills ? 1 : 0;

  Node& node = admit(caller, launch, buffer, stream == kTailStream);
  const LaunchId id = last_launch_;
  if (queue != nullptr) {
    follow(node, id, queue->last);
    for (const LaunchId before : queue->events) follow(node, id, before);
    queue->events.clear();
    queue->last = id;
  }
  if (node.waits == 0) startable_.insert(id);
  return {LaunchCode::kSuccess, id, spills};
}

Launched Launcher::launch_group(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer) {
  if (const LaunchCode wrong = check_buffer(caller, launch, buffer); wrong != LaunchCode::kSuccess) return {wrong};
  const isa::Program& called = program(caller, launch.kernel)->program();
  if (const std::string why = why_no_group(called); !why.empty()) {
    refused_groups_.insert(why);
    return {LaunchCode::kNotSupported};
  }
  if (const LaunchCode wrong = check_size(machine_, called, launch); wrong != LaunchCode::kSuccess) return {wrong};
  admit(caller, launch, buffer).group = true;
  ++pending_groups_;
  startable_.insert(last_launch_);
  return {LaunchCode::kSuccess, last_launch_};
}

void Launcher::follow(Node& node, LaunchId id, LaunchId before) {
  const auto found = nodes_.find(before);
  if (found == nodes_.end()) return;
  found->second.followers.push_back(id);
  ++node.waits;
}

LaunchCode Launcher::synchronize(const Caller& caller) const {
  return nodes_.at(caller.launch).level < limits_.sync_depth ? LaunchCode::kSuccess : LaunchCode::kSyncDepthExceeded;
}

std::optional<std::uint64_t> Launcher::figure(const Caller& caller, std::uint64_t kernel, isa::KernelFigure which,
                                              unsigned threads, std::uint64_t dynamic_shared) const {
  const LoadedProgram* const loaded = program(caller, kernel);
  if (loaded == nullptr) return std::nullopt;
  const isa::Program& asked = loaded->program();
  switch (which) {
    case isa::KernelFigure::kSharedBytes:
      return asked.shared_bytes;
    case isa::KernelFigure::kLocalBytes:
      return asked.local_bytes;
    case isa::KernelFigure::kRegisters:
      return asked.registers;
    case isa::KernelFigure::kMostThreads:
      return most_threads(machine_, asked);
    case isa::KernelFigure::kBlocksPerSm:
      return blocks_per_sm(machine_, asked, threads, dynamic_shared);
  }
  return std::nullopt;
}

// --- The tree -------------------------------------------------------------------------------------------------------

ChildLaunch Launcher::find(LaunchId launch) const {
  const Node& node = nodes_.at(launch);
  return {launch, node.root, node.level, node.launch, node.parameters, node.group};
}

ChildLaunch Launcher::start(LaunchId launch) {
  Node& node = nodes_.at(launch);
  startable_.erase(launch);
  --pending_;
  pending_groups_ -= node.group ? 1 : 0;
  node.pending = false;
  return find(launch);
}

void Launcher::fall_back(LaunchId group) {
  nodes_.at(group).group = false;
  --pending_groups_;
}

void Launcher::arrive(LaunchId launch) {
  Node& node = nodes_.at(launch);
  node.arrived = true;
  if (node.waits == 0) arrived_.push_back(launch);
}

std::string Launcher::waiting() const {
  if (pending_ == 0) return {};
  return "  " + std::to_string(pending_) + " launches by device code have not started, " +
         std::to_string(startable_.size()) + " of them wait for no other launch\n";
}

void Launcher::complete(LaunchId launch) {
  Node& node = nodes_.at(launch);
  if (node.parameters != 0) buffers_.free(std::exchange(node.parameters, 0));
  if (--node.open == 0) closing_.push_back(launch);
}

void Launcher::close_level() {
  for (const LaunchId launch : std::exchange(closing_, {})) {
    const auto found = nodes_.find(launch);
    if (found == nodes_.end()) continue;  // the launch was dropped
    if (auto& tails = found->second.tails; !tails.empty()) {
      // The first tail launch becomes the only child of this launch.
      ++found->second.open;
      release(nodes_, tails.front(), startable_, arrived_);
      tails.pop_front();
      continue;
    }
    const Node node = std::move(found->second);
    nodes_.erase(found);
    close(launch, node);
  }
}

void Launcher::close(LaunchId launch, const Node& node) {
  for (const LaunchId follower : node.followers) release(nodes_, follower, startable_, arrived_);
  if (node.parent == 0) return closed_roots_.push_back(launch);
  if (blocks_.close_child(node.block)) childless_.push_back(node.block);
  if (--nodes_.at(node.parent).open == 0) closing_.push_back(node.parent);
}

void Launcher::drop(LaunchId root) {
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const auto& [id, node] = *at;
    if (node.root != root) {
      ++at;
      continue;
    }
    if (node.parameters != 0) buffers_.free(node.parameters);
    if (node.pending) --pending_;
    if (node.pending && node.group) --pending_groups_;
    startable_.erase(id);
    at = nodes_.erase(at);
  }
  closed_roots_.push_back(root);
}

void Launcher::reset() {
  nodes_.clear();
  startable_.clear();
  closing_.clear();
  blocks_.clear();
  arrived_.clear();
  closed_roots_.clear();
  childless_.clear();
  pending_ = pending_groups_ = 0;
  buffers_.clear();
}

}  // namespace castor::gpu
