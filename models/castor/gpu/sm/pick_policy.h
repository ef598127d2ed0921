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

/// [scheduler][which] = warp that is picked, -1 = none.
using Picks = std::array<std::array<std::int8_t, kMaxPicks>, Pipelines::kMaxSchedulers>;

/// The schedulers of an SM: warp w belongs to scheduler w mod `count`.
struct Schedulers {
  explicit Schedulers(const Machine& machine) : count(machine.schedulers), picks(machine.issue.warps) {
    for (unsigned w = 0; w < machine.sm.warps; ++w) warps[w % count] |= warp_bit(w);
  }
  /// Each picks one warp of each issue class, instead of the best ones of all.
  [[nodiscard]] bool by_class() const { return picks == kMaxPicks; }

  unsigned count;
  unsigned picks;  ///< of a scheduler in a tick
  std::array<WarpMask, Pipelines::kMaxSchedulers> warps{};
};

/// What a built-in issue policy chooses from.
struct Candidates {
  WarpMask ready = 0;                     ///< could issue now, and their schedulers act in this tick
  WarpMask live = 0;                      ///< have lanes that have not exited
  WarpMask waiting = 0;                   ///< wait for a load, or are blocked
  const WarpMask* issue_class = nullptr;  ///< [class]: warps whose head is of it; only where picks go by class
};

/// A built-in issue policy: which of the ready warps of each scheduler issues (docs/gpu/sm.md, "Issue policies").
///
/// S5 `pick`, if any warp is ready, then `issued` for each pick that did; `placed` in S0, `left` in S8. State moves on
/// with what really issues.
class PickPolicy {
 public:
  virtual ~PickPolicy() = default;
  /// Writes the picks of this tick, each as if the ones before it had issued; those that are not made stay as they are.
  virtual void pick(const Candidates& candidates, Picks& picks) const = 0;
  virtual void issued(unsigned scheduler, unsigned which, unsigned warp) = 0;
  /// A thread block was placed in these warp slots, or has left them.
  virtual void placed(WarpMask /*warps*/) {}
  virtual void left(WarpMask /*warps*/) {}
};

/// The oldest warp, equal ages by slot.
class OldestFirst final : public PickPolicy {
 public:
  OldestFirst(const Machine& machine, const AgeOrder& ages) : schedulers_(machine), ages_(ages) {}
  void pick(const Candidates& candidates, Picks& picks) const override;
  void issued(unsigned /*scheduler*/, unsigned /*which*/, unsigned /*warp*/) override {}

 private:
  const Schedulers schedulers_;
  const AgeOrder& ages_;
};

/// The warp that issued last, else the oldest. A new thread block in the slots does not inherit greediness.
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
  std::array<std::array<std::uint8_t, kMaxPicks>, Pipelines::kMaxSchedulers> greedy_;  // warp, per pick
};

/// Loose round robin: the next ready warp behind the one that issued last.
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

/// Two-level policies: round robin inside an active group (WarpGroups).
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

/// The policy that machine key issue.policy names. `ages` must live as long as it does.
[[nodiscard]] std::unique_ptr<PickPolicy> make_pick_policy(const Machine& machine, const AgeOrder& ages);

}  // namespace castor::gpu
