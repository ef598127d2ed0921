#pragma once

#include "castor/gpu/front_end/governors.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {

/// Governors as a mechanism of the front end: presents the state of the dispatch to them, and stops the front end's
/// clock when they disable it.
class GovernorSide : public FrontEndMechanism {
 public:
  explicit GovernorSide(const FrontEndParts& parts)
      : governors_(parts.hooks.governors, parts.place, parts.sms, parts.ledger, parts.events),
        queues_(parts.queues),
        lanes_(parts.lanes),
        events_(parts.events) {}

  [[nodiscard]] const Governors& governors() const { return governors_; }

  [[nodiscard]] bool present() const { return governors_.any(); }
  [[nodiscard]] bool clocked() const { return true; }
  [[nodiscard]] bool gated() const { return !governors_.uncore_enable(); }
  [[nodiscard]] bool works_gated() const { return true; }
  void idle(Cycle cycles) { governors_.idle(cycles); }
  void begin() {
    asleep_ = gated();
    governors_.begin(events_.cycle());
  }
  void govern(Cycle now) { governors_.settle(now); }
  /// Sets the state of the dispatch at the end of the cycle, before `clock`.
  void show(const DispatchState& state) { governors_.show(state); }
  void clock(Cycle now) {
    governors_.clock(work_comes(now), now);
    if (!asleep_) governors_.check_open(now);
  }
  [[nodiscard]] bool stirred() const { return governors_.stirred(); }
  [[nodiscard]] Cycle next(Cycle now) const { return governors_.next(now); }
  [[nodiscard]] bool inert() const { return !governors_.closed() && !gated() && governors_.inert(); }
  void waits(WaitGraph& graph) const { governors_.waits(graph); }
  void add_waves(Waves& waves, const std::string& scope) const { governors_.add_waves(waves, scope); }

 private:
  // Returns whether a kernel is about to reach the dispatcher: a lane holds one, or its entry is written in this cycle
  // but the dispatch policy has not received it yet.
  [[nodiscard]] bool work_comes(Cycle now) const {
    return events_.all().pushed.has_value() || queues_.kernel_waits(now) || lanes_.busy() != 0;
  }

  Governors governors_;
  const Queues& queues_;
  const ParseLanes& lanes_;
  const HookEvents& events_;
  bool asleep_ = false;  // the front end's clock is disabled in this cycle
};

}  // namespace castor::gpu
