#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

class Waves;

/// TBs that wait to be placed, as they are presented to governors (GovernIn).
struct DispatchState {
  SmMask fits_head = kAllSms, bound_wait;
  bool ready = false, waiting = false;
};

/// The governors of a machine and their combined outputs: the intersection of open SMs, the minimum of the quotas, the
/// intersection of the enabled clocks (docs/gpu/hooks.md, "Hooks"). Without governors all SMs are open and all clocks
/// enabled.
///
/// In a cycle: `begin` before all steps; `settle` in F4 (governors), which produces `open` and `quota` of the cycle;
/// `clock` in F10. `clock_enable` and `uncore_enable` are for the next cycle. `idle` applies cycles in which the front
/// end did not run; it is called before `begin`.
class Governors {
 public:
  /// No pointer in `governors` may be null.
  Governors(std::vector<SmGovernor*> governors, const HookMount& place, const std::vector<SmUnit*>& sms,
            const Ledger& ledger, const HookEvents& events);

  [[nodiscard]] bool any() const { return !governors_.empty(); }
  void idle(Cycle cycles);
  /// Samples the pulse and the load of all SMs.
  void begin(Cycle now);
  /// Presents the inputs of the cycle to the governors and combines their outputs.
  void settle(Cycle now);
  /// Sets the state of the dispatch as input of the governors, until the next call.
  void show(const DispatchState& state);
  /// Clocks the governors. `coming`: a kernel is about to reach the dispatcher.
  void clock(bool coming, Cycle now);
  /// Asserts that the governors do not keep all SMs closed for ever. Called in F10, in cycles in which the dispatcher
  /// works.
  void check_open(Cycle now);

  /// Returns the SMs on which TBs may be placed.
  [[nodiscard]] const SmMask& open() const { return open_; }
  /// Returns the combined quota; null = none.
  [[nodiscard]] const Quota* quota() const { return quota_; }
  /// Returns the SMs that have a clock in the next cycle.
  [[nodiscard]] const SmMask& clock_enable() const { return clock_enable_; }
  /// Returns whether the front end has a clock in the next cycle.
  [[nodiscard]] bool uncore_enable() const { return uncore_enable_; }

  /// Returns whether a TB is in flight to an SM, so that the load presented to governors changes in the next cycle, or
  /// a register of a governor is accessed.
  [[nodiscard]] bool stirred() const;
  /// Returns whether all SMs are closed and empty while TBs wait.
  [[nodiscard]] bool closed() const { return closed_since_ != kForever; }
  [[nodiscard]] bool inert() const;
  /// Returns the first cycle after `now` in which a governor must be clocked.
  [[nodiscard]] Cycle next(Cycle now) const;
  void waits(WaitGraph& graph) const {
    for (const MountedHook& hook : mounted_) hook.waits(graph);
  }
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  /// Combines the current quota with the quota of governor `i`.
  void combine(const Quota& quota, std::size_t i, Cycle now);
  void want_pulses(bool wanted, Cycle now);

  std::vector<SmGovernor*> governors_;
  std::vector<SmUnit*> sms_;
  const Ledger& ledger_;
  const HookEvents& events_;
  bool checks_;     // check that outputs depend only on the governors' state
  Cycle patience_;  // cycles with all SMs closed after which `check_open` fails
  unsigned entries_;

  SmMask open_ = kAllSms, clock_enable_ = kAllSms;
  bool uncore_enable_ = true;
  const Quota* quota_ = nullptr;
  std::vector<GovernOut> said_;  // outputs of each governor in this cycle
  GovernIn in_;
  std::vector<SmPulse> pulses_;
  std::vector<SmLoad> loads_;
  bool pulses_wanted_ = false;         // a governor reads pulses
  bool dispatch_waits_ = false;        // TBs wait to be placed
  bool moving_ = false;                // a TB is in flight to an SM
  std::vector<std::uint8_t> allowed_;  // minimum of the governors' quotas, storage of combined_
  Quota combined_;
  Cycle closed_since_ = kForever;  // first cycle with all SMs closed and empty; kForever: not closed
  std::deque<MountedHook> mounted_;
};

}  // namespace castor::gpu
