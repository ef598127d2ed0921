#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/age_order.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/warp_groups.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// [scheduler][j] = warp slot of the scheduler's pick j, -1 = none.
using Picks = std::array<std::array<std::int8_t, kMaxPicks>, Pipelines::kMaxSchedulers>;

/// The warp schedulers of an SM; warp w belongs to scheduler w mod `count`.
struct Schedulers {
  explicit Schedulers(const Machine& machine) : count(machine.schedulers), picks(machine.issue.warps) {
    for (unsigned w = 0; w < machine.sm.warps; ++w) warps[w % count] |= warp_bit(w);
  }
  /// Returns whether each scheduler picks one warp of each issue class, instead of its best warps.
  [[nodiscard]] bool by_class() const { return picks == kMaxPicks; }

  unsigned count;
  unsigned picks;                                           ///< picks per scheduler and tick
  std::array<WarpMask, Pipelines::kMaxSchedulers> warps{};  ///< [scheduler] warp slots of the scheduler
};

/// Inputs of a built-in issue policy.
struct Candidates {
  WarpMask ready = 0;    ///< warps that could issue now and whose schedulers act in this tick
  WarpMask live = 0;     ///< warps with lanes that have not exited
  WarpMask waiting = 0;  ///< warps that wait for a load or are blocked
  /// [class] warps whose head belongs to that issue class; null unless schedulers pick by class
  const WarpMask* issue_class = nullptr;
};

/// Base of the built-in issue policies, which select the ready warps of each scheduler that issue (docs/gpu/sm.md,
/// "Issue policies").
///
/// Steps: `placed` in S0, start; `pick` in S5, issue, if any warp is ready, then `issued` for each pick that issued;
/// `left` in S8, bookkeeping. Only issued picks change the state.
class PickPolicy {
 public:
  virtual ~PickPolicy() = default;
  /// Writes the picks of this tick; each pick assumes that the earlier ones issue. Entries of `picks` without a pick
  /// are left unchanged.
  virtual void pick(const Candidates& candidates, Picks& picks) const = 0;
  virtual void issued(unsigned scheduler, unsigned which, unsigned warp) = 0;
  /// The warps of a thread block were placed in these slots; or have left these slots.
  virtual void placed(WarpMask /*warps*/) {}
  virtual void left(WarpMask /*warps*/) {}
};

/// Policy "oldest": the oldest ready warp; among warps of one thread block the lowest slot.
class OldestFirst final : public PickPolicy {
 public:
  OldestFirst(const Machine& machine, const AgeOrder& ages) : schedulers_(machine), ages_(ages) {}
  void pick(const Candidates& candidates, Picks& picks) const override;
  void issued(unsigned /*scheduler*/, unsigned /*which*/, unsigned /*warp*/) override {}

 private:
  const Schedulers schedulers_;
  const AgeOrder& ages_;
};

/// Policy "gto": the warp that issued last, else the oldest. The greedy warp is forgotten when its thread block leaves.
class GreedyThenOldest final : public PickPolicy {
 public:
  GreedyThenOldest(const Machine& machine, const AgeOrder& ages) : schedulers_(machine), ages_(ages) {
    for (auto& greedy : greedy_) greedy.fill(kNone);
  }
  void pick(const Candidates& candidates, Picks& picks) const override;
  void issued(unsigned scheduler, unsigned which, unsigned warp) override {
    greedy_[scheduler][which] = static_cast<std::uint8_t>(warp);
  }
  void left(WarpMask warps) override;

 private:
  static constexpr std::uint8_t kNone = 0xff;
  const Schedulers schedulers_;
  const AgeOrder& ages_;
  // [scheduler][j] warp that pick j issued last
  std::array<std::array<std::uint8_t, kMaxPicks>, Pipelines::kMaxSchedulers> greedy_;
};

/// Policy "lrr", loose round robin: the next ready warp after the one that issued last.
class LooseRoundRobin final : public PickPolicy {
 public:
  explicit LooseRoundRobin(const Machine& machine) : schedulers_(machine) {
    last_.fill(static_cast<std::uint8_t>(kMaxWarps - 1));
  }
  void pick(const Candidates& candidates, Picks& picks) const override;
  void issued(unsigned scheduler, unsigned /*which*/, unsigned warp) override {
    last_[scheduler] = static_cast<std::uint8_t>(warp);
  }

 private:
  const Schedulers schedulers_;
  std::array<std::uint8_t, Pipelines::kMaxSchedulers> last_;
};

/// Policies "tl" and "catls": round robin inside an active group of warps (WarpGroups).
class TwoLevel final : public PickPolicy {
 public:
  explicit TwoLevel(const Machine& machine) : schedulers_(machine), groups_(machine) {}
  void pick(const Candidates& candidates, Picks& picks) const override;
  void issued(unsigned scheduler, unsigned /*which*/, unsigned warp) override { groups_.issued(scheduler, warp); }
  void placed(WarpMask warps) override { groups_.place(warps); }
  void left(WarpMask warps) override { groups_.release(warps); }

 private:
  const Schedulers schedulers_;
  WarpGroups groups_;
};

/// Makes the policy named by machine key issue.policy. `ages` must outlive the policy.
[[nodiscard]] std::unique_ptr<PickPolicy> make_pick_policy(const Machine& machine, const AgeOrder& ages);

}  // namespace castor::gpu
