#include "castor/gpu/launch/launcher.h"

#include <algorithm>
#include <limits>
#include <string>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/launch_check.h"

namespace castor::gpu {

namespace {

// Of CUDA.
constexpr std::uint32_t kStreamNonBlocking = 1;
constexpr std::uint32_t kEventDisableTiming = 2;
constexpr std::uint32_t kEventFlags = 3;  // that, and cudaEventBlockingSync, which means nothing here

// Handles are no small numbers: those name streams of the host.
constexpr std::uint64_t kFirstHandle = 0x1000;
constexpr std::uint64_t kHandleStep = 16;

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

LaunchCode Launcher::check(const LoadedProgram& program, const LaunchDescription& launch) const {
  const std::size_t bytes = program.program().parameter_bytes;
  const auto verdict =
      check_launch(machine_, program.program(), LaunchSize{launch.grid, launch.block, launch.dynamic_shared, bytes});
  const bool fits =
      verdict.error == LaunchError::kNone && launch.grid.count() <= std::numeric_limits<std::uint32_t>::max();
  return fits ? LaunchCode::kSuccess : LaunchCode::kInvalidConfiguration;
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

Launched Launcher::launch(const Caller& caller, const LaunchDescription& launch, std::uint64_t buffer,
                          std::uint64_t stream) {
  const LoadedProgram* const called = program(caller, launch.kernel);
  const ParameterBuffers::Buffer* const known = buffers_.find(buffer);
  if (called == nullptr || known == nullptr || known->launched || known->bytes < called->program().parameter_bytes)
    return {LaunchCode::kInvalidValue};
  Stream* const queue = find_stream(caller, stream);
  if (queue == nullptr) return {LaunchCode::kInvalidHandle};
  if (const LaunchCode wrong = check(*called, launch); wrong != LaunchCode::kSuccess) return {wrong};
  if (pending_ >= limits_.pending) return {LaunchCode::kPendingCountExceeded};

  const LaunchId id = ++last_launch_;
  Node& parent = nodes_.at(caller.launch);
  ++parent.open;
  ++sites_[caller.block].open_children;
  ++pending_;
  buffers_.launch(buffer);
  Node node;
  node.parent = caller.launch;
  node.root = parent.root;
  node.block = caller.block;
  node.level = parent.level + 1;
  node.launch = launch;
  node.parameters = buffer;
  follow(node, id, queue->last);
  for (const LaunchId before : queue->events) follow(node, id, before);
  queue->events.clear();
  queue->last = id;
  node.pending = true;
  if (node.waits == 0) startable_.insert(id);
  nodes_.emplace(id, std::move(node));
  return {LaunchCode::kSuccess, id};
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

Launcher::Stream* Launcher::find_stream(const Caller& caller, std::uint64_t stream) {
  auto& streams = sites_[caller.block].streams;
  if (stream == 0) return &streams[0];
  const auto found = streams.find(stream);
  return found == streams.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> Launcher::create_stream(const Caller& caller, std::uint32_t flags) {
  if (flags != kStreamNonBlocking) return std::nullopt;
  const std::uint64_t handle = kFirstHandle + kHandleStep * last_handle_++;
  sites_[caller.block].streams[handle];
  return handle;
}

LaunchCode Launcher::destroy_stream(const Caller& caller, std::uint64_t stream) {
  const bool known = stream != 0 && sites_[caller.block].streams.erase(stream) != 0;
  return known ? LaunchCode::kSuccess : LaunchCode::kInvalidHandle;
}

LaunchCode Launcher::wait_in_stream(const Caller& caller, std::uint64_t stream, std::uint64_t event) {
  Stream* const queue = find_stream(caller, stream);
  const auto& events = sites_[caller.block].events;
  const auto found = events.find(event);
  if (queue == nullptr || found == events.end()) return LaunchCode::kInvalidHandle;
  queue->events.insert(queue->events.end(), found->second.begin(), found->second.end());
  return LaunchCode::kSuccess;
}

std::optional<std::uint64_t> Launcher::create_event(const Caller& caller, std::uint32_t flags) {
  if ((flags & kEventDisableTiming) == 0 || (flags & ~kEventFlags) != 0) return std::nullopt;
  const std::uint64_t handle = kFirstHandle + kHandleStep * last_handle_++;
  sites_[caller.block].events[handle];
  return handle;
}

LaunchCode Launcher::destroy_event(const Caller& caller, std::uint64_t event) {
  return sites_[caller.block].events.erase(event) != 0 ? LaunchCode::kSuccess : LaunchCode::kInvalidHandle;
}

LaunchCode Launcher::record_event(const Caller& caller, std::uint64_t event, std::uint64_t stream) {
  const Stream* const queue = find_stream(caller, stream);
  auto& events = sites_[caller.block].events;
  const auto found = events.find(event);
  if (queue == nullptr || found == events.end()) return LaunchCode::kInvalidHandle;
  found->second = queue->events;
  found->second.push_back(queue->last);
  return LaunchCode::kSuccess;
}

// --- The tree -------------------------------------------------------------------------------------------------------

std::uint64_t Launcher::open_children(BlockId block) const {
  const auto found = sites_.find(block);
  return found == sites_.end() ? 0 : found->second.open_children;
}

ChildLaunch Launcher::find(LaunchId launch) const {
  const Node& node = nodes_.at(launch);
  return {launch, node.root, node.level, node.launch, node.parameters};
}

ChildLaunch Launcher::start(LaunchId launch) {
  startable_.erase(launch);
  --pending_;
  nodes_.at(launch).pending = false;
  return find(launch);
}

void Launcher::arrive(LaunchId launch) {
  Node& node = nodes_.at(launch);
  node.arrived = true;
  if (node.waits == 0) arrived_.push_back(launch);
}

std::string Launcher::waiting() const {
  if (pending_ == 0) return {};
  return "  " + std::to_string(pending_) + " launches by device code have not started, " +
         std::to_string(startable_.size()) + " of them only for want of room\n";
}

void Launcher::complete(LaunchId launch) {
  Node& node = nodes_.at(launch);
  if (node.parameters != 0) buffers_.free(std::exchange(node.parameters, 0));
  if (--node.open == 0) closing_.push_back(launch);
}

void Launcher::close_level() {
  for (const LaunchId launch : std::exchange(closing_, {})) {
    const auto found = nodes_.find(launch);
    if (found == nodes_.end()) continue;  // dropped
    const Node node = std::move(found->second);
    nodes_.erase(found);
    close(launch, node);
  }
}

void Launcher::close(LaunchId launch, const Node& node) {
  for (const LaunchId follower : node.followers) {
    const auto next = nodes_.find(follower);
    if (next == nodes_.end() || --next->second.waits != 0) continue;
    startable_.insert(follower);
    if (next->second.arrived) arrived_.push_back(follower);
  }
  if (node.parent == 0) return closed_roots_.push_back(launch);
  const auto site = sites_.find(node.block);
  if (site != sites_.end() && --site->second.open_children == 0) childless_.push_back(node.block);
  if (--nodes_.at(node.parent).open == 0) closing_.push_back(node.parent);
}

void Launcher::end_block(BlockId block) { sites_.erase(block); }

void Launcher::drop(LaunchId root) {
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const auto& [id, node] = *at;
    if (node.root != root) {
      ++at;
      continue;
    }
    if (node.parameters != 0) buffers_.free(node.parameters);
    if (node.pending) --pending_;
    startable_.erase(id);
    at = nodes_.erase(at);
  }
  closed_roots_.push_back(root);
}

void Launcher::reset() {
  nodes_.clear();
  startable_.clear();
  closing_.clear();
  sites_.clear();
  arrived_.clear();
  closed_roots_.clear();
  childless_.clear();
  pending_ = 0;
  buffers_.clear();
}

}  // namespace castor::gpu
