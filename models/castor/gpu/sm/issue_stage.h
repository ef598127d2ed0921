#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Issue stage of an SM, step S5: ready warps, picks, commits, and the stall reason of each scheduler (docs/gpu/sm.md,
/// "Issue, operands, pipelines", "Commit order").
///
/// Calls in a tick: `look`; if it returns true `judge`, `pick` (or an issue policy writes `picks`), `commit`,
/// `classify`, in this order. The results stay valid until the next `judge`.
class IssueStage {
 public:
  /// `built_in`: the machine's own issue policy picks.
  IssueStage(const Machine& machine, const WarpTable& warps, const InstructionBuffer& buffer,
             const Scoreboard& scoreboard, const BlockedWarps& blocked, const Pipelines& pipelines,
             const SmMemory& memory, bool built_in);

  /// Computes the unblocked and the clear warps. `barrier_ok`: bit per scheduler that may issue barriers and exits.
  /// Returns false if no warp was ready in the last tick and nothing has changed since, so that the results of the last
  /// tick still hold.
  [[nodiscard]] bool look(Tick tick, std::uint8_t barrier_ok) {
    open_ = buffer_.valid() & ~blocked_.any() & ~(buffer_.drains() & scoreboard_.memory_busy());
    clear_ = open_ & scoreboard_.clear();
    return !stands_still(tick) || barrier_ok != barrier_ok_;
  }
  /// Computes the ready warps and the acting schedulers. Schedulers of warps in `reissued` do not act: an instruction
  /// that returns from the shared-memory unit takes their issue slot. `look_again`: the next tick is evaluated even if
  /// nothing changes.
  void judge(Tick tick, std::uint8_t barrier_ok, WarpMask reissued, bool look_again);
  /// Warps that could issue now (`ready`); and the ready warps whose schedulers act in this tick.
  [[nodiscard]] WarpMask ready() const { return ready_; }
  [[nodiscard]] WarpMask offered() const { return ready_ & acting_; }
  /// Lets the built-in policy pick, if any warp is ready.
  void pick();
  [[nodiscard]] Picks& picks() { return picks_; }
  /// Refuses pick `j` of a scheduler before `commit`: the warp does not issue, and the scheduler loses the slot.
  void refuse(unsigned scheduler, unsigned j) {
    refused_ |= 1U << scheduler;
    refused_warps_ |= warp_bit(static_cast<std::uint8_t>(picks_[scheduler][j]));
    picks_[scheduler][j] = -1;
  }
  /// Commits the picks in commit order, then the second instructions of pairs. `execute(scheduler, warp)` issues the
  /// head of a warp and returns the number of lanes.
  template <class Execute>
  void commit(Tick tick, Execute&& execute);
  /// Determines the stall reason of each scheduler that did not issue.
  void classify();

  /// Inform the built-in policy that the warps of a TB were placed, or have left.
  void placed(WarpMask warps) {
    if (policy_ != nullptr) policy_->placed(warps);
  }
  void left(WarpMask warps) {
    if (policy_ != nullptr) policy_->left(warps);
  }

  /// Returns the warps by issue class of their head, for machines with issue.warps 5.
  [[nodiscard]] std::array<WarpMask, kMaxPicks> issue_classes() const;
  [[nodiscard]] const Schedulers& schedulers() const { return schedulers_; }

  // Results of the issue step.
  /// Returns a bit per scheduler that issued.
  [[nodiscard]] unsigned issued() const { return issued_; }
  /// Returns the number of lanes of all issued instructions.
  [[nodiscard]] unsigned lanes_issued() const { return lanes_issued_; }
  /// Returns whether an instruction issued, or a pick was refused.
  [[nodiscard]] bool acted() const { return (issued_ | refused_) != 0; }
  /// Returns the warps whose picks were refused.
  [[nodiscard]] WarpMask refused_warps() const { return refused_warps_; }
  /// Returns whether any warp was ready.
  [[nodiscard]] bool ready_left() const { return ready_ != 0; }
  /// Returns the first tick in which a unit needed by a clear warp is free, or kForever.
  [[nodiscard]] Tick unit_wake() const { return unit_wake_; }
  [[nodiscard]] const SchedulerStalls& stalls() const { return stalls_; }
  [[nodiscard]] const SchedulerLacks& lacks() const { return lacks_; }

