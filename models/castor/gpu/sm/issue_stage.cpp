#include "castor/gpu/sm/issue_stage.h"

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

// [unit pool] issue class, on machines with issue.warps 5.
constexpr std::array<std::uint8_t, kUnitPools> kIssueClass = {1, 2, 0, 0, 0, 0, 3, 4};

}  // namespace

IssueStage::IssueStage(const Machine& machine, const WarpTable& warps, const InstructionBuffer& buffer,
                       const Scoreboard& scoreboard, const BlockedWarps& blocked, const Pipelines& pipelines,
                       const SmMemory& memory, bool built_in)
    : schedulers_(machine),
      per_warp_(machine.issue.per_warp),
      period_(machine.issue.period),
      different_units_(machine.issue.dual_issue_diff_units),
      own_shared_queue_(machine.units.mem_shared != 0),
      warps_(warps),
      buffer_(buffer),
      scoreboard_(scoreboard),
      blocked_(blocked),
      pipelines_(pipelines),
      memory_(memory),
      policy_(built_in ? make_pick_policy(machine, warps.ages()) : nullptr) {
  CASTOR_ASSERT(schedulers_.count <= Pipelines::kMaxSchedulers, "an SM of %u schedulers", schedulers_.count);
  for (const WarpMask warps_of_one : schedulers_.warps) all_ |= warps_of_one;
  for (auto& picks : picks_) picks.fill(-1);
}

void IssueStage::judge(Tick tick, std::uint8_t barrier_ok, WarpMask reissued, bool look_again) {
  issued_ = refused_ = events_used_ = lanes_issued_ = first_count_ = 0;
  refused_warps_ = 0;
  unit_wake_ = base::kForever;
  barrier_ok_ = barrier_ok;
  ready_ = permitted(clear_ != 0 ? acceptable(clear_, tick) : 0);
  standstill_.holds = ready_ == 0 && !look_again;
  if (standstill_.holds) {
    standstill_.collector_free = pipelines_.collector_free();
    standstill_.full_queues = memory_.full_queues();
    standstill_.open = open_;
    standstill_.clear = clear_;
    standstill_.waits_load = open_ & scoreboard_.waits_load();
  }
  acting_ = all_;
  if (period_ == 1 && reissued == 0) return;
  acting_ = 0;
  for (auto s = static_cast<unsigned>(tick % period_); s < schedulers_.count; s += period_) {
    if ((schedulers_.warps[s] & reissued) == 0) acting_ |= schedulers_.warps[s];
  }
}

// Returns the candidates whose unit, collector and LSU queue are free, and lowers unit_wake_ to the tick in which a
// busy unit is free.
WarpMask IssueStage::acceptable(WarpMask candidates, Tick tick) {
  WarpMask result = candidates & (buffer_.of(UnitPool::kControl) | buffer_.of(UnitPool::kSync));
  candidates &= ~result;
  // Without a free collector no instruction for a unit can issue. The release of a collector is an event, which wakes
  // the stage.
  if (candidates == 0 || !pipelines_.collector_free()) return result;
  for (std::size_t p = 0; p < kRealPools; ++p) {
    const auto pool = static_cast<UnitPool>(p);
    WarpMask mask = candidates & buffer_.of(pool);
    if (mask == 0) continue;
    const unsigned groups = pipelines_.divided(pool) ? schedulers_.count : 1;
    for (unsigned s = 0; s < groups; ++s) {
      const WarpMask mine = groups == 1 ? mask : mask & schedulers_.warps[s];
      if (mine == 0 || pipelines_.accepts(pool, s, tick)) continue;
      unit_wake_ = std::min(unit_wake_, pipelines_.accepts_from(pool, s));
      mask &= ~mine;
    }
    if (mask == 0) continue;
    if (pool <= UnitPool::kShared) mask = queue_room(mask);
    result |= mask;
  }
  return result;
}

WarpMask IssueStage::queue_room(WarpMask mask) const {
  // With one queue, either all memory instructions are accepted or none. If shared memory has a queue of its own, the
  // address space of the record determines the queue.
  if (!own_shared_queue_) return (memory_.full_queues() & 1) == 0 ? mask : 0;
  for (WarpMask left = mask; left != 0; left &= left - 1) {
    const WarpState& warp = warps_[lowest(left)];
    if (!memory_.can_accept(warp.records[warp.pc])) mask &= ~warp_bit(lowest(left));
  }
  return mask;
}

std::array<WarpMask, kMaxPicks> IssueStage::issue_classes() const {
  std::array<WarpMask, kMaxPicks> classes{};
  for (std::size_t p = 0; p < kUnitPools; ++p) classes[kIssueClass[p]] |= buffer_.of(static_cast<UnitPool>(p));
  return classes;
}

void IssueStage::pick() {
  if (ready_ == 0) return;
  Candidates candidates;
  candidates.ready = offered();
  candidates.live = warps_.live();
  candidates.waiting = scoreboard_.waits_load() | blocked_.any();
  std::array<WarpMask, kMaxPicks> classes;
  if (schedulers_.by_class()) {
    classes = issue_classes();
    candidates.issue_class = classes.data();
  }
  policy_->pick(candidates, picks_);
}

void IssueStage::classify() {
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    lacks_[s] = 0;
    if ((issued_ >> s & 1) != 0) {
      stalls_[s] = StallClass::kIssued;
      continue;
    }
    // The state of a scheduler's warps is unchanged if the scheduler has not issued.
    const WarpMask mine = open_ & schedulers_.warps[s];
    const WarpMask clear = mine & scoreboard_.clear();
    if (mine == 0) {
      stalls_[s] = StallClass::kIdle;
    } else if (clear == 0) {
      stalls_[s] = (mine & scoreboard_.waits_load()) != 0 ? StallClass::kRawMemory : StallClass::kRaw;
    } else {
      const unsigned w = warps_.ages().oldest(clear);
      stalls_[s] = buffer_.pool(w) <= UnitPool::kShared ? StallClass::kMemoryPipe : StallClass::kComputePipe;
      const bool refused = (refused_ >> s & 1) != 0;
      // A ready warp whose scheduler does not act in this tick has no missing resource.
      if ((ready_ & warp_bit(w)) == 0 || refused) lacks_[s] = pipelines_.collector_free() || refused ? 2 : 1;
    }
  }
}

}  // namespace castor::gpu
