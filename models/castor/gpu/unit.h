#pragma once

#include <algorithm>

#include "castor/base/tick_wall.h"
#include "castor/base/time.h"

namespace castor::gpu {

using base::Cycle;
using base::kForever;
using base::Tick;

/// Flag of a unit whose tick does not touch state shared with other units. The unit raises it when the tick has left
/// messages, wake-ups or notifications to deliver. The owner delivers them after all units have ticked, and lowers the
/// flag.
class HandOver {
 public:
  void raise() { *place_ = true; }
  /// Moves the flag to `place`, so that the owner can keep the flags of several units side by side.
  void keep_in(bool& place) {
    place = *place_;
    place_ = &place;
  }

 private:
  bool own_ = false;
  bool* place_ = &own_;
};

/// A clocked unit of the device: SM, front end, crossbar, L2 slice, DRAM channel or copy engine. The device's single
/// process clocks all units (docs/gpu/timing.md, "Time, clocks, sleeping").
///
/// Every message between units is registered: a message sent in cycle c carries a stamp of at least c + 1 and is not
/// read before. The order in which units tick within a cycle therefore has no effect, and a unit may be skipped until
/// `wake`.
///
/// Skipping is exact because of this rule: at the end of a tick a unit computes its next wake from its own state and
/// from the stamps of all messages in its queues, those of this cycle included. A message that arrives later lowers the
/// wake with `wake_at`. A tick without due work changes nothing but counters that grow linearly with time.
class Unit {
 public:
  Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  virtual ~Unit() = default;

  /// Runs cycle `now`. Cycles come in ascending order, possibly with gaps, each at most once.
  virtual void tick(Cycle now) = 0;

  /// Brings counters that grow with every cycle to the end of cycle `now` - 1, as if the unit had ticked until then.
  /// For reports and samples while the unit may be asleep.
  virtual void count_until(Cycle /*now*/) {}

  /// Returns the first cycle in which this unit has work; kForever if only a message can wake it.
  [[nodiscard]] Cycle wake() const { return *wake_; }
  /// Makes the unit tick in `cycle` at the latest.
  void wake_at(Cycle cycle) {
    base::TickWall::check("another unit's wake", this);
    *wake_ = std::min(*wake_, cycle);
  }
  /// Moves the wake cycle to `place`, so that the owner can keep the wakes of several units side by side.
  void keep_wake_in(Cycle& place) {
    place = *wake_;
    wake_ = &place;
  }

 protected:
  /// Sets the wake cycle at the end of a tick, replacing earlier wake-up requests.
  void sleep_until(Cycle cycle) { *wake_ = cycle; }

 private:
  Cycle own_wake_ = 0;
  Cycle* wake_ = &own_wake_;
};

}  // namespace castor::gpu