 private:
  // State of the last evaluated tick in which no warp was ready. `holds`: that tick's results are valid while the
  // state stays the same.
  struct Standstill {
    bool holds = false;
    bool collector_free = false;
    unsigned full_queues = 0;
    WarpMask open = 0, clear = 0, waits_load = 0;
  };
  // First instruction of a possible pair.
  struct First {
    std::uint8_t scheduler, warp;
    UnitPool pool;
  };
  static constexpr auto kControl = static_cast<unsigned>(UnitPool::kControl);

  [[nodiscard]] bool stands_still(Tick tick) const {
    const Standstill& last = standstill_;
    if (!last.holds || open_ != last.open || clear_ != last.clear ||
        (open_ & scoreboard_.waits_load()) != last.waits_load) {
      return false;
    }
    return clear_ == 0 || (tick < unit_wake_ && pipelines_.collector_free() == last.collector_free &&
                           memory_.full_queues() == last.full_queues);
  }
  [[nodiscard]] WarpMask acceptable(WarpMask candidates, Tick tick);
  [[nodiscard]] WarpMask queue_room(WarpMask mask) const;
  // Returns `warps` without those that `barrier_ok` keeps from issuing a barrier or exit.
  [[nodiscard]] WarpMask permitted(WarpMask warps) const;
  [[nodiscard]] bool can_commit(unsigned scheduler, unsigned w, Tick tick) const;
  // Returns the commit pool of a warp's head; kControl and kSync commit as one pool.
  [[nodiscard]] unsigned pool_of(unsigned w) const {
    return std::min(static_cast<unsigned>(buffer_.pool(w)), kControl);
  }
  template <class Execute>
  void issue(unsigned scheduler, unsigned w, Execute& execute);
  template <class Execute>
  void commit_seconds(Tick tick, Execute& execute);

  // The members used in ticks without a ready warp come first, to share cache lines.

  // warps with an unblocked head in this tick; and those of them without pending registers
  WarpMask open_ = 0, clear_ = 0;
  Standstill standstill_;
  Tick unit_wake_ = base::kForever;
  std::uint8_t barrier_ok_ = 0xff;  // `barrier_ok` of the last `judge`
  SchedulerStalls stalls_{};
  SchedulerLacks lacks_{};
  // warps that could issue in this tick; and warps of the schedulers that act in this tick
  WarpMask ready_ = 0, acting_ = 0;
  unsigned issued_ = 0;
  // bit per scheduler: an earlier commit took the unit, collector or queue entry of its pick, or `refuse` was called
  unsigned refused_ = 0;
  unsigned events_used_ = 0;   // bit per scheduler: it has issued a barrier or exit in this tick
  unsigned lanes_issued_ = 0;  // lanes of all instructions issued in this tick
  unsigned first_count_ = 0;
  WarpMask refused_warps_ = 0;  // warps whose pick was refused in this tick

  const Schedulers schedulers_;
  WarpMask all_ = 0;  // warps of all schedulers
  const unsigned per_warp_, period_;
  const bool different_units_, own_shared_queue_;
  const WarpTable& warps_;
  const InstructionBuffer& buffer_;
  const Scoreboard& scoreboard_;
  const BlockedWarps& blocked_;
  const Pipelines& pipelines_;
  const SmMemory& memory_;
  std::unique_ptr<PickPolicy> policy_;  // built-in issue policy; null with an issue policy hook
  Picks picks_;
  // [pool] scheduler whose pick was refused first in the last tick with a refusal; commits of the pool begin with it
  std::array<std::uint8_t, kUnitPools> first_refused_{};
  static_assert(Pipelines::kMaxSchedulers <= 8 && kMaxWarps <= 256, "they fit into the words that commit sorts");
  std::array<First, Pipelines::kMaxSchedulers * kMaxPicks> firsts_{};
};

