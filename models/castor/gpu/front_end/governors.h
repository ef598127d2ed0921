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

/// What the dispatcher shows to governors (GovernIn).
struct DispatchState {
  SmMask fits_head = 0, bound_wait = 0;
  bool ready = false, waiting = false;
};

/// The governors, and what they allow together: the fewest SMs, the smallest quotas, the fewest clocks
/// (docs/gpu/hooks.md, "Hooks"). Without governors everything is open.
///
/// In a cycle: `begin` before anything happens, `settle` in F4, from then on `open` and `quota` are those of the cycle;
/// `clock` in F10. `clock_enable` and `uncore_enable` are for the next cycle. Cycles in which the front end does not
/// run are made up for by `idle`, before `begin`.
class Governors {
 public:
  /// None of the governors is null.
  Governors(std::vector<SmGovernor*> governors, const HookPlace& place, const std::vector<SmUnit*>& sms,
            const Ledger& ledger, const HookEvents& events);

  [[nodiscard]] bool any() const { return !governors_.empty(); }
  void idle(Cycle cycles);
  /// Looks at what SMs did and hold.
  void begin(Cycle now);
  void settle(Cycle now);
  /// What the dispatcher shows; stands until it is told anew.
  void show(const DispatchState& state);
  /// `coming`: work is on its way to the dispatcher.
  void clock(bool coming, Cycle now);
  /// Asserts that the SMs are not closed for ever; F10, in cycles in which the dispatcher works.
  void check_open(Cycle now);

  [[nodiscard]] SmMask open() const { return open_; }
  /// Null = none.
  [[nodiscard]] const Quota* quota() const { return quota_; }
  [[nodiscard]] SmMask clock_enable() const { return clock_enable_; }
  [[nodiscard]] bool uncore_enable() const { return uncore_enable_; }

  /// A TB is on its way: what governors see of its SM changes in the next cycle.
  [[nodiscard]] bool stirred() const { return moving_; }
  /// All SMs are closed and empty while TBs wait.
  [[nodiscard]] bool closed() const { return closed_since_ != kForever; }
  [[nodiscard]] bool inert() const;
  /// First cycle after `now` in which a governor has to be clocked.
  [[nodiscard]] Cycle next(Cycle now) const;
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  /// With that of governor `i`.
  void combine(const Quota& quota, std::size_t i, Cycle now);

  std::vector<SmGovernor*> governors_;
  std::vector<SmUnit*> sms_;
  const Ledger& ledger_;
  const HookEvents& events_;
  bool checks_;  // that outputs depend on state only
  Cycle patience_;
  unsigned entries_;

  SmMask open_ = kAllSms, clock_enable_ = kAllSms;
  bool uncore_enable_ = true;
  const Quota* quota_ = nullptr;
  std::vector<GovernOut> said_;  // by each in this cycle
  GovernIn in_;
  std::vector<SmPulse> pulses_;
  std::vector<SmLoad> loads_;
  bool dispatch_waits_ = false;
  bool moving_ = false;
  std::vector<std::uint8_t> allowed_;  // minimum of several governors' quotas
  Quota combined_;
  Cycle closed_since_ = kForever;
  std::deque<MountedHook> mounted_;
};

}  // namespace castor::gpu
