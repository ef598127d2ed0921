#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_clock.h"

namespace castor::gpu {

/// What may be plugged into one SM; null = built in. Not owned.
struct SmHooks {
  FetchFilter* fetch_filter = nullptr;
  IssuePolicyHook* issue = nullptr;
  bool elsewhere = false;  ///< something is plugged into the front end, or other SMs

  [[nodiscard]] bool any() const { return elsewhere || fetch_filter != nullptr || issue != nullptr; }
};

/// The hooks of an SM, and what the issue policy among them is told and answers (docs/gpu/hooks.md, "Hooks").
///
/// S0 `begin_tick`, `started`, then `settle_early`; S5 `settle`; S8 `retired`; S9 `clock`; `idle` for ticks that were
/// slept. Without a hook only `any` and `barrier_ok` are asked.
class HookPort {
 public:
  /// Attaches and resets the hooks; each gets a group of `statistics`.
  HookPort(const Machine& machine, unsigned sm, const SmHooks& hooks, const SmClock& clock, FaultPort& faults,
           base::StatisticGroup& statistics);
  ~HookPort();
  HookPort(const HookPort&) = delete;
  HookPort& operator=(const HookPort&) = delete;

  [[nodiscard]] bool any() const { return any_; }
  /// Whether an issue policy is plugged in.
  [[nodiscard]] bool picks() const { return hooks_.issue != nullptr; }
  /// The block behind it (Hook::block).
  [[nodiscard]] const char* issue_block() const { return hooks_.issue->block(); }
  /// What its fetch filter acts on.
  [[nodiscard]] const FilterTerms& filter_terms() const { return terms_; }
  /// Bit per scheduler that may issue barriers and exits in this tick.
  [[nodiscard]] std::uint8_t barrier_ok() const { return barrier_ok_; }

  void begin_tick() {
    start_.reset();
    free_.reset();
    kernel_start_ = false;
    start_.swap(late_start_);
  }
  /// A TB has started, the `first` on an SM that was empty: that is told a tick later.
  void started(const TbStartEvent& event, bool first);
  /// Outputs that depend on state only.
  void settle_early();
  /// What the issue policy chooses from.
  struct Offer {
    WarpMask valid = 0;      ///< an instruction is in the buffer
    WarpMask long_wait = 0;  ///< it waits for a load
    WarpMask ready = 0;      ///< could issue now
    WarpMask offered = 0;    ///< of them those whose schedulers act in this tick
    /// By issue class of the head, on machines that issue one of each.
    std::array<WarpMask, kMaxPicks> issue_class{};
  };
  /// Puts what it picks into `picks`.
  void settle(const Offer& offer, Picks& picks);
  void retired(unsigned context) { free_ = static_cast<std::uint8_t>(context); }
  /// The edge. `refused`: warps whose pick did not issue.
  void clock(View<BarrierArrival> arrivals, View<WarpExit> exits, WarpMask unblocked, WarpMask refused);

  /// TB start that hooks are told of in this tick, and in the next one.
  [[nodiscard]] const Maybe<TbStartEvent>& start() const { return start_; }
  [[nodiscard]] const Maybe<TbStartEvent>& late_start() const { return late_start_; }

  /// Passes `ticks` edges in which nothing happened.
  void idle(Tick ticks);
  /// First cycle in which a hook has something to do by itself; kForever if none.
  [[nodiscard]] Cycle wake() const;
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  void attach(Hook* hook, const char* name, const Machine& machine, FaultPort& faults,
              base::StatisticGroup& statistics);
  void check_none(const IssueOut& out) const;
  void take_picks(const IssueOut& out, WarpMask offered, Picks& picks);

  const SmHooks hooks_;
  const bool any_;
  std::uint8_t barrier_ok_ = 0xff;
  const unsigned sm_;
  const SmClock& clock_;
  const Schedulers schedulers_;
  Maybe<TbStartEvent> start_, late_start_;
  Maybe<std::uint8_t> free_;
  bool kernel_start_ = false;
  // What the policy's view points to lives longer than a call.
  IssueIn in_;
  std::array<std::uint8_t, kMaxWarps> tb_of_{};
  std::array<std::uint32_t, kMaxWarps> age_of_{};
  std::array<std::uint8_t, kMaxPicks> picked_{};  // bit s of [j]: scheduler s has a j-th pick
  Picks picks_{};
  FilterTerms terms_;
  std::deque<base::StatisticGroup> groups_;
};

}  // namespace castor::gpu