template <class Execute>
void IssueStage::commit(Tick tick, Execute&& execute) {
  // Insertion sort of the picks by pool, then by scheduler in cyclic order from the scheduler of `first_refused_`.
  std::array<std::uint32_t, Pipelines::kMaxSchedulers * kMaxPicks> order;
  unsigned count = 0;
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) {
      if (picks_[s][j] < 0) continue;
      const unsigned w = static_cast<std::uint8_t>(picks_[s][j]);
      picks_[s][j] = -1;
      const unsigned pool = pool_of(w);
      const unsigned turn = s < first_refused_[pool] ? 1 : 0;
      const std::uint32_t pick = pool << 20 | turn << 19 | s << 16 | j << 8 | w;
      unsigned at = count++;
      for (; at != 0 && order[at - 1] > pick; --at) order[at] = order[at - 1];
      order[at] = pick;
    }
  }
  unsigned refused_pools = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned pool = order[i] >> 20, s = order[i] >> 16 & 7, j = order[i] >> 8 & 0xff, w = order[i] & 0xff;
    if (can_commit(s, w, tick)) {
      const UnitPool first = buffer_.pool(w);
      issue(s, w, execute);
      if (policy_ != nullptr) policy_->issued(s, j, w);
      if (per_warp_ == 2 && first < UnitPool::kControl) {
        firsts_[first_count_++] = {static_cast<std::uint8_t>(s), static_cast<std::uint8_t>(w), first};
      }
      continue;
    }
    refused_ |= 1U << s;
    refused_warps_ |= warp_bit(w);
    if ((refused_pools >> pool & 1) == 0) first_refused_[pool] = static_cast<std::uint8_t>(s);
    refused_pools |= 1U << pool;
  }
  if (first_count_ != 0) commit_seconds(tick, execute);
}

template <class Execute>
void IssueStage::commit_seconds(Tick tick, Execute& execute) {
  for (unsigned i = 0; i < first_count_; ++i) {
    const First& first = firsts_[i];
    const unsigned w = first.warp;
    if ((buffer_.valid() & scoreboard_.clear() & ~blocked_.any() & warp_bit(w)) == 0) continue;
    if ((buffer_.drains() & scoreboard_.memory_busy() & warp_bit(w)) != 0) continue;
    if (different_units_ && buffer_.pool(w) == first.pool) continue;
    if (permitted(warp_bit(w)) == 0) continue;
    if (!can_commit(first.scheduler, w, tick)) continue;
    if ((buffer_.meets() & warp_bit(w)) != 0 && (buffer_.head(w)->flags & kSynchronises) != 0) continue;
    issue(first.scheduler, w, execute);
  }
}

template <class Execute>
[[gnu::always_inline]] inline void IssueStage::issue(unsigned scheduler, unsigned w, Execute& execute) {
  issued_ |= 1U << scheduler;
  if ((buffer_.meets() & warp_bit(w)) != 0) events_used_ |= 1U << scheduler;
  lanes_issued_ += execute(scheduler, w);
}

inline bool IssueStage::can_commit(unsigned scheduler, unsigned w, Tick tick) const {
  const UnitPool pool = buffer_.pool(w);
  if (pool < UnitPool::kControl) {
    if (!pipelines_.accepts(pool, scheduler, tick)) return false;
    return pool > UnitPool::kShared || memory_.can_accept(warps_[w].records[warps_[w].pc]);
  }
  // A scheduler issues at most one barrier, device-wide synchronisation or exit per tick.
  return (buffer_.meets() & warp_bit(w)) == 0 || (events_used_ >> scheduler & 1) == 0;
}

inline WarpMask IssueStage::permitted(WarpMask warps) const {
  if (barrier_ok_ == 0xff) return warps;
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    if ((barrier_ok_ >> s & 1) == 0) warps &= ~(buffer_.meets() & schedulers_.warps[s]);
  }
  return warps;
}

}  // namespace castor::gpu
