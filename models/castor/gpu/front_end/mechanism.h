#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/front_end_parts.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/parse_stage.h"

namespace castor::gpu {

class WaitGraph;
class Waves;
struct DispatchState;

/// Notifications of a mechanism about thread blocks and kernels. The first six are sent at the end of the cycle (F10)
/// of the event, and only on a machine with a mechanism that is `clocked`.
struct MechanismNotices {
  void placed(const TbEvent& /*tb*/) {}           ///< a TB is sent to an SM for the first time
  void left(const TbEvent& /*tb*/) {}             ///< a TB has left its SM before it was complete (swapped out)
  void restored(const TbEvent& /*tb*/) {}         ///< a TB that was swapped out is sent to an SM again
  void retired(const TbEvent& /*tb*/) {}          ///< a TB has retired from its SM
  void started(const KernelEvent& /*kernel*/) {}  ///< the entry of a kernel is written
  void ended(const KernelEvent& /*kernel*/) {}    ///< a kernel is complete
  /// The next three are sent in the step of the event: a kernel is complete; a fault stops a kernel; a fault stops the
  /// whole tree of a launch.
  void completed(const LaunchRecord& /*record*/) {}
  void stopped(unsigned /*entry*/) {}
  void tree_stopped(const LaunchRecord& /*record*/) {}
  /// All pending work is dropped. Every kernel is stopped after this call.
  void abandon(Cycle /*now*/) {}
  /// The device has been reset and is idle.
  void device_reset() {}
};

/// Steps of the front end's cycle (docs/gpu/front-end.md, "Front-end cycle") in which a mechanism may act, and queries
/// made in those steps. In each step the mechanisms are called in the order of the list.
struct MechanismSteps {
  /// `idle`: applies cycles that were skipped. `begin`: a new cycle begins. Both are called before the steps of the
  /// cycle, and only on machines with a mechanism that is `clocked`.
  void idle(Cycle /*cycles*/) {}
  void begin() {}
  /// Brings counters that grow with every cycle to the end of cycle `now` - 1 (Unit::count_until).
  void count_until(Cycle /*now*/) {}
  void receive(Cycle /*now*/) {}          ///< F1, after the other work of F1
  void accept_messages(Cycle /*now*/) {}  ///< F2, after the retire messages are taken
  void count(Cycle /*now*/) {}            ///< F2, after a TB is counted as complete
  void synchronise(Cycle /*now*/) {}      ///< F3: messages between the synchronisation hub and the SMs
  void govern(Cycle /*now*/) {}           ///< F4: governors' outputs are combined
  void restore(Cycle /*now*/) {}          ///< F5, before a new TB is placed
  void group(Cycle /*now*/) {}            ///< F6: groups of thread blocks
  void close(Cycle /*now*/) {}            ///< F7, before a kernel is released
  /// F8: returns the source (queue or launch) that is granted a lane, -1 = none. The first mechanism that returns a
  /// value decides; if no mechanism does, the parse stage picks the source.
  [[nodiscard]] std::optional<int> choose(Cycle /*now*/) { return std::nullopt; }
  /// F8: a lane is granted to a source. Returns true, with the entry in `granted`, if the source belongs to the
  /// mechanism.
  [[nodiscard]] bool grant(unsigned /*source*/, Cycle /*now*/, ParseStage::Granted& /*granted*/) { return false; }
  void resume(Cycle /*now*/) {}  ///< F8: the parse lane of a suspended TB is done
  void step(Cycle /*now*/) {}    ///< F9: device runtime and memory
  /// F10, clock edges. First come hooks that may be half of a block (`clock`), then hooks that are a whole block
  /// (`clock_block`).
  void clock(Cycle /*now*/) {}
  void clock_block(Cycle /*now*/) {}

