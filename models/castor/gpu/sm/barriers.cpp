#include "castor/gpu/sm/barriers.h"

#include <algorithm>

#include "castor/gpu/execution/barrier_arrival.h"

namespace castor::gpu {

Barriers::Barriers(const Machine& machine, const SmClock& clock, WarpTable& warps, ThreadBlocks& tbs,
                   BlockedWarps& blocked, FaultPort& faults, BarrierCounters& counters, base::Histogram& waits)
    : warp_level_(machine.barrier.warp_level),
      arrive_ticks_(machine.barrier.arrive),
      release_ticks_(Tick{machine.barrier.register_ticks} + machine.barrier.release),
      clock_(clock),
      warps_(warps),
      tbs_(tbs),
      blocked_(blocked),
      faults_(faults),
      counters_(counters),
      waits_(waits) {}

void Barriers::arrive(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask) {
  const WarpState& warp = warps_[w];
  const LaneMask live = warp.stack.live();
  Arrival& entry = arrivals_[arrival_count_];
  entry.scheduler = static_cast<std::uint8_t>(scheduler);
  entry.warp = static_cast<std::uint8_t>(w);
  entry.pc = warp.pc;
  entry.arrival = barrier_arrival(record, warps_.view(w), mask, warp.warp_in_tb);
  if (mask != live) {
    if (!warp_level_) {
      faults_.report(w, warp.pc, barrier_fault(isa::BarrierUnit::Error::kDivergent, entry.arrival, live));
      return;
    }
    entry.arrival.lanes = live;  // with barrier.warp_level one arriving lane counts for the whole warp
  }
  ++arrival_count_;
  if (record.barrier.kind == isa::BarrierKind::kArrive) return;
  blocked_.wait_at_barrier(w);
  BarrierWait wait = barrier_wait(record, entry.arrival);
  wait.lanes = mask;
  warps_.wait_at(w, wait);
  blocking_[blocking_count_++] = {entry.scheduler, entry.warp, warp.tb,
                                  static_cast<std::uint8_t>(entry.arrival.barrier)};
}

void Barriers::meet() {
  completed_.clear();
  // Exits are processed first, so that exited warps are not expected at barriers any more.
  for (unsigned i = 0; i < exit_count_; ++i) {
    const WarpExit& exit = exits_[i];
    tbs_.exited(exit.tb, exit.warp);
    released_.clear();
    tbs_.barriers(exit.tb).unit.exit(warps_[exit.warp].warp_in_tb, released_);
    if (!released_.empty()) complete(exit.tb, exit.scheduler);
  }
  for (unsigned i = 0; i < arrival_count_; ++i) {
    const Arrival& arrival = arrivals_[i];
    busy_until_ = std::max(busy_until_, clock_.tick()) + arrive_ticks_;
    const unsigned context = warps_[arrival.warp].tb;
    TbBarriers& barriers = tbs_.barriers(context);
    const unsigned id = arrival.arrival.barrier;
    if (id < barriers.times.size()) {
      TbBarriers::Times& times = barriers.times[id];
      if (times.seen == 0) times.first = clock_.tick();
      if ((times.seen >> arrival.scheduler & 1) == 0) times.local[arrival.scheduler] = clock_.tick();
      times.seen |= static_cast<std::uint8_t>(1U << arrival.scheduler);
    }
    released_.clear();
    const auto error = barriers.unit.arrive(arrival.arrival, released_);
    if (error != isa::BarrierUnit::Error::kNone) {
      faults_.report(arrival.warp, arrival.pc,
                     barrier_fault(error, arrival.arrival, warps_[arrival.warp].stack.live()));
    } else if (!released_.empty()) {
      complete(context, arrival.scheduler);
    }
  }
  if (unblocked_ == 0) return;
  // A warp whose barrier completes in the tick of its arrival is not reported as waiting.
  const auto end =
      std::remove_if(blocking_.begin(), blocking_.begin() + blocking_count_,
                     [this](const BarrierArrival& arrival) { return (unblocked_ & warp_bit(arrival.warp)) != 0; });
  blocking_count_ = static_cast<unsigned>(end - blocking_.begin());
}

void Barriers::complete(unsigned context, unsigned scheduler) {
  const TbState& tb = tbs_[context];
  TbBarriers& barriers = tbs_.barriers(context);
  const Tick tick = clock_.tick();
  for (const isa::BarrierUnit::Release& release : released_) {
    WarpMask waiters = 0;
    for (std::uint64_t left = release.warps; left != 0; left &= left - 1) {
      const unsigned w = tb.slots[lowest(left)];
      waiters |= warp_bit(w);
      write_reduction(warps_[w].barrier, release.reduction, warps_.view(w));
    }
    if (waiters != 0) {
      blocked_.release(waiters, tick, std::max(tick, busy_until_) + release_ticks_);
      unblocked_ |= waiters;
    }
    completed_.push_back({context, release.barrier});
    TbBarriers::Times& times = barriers.times[release.barrier];
    const Tick local = (times.seen >> scheduler & 1) != 0 ? times.local[scheduler] : tick;
    ++counters_.barrier_instances;
    counters_.barrier_wait += tick - times.first;
    waits_.record(tick - times.first);
    counters_.barrier_wait_p1 += local - times.first;
    counters_.barrier_wait_p2 += tick - local;
    times.seen = 0;
    ++barriers.done;
  }
  count_lead(context);
}

// Adds to the statistic of how many barriers the resident thread blocks of one kernel are ahead of each other.
void Barriers::count_lead(unsigned context) {
  std::uint64_t least = tbs_[context].barriers.done, most = least;
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const TbState& other = tbs_[lowest(left)];
    if (other.kernel != tbs_[context].kernel) continue;
    least = std::min(least, other.barriers.done);
    most = std::max(most, other.barriers.done);
  }
  counters_.barriers_per_tb_spread = std::max(counters_.barriers_per_tb_spread, most - least);
  counters_.barriers_ahead_sum += (most - least) * released_.size();
}

}  // namespace castor::gpu
