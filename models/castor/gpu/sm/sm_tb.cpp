// Thread blocks of an SM: start, barriers, fences, calls into the runtime, retire (steps S0 and S8).

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/execution/warp_start.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_filter.h"
#include "castor/gpu/sm/sm_hook_state.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {
namespace {}  // namespace

const DecodedProgram& Sm::decoded(const isa::Program& program) {
  for (const auto& known : programs_) {
    if (known->program == &program) return *known;
  }
  return *programs_.emplace_back(std::make_unique<DecodedProgram>(machine_, program));
}

void Sm::start_tb(const TbStartMessage& message) {
  watch_.disturb();
  const KernelContext& kernel = *message.kernel;
  const bool first = resident_ == 0;
  const unsigned context = lowest(~resident_);
  CASTOR_ASSERT_AT(clock_.now(), context < contexts_.size(), "SM %u has no free TB context", index());
  TbContext& tb = contexts_[context];
  tb.kernel = &kernel;
  tb.program = &decoded(*kernel.program);
  tb.gid = message.gid;
  tb.position = message.position;
  tb.group = message.group;
  tb.level = message.level;
  tb.parent_sm = message.parent_sm;
  tb.killed = false;
  tb.index = block_index(kernel.grid, message.gid);
  tb.barriers_done = 0;
  tb.warp_instructions = tb.thread_instructions = 0;
  const auto threads = static_cast<unsigned>(kernel.block.count());
  tb.warp_count = (threads + warps_.lanes() - 1) / warps_.lanes();
  CASTOR_ASSERT_AT(clock_.now(),
                   kernel.need.reg_units <= free_register_units_ && kernel.need.smem_units <= free_shared_units_,
                   "a TB is placed on SM %u that does not fit: registers or shared memory", index());
  free_register_units_ -= kernel.need.reg_units;
  free_shared_units_ -= kernel.need.smem_units;
  tb.shared.assign_zero(kernel.shared_bytes);

  TbMemory& space = tb_memory_[context];
  space.kernel = &kernel;
  space.shared = tb.shared.data();
  space.shared_bytes = kernel.shared_bytes;
  space.local_base = kernel.local_base + (std::uint64_t{index()} * machine_.sm.tb_contexts + context) *
                                             kernel.need.warps * kernel.local_stride;
  space.acquire = message.acquire;

  tb.warps = 0;
  WarpMask full = 0;
  std::vector<std::uint8_t> halves(tb.warp_count);
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned slot = lowest(~(warps_.used() | tb.warps));
    CASTOR_ASSERT_AT(clock_.now(), slot < warps_.size(), "SM %u has no free warp slot", index());
    tb.slots[i] = static_cast<std::uint8_t>(slot);
    tb.warps |= warp_bit(slot);
    start_warp(tb, context, i, slot);
    const LaneMask lanes = warps_[slot].stack.live();
    halves[i] = lanes >> 32 != 0 ? 2 : 1;
    if (lanes == warps_.all_lanes()) full |= warp_bit(slot);
  }
  tb.barriers.start(halves);
  for (BarrierTimes& times : tb.barrier_times) times.seen = 0;
  warps_.admit(tb.warps, message.level != 0);
  if (groups_) groups_->place(tb.warps);
  tb.live = tb.warps;
  resident_ |= TbMask{1} << context;
  ++counters_.tb_started;
  tb.started = clock_.tick();

  const bool divides = message.divide && (kernel.grid.y > 1 || kernel.grid.z > 1);
  const Tick setup = machine_.sm.tb_start_cycles + (divides ? machine_.sm.tb_divide_cycles - 1 : 0);
  fetch_.hold_back(tb.warps, clock_.tick(), setup);
  if (first) quiet_tick_ = clock_.tick() + 1;
  if (hooked_) {
    TbStartEvent event;
    event.tb = static_cast<std::uint8_t>(context);
    event.warps = tb.warps;
    event.full = full;
    event.gid = static_cast<std::uint32_t>(tb.gid);
    event.entry = kernel.entry;
    if (filter_ != nullptr) filter_start(tb, context, event);
    hook_state_->started(event, first);
  }
  if (observer_ != nullptr) observer_->tb_started({clock_.now(), index(), context, &kernel, tb.gid, tb.group});
  const bool stopped = std::any_of(killed_.begin(), killed_.end(), [&](const Kill& kill) {
    return kill.kernel == &kernel && kill.ticket == kernel.ticket;
  });
  if (stopped) stop_tb(context);
}

void Sm::start_warp(TbContext& tb, unsigned context, unsigned index_in_tb, unsigned slot) {
  warps_.start(slot, {tb.kernel, tb.program, tb.index, context, index_in_tb});
  fetch_.start(slot);
  buffer_.start(slot);
  scoreboard_.start(slot);
  hook_state_->tb_of[slot] = static_cast<std::uint8_t>(context);
  hook_state_->age_of[slot] = static_cast<std::uint32_t>(clock_.now());
}

