#pragma once

#include <algorithm>

#include "castor/base/tick_wall.h"
#include "castor/base/time.h"

namespace castor::gpu {

using base::Cycle;
using base::kForever;
using base::Tick;

/// "There is something to hand over": raised by a unit whose tick leaves alone what it shares with others, so that
/// what it sends, wakes and tells waits until all units have ticked. Lowered by who then asks for it.
class HandOver {
 public:
  void raise() { *place_ = true; }
  /// Keeps it in a place of the owner's, side by side with those of other units.
  void keep_in(bool& place) {
    place = *place_;
    place_ = &place;
  }

 private:
  bool own_ = false;
  bool* place_ = &own_;
};

/// A part of the device that is clocked by the device's one process (docs/gpu/timing.md, "Time, clocks, sleeping"): SM,
/// front end, crossbar, L2 slice, DRAM channel, copy engine.
///
/// Every message between units is registered: sent in cycle c it carries a stamp of at least c + 1 and is not looked at
/// before. So the order in which the units of one cycle tick cannot change anything, and a unit may be left out until
/// `wake`. The rule that makes leaving out exact: at the end of a tick a unit derives its next wake from its own state
/// and from the stamps of everything that waits in its queues, messages of this cycle included; a message that arrives
/// later lowers it by `wake_at`. A tick in which nothing is due changes nothing but linear counters.
class Unit {
 public:
  Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  virtual ~Unit() = default;

  /// Runs cycle `now`. Cycles come in ascending order, possibly with gaps, each at most once.
  virtual void tick(Cycle now) = 0;

  /// Brings statistics that grow with every cycle to the end of cycle `now` - 1, as ticking until then would; for
  /// reports and samples of a unit that may be asleep.
  virtual void count_until(Cycle /*now*/) {}

  /// First cycle in which this unit has something to do; kForever if only a message can wake it.
  [[nodiscard]] Cycle wake() const { return *wake_; }
  /// Has the unit ticked in `cycle` at the latest.
  void wake_at(Cycle cycle) {
    base::TickWall::check("another unit's wake", this);
    *wake_ = std::min(*wake_, cycle);
  }
  /// Keeps the wake in a place of the owner's, side by side with those of other units.
  void keep_wake_in(Cycle& place) {
    place = *wake_;
    wake_ = &place;
  }

 protected:
  /// For the end of a tick: forget earlier wishes.
  void sleep_until(Cycle cycle) { *wake_ = cycle; }

 private:
  Cycle own_wake_ = 0;
  Cycle* wake_ = &own_wake_;
};

}  // namespace castor::gpu
