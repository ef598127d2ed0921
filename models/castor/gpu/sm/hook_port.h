#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_clock.h"

namespace castor::gpu {

/// TB starts that a hook of an SM is told of: in their tick, the first on an SM that was empty a tick later.
class TbStarts {
 public:
  void begin_tick() {
    now_.reset();
    now_.swap(late_);
  }
  void add(const TbStartEvent& event, bool first) { (first ? late_ : now_) = event; }
  /// That the hook is told of in this tick, and in the next one.
  [[nodiscard]] const Maybe<TbStartEvent>& now() const { return now_; }
  [[nodiscard]] const Maybe<TbStartEvent>& late() const { return late_; }

 private:
  Maybe<TbStartEvent> now_, late_;
};

/// Attaches and resets a hook of an SM, which is called `name` where it reports errors. `terms`: of a fetch filter.
void attach_hook(Hook& hook, const char* name, const SmParts& parts, base::StatisticGroup& statistics,
                 FilterTerms* terms = nullptr);
/// First cycle behind the tick under way in which a hook has something to do by itself; kForever if none.
[[nodiscard]] Cycle wake_of(const Hook& hook, const SmClock& clock);

/// The issue policy that is plugged into an SM: what it is told and answers (docs/gpu/hooks.md, "Hooks").
class HookPort : public SmMechanism {
 public:
  static constexpr bool kOptional = true;
  static bool present(const SmParts& parts) { return parts.hooks.issue != nullptr; }

  explicit HookPort(const SmParts& parts);
  ~HookPort() { hook_.detach(); }
  HookPort(const HookPort&) = delete;
  HookPort& operator=(const HookPort&) = delete;

  /// The block behind it (Hook::block).
  [[nodiscard]] const char* block() const { return hook_.block(); }
  /// Warps whose instruction is decoded and has its operands.
  [[nodiscard]] WarpMask ready_to_be_picked() const;
  [[nodiscard]] std::uint8_t barrier_ok() const { return barrier_ok_; }

  void begin_tick() {
    starts_.begin_tick();
    free_.reset();
    kernel_start_ = false;
  }
  void start(TbStart& start) { started(start.event, start.first); }
  /// A TB has started.
  void started(const TbStartEvent& event, bool first);
  void settle_early(WarpMask eligible = 0);
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
  void choose(const Offer& offer, Picks& picks);
  bool pick();
  void retire(unsigned context, TbRetireMessage& /*message*/) { free_ = static_cast<std::uint8_t>(context); }
  void clock();
  /// The edge. `refused`: warps whose pick did not issue.
  void clock(View<BarrierArrival> arrivals, View<WarpExit> exits, WarpMask unblocked, WarpMask refused);

  void idle(Tick ticks) { hook_.idle(ticks); }
  [[nodiscard]] Cycle wake() const { return wake_of(hook_, parts_.clock); }
  [[nodiscard]] bool still() const { return wake() == kForever; }
  void add_waves(Waves& waves, const std::string& scope) const { hook_.add_waves(waves, scope); }

 private:
  void check_none(const IssueOut& out) const;
  void take_picks(const IssueOut& out, WarpMask offered, Picks& picks);

  const SmParts parts_;
  const Schedulers schedulers_;
  base::StatisticGroup group_;
  IssuePolicyHook& hook_;
  std::uint8_t barrier_ok_ = 0xff;
  TbStarts starts_;
  Maybe<std::uint8_t> free_;
  bool kernel_start_ = false;
  // What the policy's view points to lives longer than a call.
  IssueIn in_;
  std::array<std::uint8_t, kMaxWarps> tb_of_{};
  std::array<std::uint32_t, kMaxWarps> age_of_{};
  std::array<std::uint8_t, kMaxPicks> picked_{};  // bit s of [j]: scheduler s has a j-th pick
  Picks picks_{};
};

}  // namespace castor::gpu