// --- S8 --------------------------------------------------------------------------------------------------------------

void Sm::bookkeeping() {
  if (exit_count_ != 0 || arrival_count_ != 0) meet_barriers();
  if (blocked_.fences_over(scoreboard_.memory_busy()) != 0) end_fences();
  if (blocked_.calls_due(scoreboard_.memory_busy()) != 0) ask_services();
  if (finished_ != 0) retire_one();
}

void Sm::meet_barriers() {
  busy_ = true;
  watch_.disturb();
  // Exits leave the live set before arrivals count.
  for (unsigned i = 0; i < exit_count_; ++i) {
    const WarpExit& exit = exits_[i];
    TbContext& tb = contexts_[exit.tb];
    tb.live &= ~warp_bit(exit.warp);
    if (tb.live == 0) finished_ |= TbMask{1} << exit.tb;
    released_.clear();
    tb.barriers.exit(warps_[exit.warp].warp_in_tb, released_);
    if (!released_.empty()) completed(exit.tb, exit.scheduler);
  }
  for (unsigned i = 0; i < arrival_count_; ++i) {
    const Arrival& arrival = arrivals_[i];
    const unsigned context = warps_[arrival.warp].tb;
    TbContext& tb = contexts_[context];
    const unsigned id = arrival.arrival.barrier;
    if (id < tb.barrier_times.size()) {
      BarrierTimes& times = tb.barrier_times[id];
      if (times.seen == 0) times.first = clock_.tick();
      if ((times.seen >> arrival.scheduler & 1) == 0) times.local[arrival.scheduler] = clock_.tick();
      times.seen |= static_cast<std::uint8_t>(1U << arrival.scheduler);
    }
    released_.clear();
    const auto error = tb.barriers.arrive(arrival.arrival, released_);
    if (error != isa::BarrierUnit::Error::kNone) {
      fault(arrival.warp, arrival.pc, barrier_fault(error, arrival.arrival, warps_[arrival.warp].stack.live()));
    } else if (!released_.empty()) {
      completed(context, arrival.scheduler);
    }
  }
}

void Sm::completed(unsigned context, unsigned scheduler) {
  TbContext& tb = contexts_[context];
  for (const isa::BarrierUnit::Release& release : released_) {
    WarpMask waiters = 0;
    for (std::uint64_t left = release.warps; left != 0; left &= left - 1) {
      const unsigned w = tb.slots[lowest(left)];
      waiters |= warp_bit(w);
      write_reduction(warps_[w].barrier, release.reduction, warps_.view(w));
    }
    if (waiters != 0) {
      blocked_.release(waiters, clock_.tick(),
                       clock_.tick() + machine_.barrier.register_ticks + machine_.barrier.release);
      unblocked_now_ |= waiters;
    }
    if (filter_ != nullptr) filter_barrier(context, release.barrier);
    BarrierTimes& times = tb.barrier_times[release.barrier];
    const Tick local = (times.seen >> scheduler & 1) != 0 ? times.local[scheduler] : clock_.tick();
    ++counters_.barrier_instances;
    counters_.barrier_wait += clock_.tick() - times.first;
    statistics_.barrier_waits().record(clock_.tick() - times.first);
    counters_.barrier_wait_p1 += local - times.first;
    counters_.barrier_wait_p2 += clock_.tick() - local;
    times.seen = 0;
    ++tb.barriers_done;
  }
  std::uint64_t least = tb.barriers_done, most = tb.barriers_done;
  for (TbMask left = resident_; left != 0; left &= left - 1) {
    const TbContext& other = contexts_[lowest(left)];
    if (other.kernel != tb.kernel) continue;
    least = std::min(least, other.barriers_done);
    most = std::max(most, other.barriers_done);
  }
  counters_.barriers_per_tb_spread = std::max(counters_.barriers_per_tb_spread, most - least);
  counters_.barriers_ahead_sum += (most - least) * released_.size();
}

void Sm::end_fences() {
  const WarpMask done = blocked_.fences_over(scoreboard_.memory_busy());
  for (WarpMask left = done; left != 0; left &= left - 1) {
    // What the TB loads from now on must not be older than the fence.
    Cycle& acquire = tb_memory_[warps_[lowest(left)].tb].acquire;
    CASTOR_ASSERT_AT(clock_.now(), acquire <= clock_.now(), "an acquire cycle of SM %u lies ahead", index());
    acquire = clock_.now();
  }
  blocked_.end_fences(done);
  busy_ = true;
}

void Sm::ask_services() {
  const WarpMask ready = blocked_.calls_due(scoreboard_.memory_busy());
  blocked_.make_calls(ready);
  for (WarpMask left = ready; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    ask({clock_.now() + 1, w, contexts_[warps_[w].tb].kernel});
  }
  busy_ = true;
}

