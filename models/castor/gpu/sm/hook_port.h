#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_clock.h"

namespace castor::gpu {

/// TB start events for a hook of an SM. An event is delivered in its tick; the first start on an empty SM one tick
/// later.
class TbStarts {
 public:
  void begin_tick() {
    now_.reset();
    now_.swap(late_);
  }
  void add(const TbStartEvent& event, bool first) { (first ? late_ : now_) = event; }
  /// Removes the warps that had exited before the TB was swapped out from the start event that was added last.
  void keep(WarpMask live, bool first) {
    TbStartEvent& event = first ? *late_ : *now_;
    event.warps &= live;
    event.full &= live;
  }
  /// Start events delivered in this tick, and in the next one.
  [[nodiscard]] const Maybe<TbStartEvent>& now() const { return now_; }
  [[nodiscard]] const Maybe<TbStartEvent>& late() const { return late_; }

 private:
  Maybe<TbStartEvent> now_, late_;  // events delivered in this tick, and in the next one
};

/// Attaches and resets a hook of an SM. `name` identifies the hook in error reports. `terms`: of a fetch filter; null
/// for other hooks.
void attach_hook(Hook& hook, const char* name, const SmParts& parts, base::StatisticGroup& statistics,
                 FilterTerms* terms = nullptr);
/// Adds the warps that wait at a hook of an SM. `name` identifies the hook.
void add_waits(const Hook& hook, const char* name, unsigned sm, WaitGraph& graph);
/// Returns the first cycle after this tick in which a hook needs an edge with idle inputs, or kForever.
[[nodiscard]] Cycle wake_of(const Hook& hook, const SmClock& clock);

/// Mechanism that connects an SM to its IssuePolicyHook (docs/gpu/hooks.md, "Hooks"): it passes inputs to the hook and
/// applies its picks. Present only if an issue policy is plugged in.
///
/// A thread block that is swapped out exits and is freed, as the policy sees it; one that comes back starts with its
/// live warps, and those that wait at a barrier arrive there (docs/gpu/moving.md, "Hooks").
class HookPort : public SmMechanism {
 public:
  static constexpr bool kOptional = true;
  static bool present(const SmParts& parts) { return parts.hooks.issue != nullptr; }

  explicit HookPort(const SmParts& parts);
  ~HookPort() { hook_.detach(); }
  HookPort(const HookPort&) = delete;
  HookPort& operator=(const HookPort&) = delete;

  /// Returns the name of the block that implements the policy (Hook::block).
  [[nodiscard]] const char* block() const { return hook_.block(); }
  /// Returns the unblocked warps with a decoded instruction and no pending register.
  [[nodiscard]] WarpMask ready_to_be_picked() const;
  [[nodiscard]] std::uint8_t barrier_ok() const { return barrier_ok_; }

  void begin_tick() {
    starts_.begin_tick();
    free_.reset();
    kernel_start_ = false;
  }
  void start(TbStart& start) { started(start.event, start.first); }
  void come_back(TbStart& start, const SavedTb& saved);
  void stop(unsigned context);
  void freeze(unsigned context);
  [[nodiscard]] bool may_leave(unsigned context) const;
  void leave(unsigned context, SavedTb& /*saved*/) { free_ = static_cast<std::uint8_t>(context); }
  /// Records that a TB has started. `first`: the SM held no TB.
  void started(const TbStartEvent& event, bool first);
  void settle_early(WarpMask eligible = 0);
  /// Warps offered to the issue policy in this tick.
  struct Offer {
    WarpMask valid = 0;      ///< warps with an instruction in the buffer
    WarpMask long_wait = 0;  ///< warps stalled on the data of a load
    WarpMask ready = 0;      ///< warps that could issue now
    WarpMask offered = 0;    ///< ready warps whose schedulers act in this tick
    /// [class] warps whose head belongs to that issue class; set with issue.warps 5 only.
    std::array<WarpMask, kMaxPicks> issue_class{};
  };
  /// Writes the policy's picks into `picks`.
  void choose(const Offer& offer, Picks& picks);
  bool pick();
  void retire(unsigned context, TbRetireMessage& /*message*/) { free_ = static_cast<std::uint8_t>(context); }
  void clock();
  /// Clocks the policy at the end of the tick. `refused`: warps whose pick did not issue.
  void clock(View<BarrierArrival> arrivals, View<WarpExit> exits, WarpMask unblocked, WarpMask refused);

  void idle(Tick ticks) { hook_.idle(ticks); }
  [[nodiscard]] Cycle wake() const { return wake_of(hook_, parts_.clock); }
  [[nodiscard]] bool still() const { return wake() == kForever; }
  void waits(WaitGraph& graph) const { add_waits(hook_, "issue_policy", parts_.sm, graph); }
  void add_waves(Waves& waves, const std::string& scope) const { hook_.add_waves(waves, scope); }

 private:
  /// Exit or arrival of a warp that the policy is still to see.
  struct Told {
    std::uint8_t warp = 0, tb = 0, barrier = 0;
    bool exits = false;
  };
  void tell(View<BarrierArrival>& arrivals, View<WarpExit>& exits, WarpMask unblocked);
  void check_none(const IssueOut& out) const;
  void take_picks(const IssueOut& out, WarpMask offered, Picks& picks);

  const SmParts parts_;
  const Schedulers schedulers_;
  base::StatisticGroup group_;
  IssuePolicyHook& hook_;
  std::uint8_t barrier_ok_ = 0xff;
  TbStarts starts_;
  // TB context that retired in this tick
  Maybe<std::uint8_t> free_;
  bool kernel_start_ = false;  // a TB started in this tick on an SM that held none
  // Inputs of the policy. The arrays below outlive the call, because the inputs point to them.
  IssueIn in_;
  std::array<std::uint8_t, kMaxWarps> tb_of_{};
  std::array<std::uint32_t, kMaxWarps> age_of_{};
  std::vector<Told> told_;  // of thread blocks that move, oldest first
  std::array<BarrierArrival, kMaxWarps> told_arrivals_;
  std::array<WarpExit, kMaxWarps> told_exits_;
  std::array<std::uint8_t, kMaxPicks> picked_{};  // [j], bit s: scheduler s has a pick j
  Picks picks_{};
};

}  // namespace castor::gpu
