#include "castor/gpu/functional/kernel_sync.h"

#include "castor/gpu/execution/fault.h"
#include "castor/gpu/execution/sync_operands.h"

namespace castor::gpu::functional {
namespace {

constexpr std::size_t kMostNamed = 8;  ///< thread blocks that a line of a report names

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::string wait_text(const SyncWait& wait) { return sync_text(wait.op, {wait.event, wait.target}); }

void KernelSync::start(const Launch& launch, bool swaps, std::shared_ptr<const SyncOptions> options) {
  program_ = launch.program;
  grid_ = launch.grid;
  swaps_ = swaps;
  options_ = options != nullptr ? std::move(options) : std::make_shared<const SyncOptions>();
}

bool KernelSync::starts_whole(std::uint64_t most) const {
  const isa::SyncSet ops = program_->sync.ops;
  const auto stays = [&](isa::SyncOp op) { return (ops & isa::sync_bit(op)) != 0 && stays_resident(op); };
  return grid_.count() <= most && (stays(isa::SyncOp::kGridBarrier) || stays(isa::SyncOp::kWait));
}

std::optional<SyncError> KernelSync::sleep(std::uint64_t block, const SyncWait& wait) {
  asleep_.emplace(block, wait);
  if (wait.op == isa::SyncOp::kGridBarrier) return arrive(block, wait.pc);
  ++waits_;
  std::string wrong = count(wait.event, wait.target, block);
  if (wrong.empty()) return std::nullopt;
  return SyncError{std::move(wrong), block, wait.pc};
}

std::string KernelSync::signal(std::uint32_t event, std::uint32_t target) {
  ++signals_;
  return count(event, target, std::nullopt);
}

std::optional<SyncError> KernelSync::arrive(std::uint64_t block, std::uint32_t pc) {
  ++arrived_;
  if (options_->exit == SyncExit::kError && ended_ != 0) {
    return SyncError{"grid barrier that can never complete: block " + index_text(block_index(grid_, first_ended_)) +
                         " of the kernel has ended",
                     block, pc};
  }
  if (arrived_ == grid_.count() - ended_) complete_barrier();
  return std::nullopt;
}

std::optional<SyncError> KernelSync::end(std::uint64_t block) {
  if (ended_++ == 0) first_ended_ = block;
  if (arrived_ == 0) return std::nullopt;
  if (options_->exit == SyncExit::kShrink) {
    if (arrived_ == grid_.count() - ended_) complete_barrier();
    return std::nullopt;
  }
  for (const auto& [sleeper, wait] : asleep_) {
    if (wait.op != isa::SyncOp::kGridBarrier) continue;
    return SyncError{"grid barrier that can never complete: block " + index_text(block_index(grid_, block)) +
                         " of the kernel has ended",
                     sleeper, wait.pc};
  }
  return std::nullopt;
}

void KernelSync::complete_barrier() {
  ++barriers_;
  arrived_ = 0;
  std::vector<std::uint64_t> blocks;
  for (const auto& [block, wait] : asleep_)
    if (wait.op == isa::SyncOp::kGridBarrier) blocks.push_back(block);
  for (const std::uint64_t block : blocks) wake(block);
}

void KernelSync::wake(std::uint64_t block) {
  asleep_.erase(block);
  woken_.push_back(block);
}

std::string KernelSync::count(std::uint32_t event, std::uint32_t target, std::optional<std::uint64_t> sleeper) {
  const std::string name = "event " + text(event);
  if (event >= options_->events)
    return name + " does not exist: the launch has events 0 to " + text(options_->events - 1);
  if (target == 0) return name + " with a target of 0";
  Event& state = events_[event];
  if (state.count != 0 && state.target != target)
    return name + " with target " + text(target) + "; its first call of this round said " + text(state.target);
  state.target = target;
  if (sleeper) state.sleepers.push_back(*sleeper);
  if (++state.count < target) return {};
  for (const std::uint64_t block : state.sleepers) wake(block);
  events_.erase(event);
  return {};
}

std::string KernelSync::unbalanced() const {
  std::string list;
  for (const auto& [event, state] : events_) {
    list +=
        (list.empty() ? "event " : ", event ") + text(event) + " at " + text(state.count) + " of " + text(state.target);
  }
  return list;
}

std::string KernelSync::sleepers(const std::vector<std::uint64_t>& blocks) const {
  std::string list;
  for (std::size_t i = 0; i < blocks.size() && i < kMostNamed; ++i) {
    const std::uint32_t pc = asleep_.at(blocks[i]).pc;
    list += " " + index_text(block_index(grid_, blocks[i]));
    const auto& lines = program_->lines;
    if (pc < lines.size()) list += " (PTX line " + text(lines[pc].line) + ")";
  }
  return blocks.size() > kMostNamed ? list + " and " + text(blocks.size() - kMostNamed) + " more" : list;
}

std::string KernelSync::report() const {
  std::string lines;
  std::vector<std::uint64_t> blocks;
  for (const auto& [block, wait] : asleep_)
    if (wait.op == isa::SyncOp::kGridBarrier) blocks.push_back(block);
  if (!blocks.empty()) {
    lines += "  grid barrier: " + text(arrived_) + " of " + text(grid_.count() - ended_) +
             " blocks have arrived; waiting:" + sleepers(blocks) + "\n";
  }
  for (const auto& [event, state] : events_) {
    if (state.sleepers.empty()) continue;
    lines += "  event " + text(event) + ": count " + text(state.count) + " of " + text(state.target) +
             "; waiting:" + sleepers(state.sleepers) + "\n";
  }
  return lines;
}

void KernelSync::add_counts(std::vector<std::pair<std::string_view, std::uint64_t>>& counts) const {
  const auto add = [&](std::string_view name, std::uint64_t value) {
    if (value != 0) counts.emplace_back(name, value);
  };
  add("grid_barriers", barriers_);
  add("event_waits", waits_);
  add("event_signals", signals_);
}

}  // namespace castor::gpu::functional