std::optional<Fault> Sm::serve(unsigned w, DeviceServices& services, Cycle resume) {
  CASTOR_ASSERT_AT(resume, (blocked_.in_call() & warp_bit(w)) != 0, "warp %u of SM %u does not wait for a call", w,
                   index());
  const WarpState& warp = warps_[w];
  const TbContext& tb = contexts_[warp.tb];
  std::optional<Fault> result;
  if (!tb.killed) {
    const ReadBytes read = [&](std::uint64_t generic, void* to, std::size_t size, unsigned lane) {
      return memory_side_.read(generic, to, size, lane, warp.warp_in_tb, warp.tb);
    };
    const auto wrong = system_call(warp.records[warp.call_pc], warps_.view(w), warp.call_mask, warp.identity, tb.index,
                                   read, services);
    if (wrong) result = make_fault(*tb.kernel, tb.index, warp.identity, warp.call_pc, *wrong);
  }
  resumes_.push_back({resume, static_cast<std::uint8_t>(w), result.has_value()});
  wake_at(resume);
  return result;
}

// --- End of TBs ------------------------------------------------------------------------------------------------------

bool Sm::drained(const TbContext& tb) const {
  const WarpMask under_way = scoreboard_.memory_busy() | scoreboard_.in_flight() |
                             (blocked_.in_call() & ~blocked_.before_call()) | blocked_.releasing() | fetch_.held_back();
  return (tb.warps & under_way) == 0;
}

void Sm::retire_one() {
  retire_waits_ = false;
  if (tb_operation_at_ == clock_.tick() || quiet_tick_ == clock_.tick()) {
    busy_ = true;
    return;
  }
  for (TbMask left = finished_; left != 0; left &= left - 1) {
    const unsigned context = lowest(left);
    TbContext& tb = contexts_[context];
    if (!drained(tb)) continue;
    if (!done_credits_.covers(1, clock_.now())) {
      retire_waits_ = true;
      return;
    }
    done_credits_.spend(1);
    watch_.disturb();
    CASTOR_ASSERT_AT(clock_.now(), (tb.warps & scoreboard_.memory_busy()) == 0,
                     "a TB retires from SM %u with accesses under way", index());
    const KernelContext& kernel = *tb.kernel;
    TbRetireMessage message;
    message.visible = clock_.now() + 1;
    message.kernel = &kernel;
    message.gid = tb.gid;
    message.group = tb.group;
    message.slot = static_cast<std::uint8_t>(context);
    message.warp_instructions = tb.warp_instructions;
    message.thread_instructions = tb.thread_instructions;
    retire(message);
    // A new TB in the slots does not inherit greediness.
    for (auto& greedy : greedy_) {
      for (std::uint8_t& w : greedy) {
        if (w < kMaxWarps && (tb.warps & warp_bit(w)) != 0) w = 0xff;
      }
    }
    if (groups_) groups_->release(tb.warps);
    memory_side_.tb_retired(context);
    warps_.release(tb.warps);
    resident_ &= ~(TbMask{1} << context);
    finished_ &= ~(TbMask{1} << context);
    free_register_units_ += kernel.need.reg_units;
    free_shared_units_ += kernel.need.smem_units;
    ++counters_.tb_retired;
    counters_.tb_resident += clock_.tick() - tb.started;
    hook_state_->tb_free = static_cast<std::uint8_t>(context);
    if (filter_ != nullptr) filter_retire(context);
    if (observer_ != nullptr) observer_->tb_retired({clock_.now(), index(), context, &kernel, tb.gid, tb.group});
    tb.kernel = nullptr;
    tb_memory_[context].kernel = nullptr;
    tb_operation_at_ = clock_.tick();
    busy_ = true;
    return;
  }
}

void Sm::kill(const KernelContext& kernel, Cycle visible) {
  kills_.push_back({visible, &kernel, kernel.ticket});
  wake_at(visible);
}

void Sm::stop_kernel(const KernelContext& kernel) {
  for (TbMask left = resident_; left != 0; left &= left - 1) {
    const unsigned context = lowest(left);
    if (contexts_[context].kernel == &kernel) stop_tb(context);
  }
}

void Sm::stop_tb(unsigned context) {
  TbContext& tb = contexts_[context];
  if (tb.killed) return;
  tb.killed = true;
  if (filter_ != nullptr) filter_stop(tb);
  const WarpMask warps = tb.warps;
  warps_.stop(warps);
  buffer_.stop(warps);
  fetch_.stop(warps);
  blocked_.stop(warps);
  for (WarpMask left = warps; left != 0; left &= left - 1) scoreboard_.stop(lowest(left));
  tb.live = 0;
  finished_ |= TbMask{1} << context;
}

}  // namespace castor::gpu
