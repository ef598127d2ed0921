#include "castor/gpu/functional/thread_block.h"

#include <algorithm>

#include "castor/gpu/execution/warp_start.h"

namespace castor::gpu::functional {

void ThreadBlock::start(const Launch& launch, Dim3 index, unsigned lanes, unsigned sm, unsigned sms,
                        unsigned warp_slots, bool check_marks, bool study, ExecutionStudy* execution) {
  launch_ = &launch;
  index_ = index;
  lanes_ = lanes;
  const isa::Program& program = *launch.program;
  const auto threads = static_cast<unsigned>(launch.block.count());
  const unsigned warps = (threads + lanes - 1) / lanes;
  const std::size_t register_bytes = std::size_t{program.registers} * lanes * 4;
  const std::size_t local_bytes = (std::size_t{program.local_bytes} + 3) / 4 * 4 * lanes;
  registers_.assign_zero(register_bytes * warps);
  local_.assign_zero(local_bytes * warps);
  shared_.assign_zero(launch.shared_bytes);
  warps_.resize(warps);
  live_warps_ = warps;

  std::vector<std::uint8_t> halves(warps);
  for (unsigned w = 0; w < warps; ++w) {
    Warp& warp = warps_[w];
    const isa::LaneMask mask = started_lanes(threads, lanes, w);
    halves[w] = mask >> 32 != 0 ? 2 : 1;
    warp.stack.start(mask, 0);
    std::fill(std::begin(warp.predicates), std::end(warp.predicates), 0);
    warp.registers = registers_.data() + w * register_bytes;
    warp.local = local_.data() + w * local_bytes;
    warp.state = WarpState::kReady;
    warp.runtime.reset();
    isa::WarpContext& context = warp.context;
    identify(launch, launch, index, lanes, w, context);
    context.first_warp = w * (lanes / 32);
    context.warp_slots = warp_slots;
    context.sm = sm;
    context.sms = sms;
  }
  barriers_.start(halves);
  study_ = study ? std::make_unique<RedundancyStudy>() : nullptr;
  if (study_ != nullptr) study_->start(launch, warps, lanes);
  spin_watch_.reset();
  read_only_.clear();
  hook_ = execution != nullptr ? execution->start(launch, warps, lanes) : nullptr;
  marks_.reset();
  if (!check_marks || program.marks.empty()) return;
  marks_ = std::make_unique<MarkCheck>();
  marks_->start(launch, warps, lanes);
}

void ThreadBlock::watch_loops(bool on) {
  spin_watch_ = on ? std::make_unique<SpinWatch>(static_cast<unsigned>(warps_.size())) : nullptr;
  if (on) spin_watch_->open(0);
}

bool ThreadBlock::repeats() const {
  if (spin_watch_ == nullptr || !spin_watch_->is_open()) return false;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (warps_[w].state == WarpState::kReady && (spin_watch_->repeating() >> w & 1) == 0) return false;
  }
  return true;
}

void ThreadBlock::add_spinning(std::vector<SpinningWarp>& list) const {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (warps_[w].state != WarpState::kReady || (spin_watch_->repeating() >> w & 1) == 0) continue;
    list.push_back({launch_, index_, w, {}, warps_[w].stack.pc(), spin_watch_->polls(w), spin_watch_->more_polls(w)});
  }
}

Windows ThreadBlock::windows(const Warp& warp) const {
  Windows windows;
  windows.shared = shared_.data();
  windows.shared_bytes = launch_->shared_bytes;
  windows.local = warp.local;
  windows.local_bytes = launch_->program->local_bytes;
  windows.parameters = launch_->parameters;
  windows.parameter_bytes = launch_->program->parameter_bytes;
  return windows;
}

isa::RegisterView ThreadBlock::view(Warp& warp) const {
  return {warp.registers, launch_->constants, warp.predicates, lanes_};
}

Dim3 ThreadBlock::thread(const Warp& warp, unsigned lane) const {
  return {warp.context.tid[0][lane], warp.context.tid[1][lane], warp.context.tid[2][lane]};
}

bool ThreadBlock::awaits_children() const {
  return std::any_of(warps_.begin(), warps_.end(),
                     [](const Warp& warp) { return warp.state == WarpState::kAwaitsChildren; });
}

bool ThreadBlock::waits_for_one() const {
  return std::count_if(warps_.begin(), warps_.end(),
                       [](const Warp& warp) { return warp.state == WarpState::kReady; }) == 1;
}

void ThreadBlock::children_closed() {
  for (Warp& warp : warps_) {
    if (warp.state == WarpState::kAwaitsChildren) warp.state = WarpState::kReady;
  }
}

bool ThreadBlock::sleeps() const {
  return !done() && std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) {
    return warp.state == WarpState::kSynchronises || warp.state == WarpState::kDone;
  });
}

const SyncWait& ThreadBlock::sync_wait() const {
  return std::find_if(warps_.begin(), warps_.end(),
                      [](const Warp& warp) { return warp.state == WarpState::kSynchronises; })
      ->sync;
}

std::optional<SyncWait> ThreadBlock::other_sync_wait() const {
  const SyncWait& first = sync_wait();
  for (const Warp& warp : warps_) {
    if (warp.state != WarpState::kSynchronises) continue;
    if (warp.sync.op != first.op || warp.sync.event != first.event || warp.sync.target != first.target)
      return warp.sync;
  }
  return std::nullopt;
}

void ThreadBlock::wake() {
  for (Warp& warp : warps_) {
    if (warp.state == WarpState::kSynchronises) warp.state = WarpState::kReady;
  }
}

void ThreadBlock::retire(Warp& warp) {
  warp.state = WarpState::kDone;
  --live_warps_;
  std::vector<isa::BarrierUnit::Release> released;
  barriers_.exit(static_cast<unsigned>(&warp - warps_.data()), released);
  release(released);
}

void ThreadBlock::release(const std::vector<isa::BarrierUnit::Release>& released) {
  for (const auto& barrier : released) {
    for (std::uint64_t left = barrier.warps; left != 0; left &= left - 1) {
      Warp& warp = warps_[static_cast<unsigned>(__builtin_ctzll(left))];
      warp.state = WarpState::kReady;
      write_reduction(warp.barrier, barrier.reduction, view(warp));
    }
    if (marks_ == nullptr || !marks_->met(barrier.barrier)) continue;
    for (unsigned w = 0; w < warps_.size(); ++w) {
      const isa::SimtStack& stack = warps_[w].stack;
      if (stack.done()) continue;
      const isa::LaneMask all = lanes_ == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << lanes_) - 1;
      marks_->join(w, stack.entries().size() == 1 && stack.live() == all);
    }
  }
}

}  // namespace castor::gpu::functional