  /// `hold`: table entries that must not be released. `held_queues`: queues of which no TB is placed from the next
  /// cycle on.
  [[nodiscard]] KdMask hold() const { return {}; }
  [[nodiscard]] QueueMask held_queues() const { return {}; }
  /// `offers_kernel`: a kernel of the mechanism waits for a lane and an entry. `offers_tb`: a suspended TB waits for a
  /// lane.
  [[nodiscard]] bool offers_kernel() const { return false; }
  [[nodiscard]] bool offers_tb(Cycle /*now*/) const { return false; }
  /// Returns whether a table entry may be written now.
  [[nodiscard]] bool takes_kernel(Cycle /*now*/) const { return true; }
  /// Returns whether the kernel of the oldest lane, which is done, waits for other work of the front end, so that its
  /// lane alone does not keep the front end awake.
  [[nodiscard]] bool lane_waits(Cycle /*now*/) const { return false; }
};

/// State of a mechanism: when it has work, and its part of reports.
struct MechanismState {
  /// Returns whether the machine has the mechanism. An absent mechanism costs only this test in each step.
  [[nodiscard]] bool present() const { return true; }
  /// Returns whether the mechanism needs `begin`, clock edges and notifications in every cycle that is not skipped.
  [[nodiscard]] bool clocked() const { return false; }
  /// `gated`: the front end has no clock from the next cycle on. While the clock is disabled, `govern`, `clock` and
  /// `idle` are called only for mechanisms that are `works_gated`.
  [[nodiscard]] bool gated() const { return false; }
  [[nodiscard]] bool works_gated() const { return false; }
  /// Returns whether the inputs of the mechanism differ between the cycle that ends and the next one.
  [[nodiscard]] bool stirred() const { return false; }
  /// `next`: first cycle after `now` with a clock edge that may change the mechanism's state. `next_work`: first cycle
  /// after `now` with any other work.
  [[nodiscard]] Cycle next(Cycle /*now*/) const { return kForever; }
  [[nodiscard]] Cycle next_work(Cycle /*now*/) const { return kForever; }
  /// Returns whether clock edges of the mechanism let no packet, kernel or TB proceed (Hook::inert).
  [[nodiscard]] bool inert() const { return true; }
  /// Returns whether the mechanism has no open work.
  [[nodiscard]] bool empty() const { return true; }
  /// Returns a number that grows with every step of a kernel or TB in the mechanism.
  [[nodiscard]] std::uint64_t progress() const { return 0; }

  /// Text for reports, empty if there is nothing to report. `waiting`: lines about waiting work. `holds`: why an entry
  /// is held. `where`: unit and step in which the work of a ticket is.
  [[nodiscard]] std::string waiting() const { return {}; }
  [[nodiscard]] const char* holds(unsigned /*entry*/) const { return ""; }
  [[nodiscard]] std::string where(Ticket /*ticket*/) const { return {}; }
  /// Adds TBs that wait to be placed and are unknown to the dispatcher, and work that will become such TBs.
  void add_waiting(DispatchState& /*state*/) const {}
  /// Adds the waiting kernels and packets at the hooks of the mechanism.
  void waits(WaitGraph& /*graph*/) const {}
  void add_waves(Waves& /*waves*/, const std::string& /*scope*/) const {}
};

/// Base class of mechanisms: parts of the front end that a machine may have beyond queues, kernel table and dispatcher.
/// A mechanism is constructed from FrontEndParts and redeclares (hides) the base functions that it implements. No
/// function is virtual.
class FrontEndMechanism : public MechanismNotices, public MechanismSteps, public MechanismState {};

/// List of the mechanisms of a front end. They are constructed in the order of the list, which is also the order of
/// their counters in reports.
template <class... Mechanisms>
class FrontEndMechanismList {
 public:
  /// The list with further mechanisms appended.
  template <class... More>
  using With = FrontEndMechanismList<Mechanisms..., More...>;

  explicit FrontEndMechanismList(const FrontEndParts& parts) : all_(parts) {}

  template <class Mechanism>
  [[nodiscard]] Mechanism& get() {
    return static_cast<Place<Mechanism>&>(all_).mechanism;
  }
  template <class Mechanism>
  [[nodiscard]] const Mechanism& get() const {
    return static_cast<const Place<Mechanism>&>(all_).mechanism;
  }
  /// Calls `act` with each mechanism that is present, in the order of the list.
  template <class Act>
  void each(Act act) {
    (visit(act, get<Mechanisms>()), ...);
  }
  template <class Act>
  void each(Act act) const {
    (visit(act, get<Mechanisms>()), ...);
  }
  /// Returns whether `is` holds for a mechanism that is present. Mechanisms after the first such one are not tested.
  template <class Is>
  [[nodiscard]] bool any(Is is) {
    return ((get<Mechanisms>().present() && is(get<Mechanisms>())) || ...);
  }
  template <class Is>
  [[nodiscard]] bool any(Is is) const {
    return ((get<Mechanisms>().present() && is(get<Mechanisms>())) || ...);
  }

 private:
  template <class Mechanism>
  struct Place {
    explicit Place(const FrontEndParts& parts) : mechanism(parts) {}
    Mechanism mechanism;
  };
  struct All : Place<Mechanisms>... {
    explicit All(const FrontEndParts& parts) : Place<Mechanisms>(parts)... {}
  };
  template <class Act, class Mechanism>
  static void visit(Act& act, Mechanism& mechanism) {
    if (mechanism.present()) act(mechanism);
  }

  All all_;
};

}  // namespace castor::gpu
