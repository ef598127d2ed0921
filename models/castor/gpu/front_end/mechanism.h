#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/front_end_parts.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/parse_stage.h"

namespace castor::gpu {

class WaitGraph;
class Waves;

/// What a mechanism of the front end is told of thread blocks and kernels. The first six are told at the end of the
/// cycle (F10) in which they happen, and only on a machine with a mechanism that is `clocked`.
struct MechanismNotices {
  void placed(const TbEvent& /*tb*/) {}     ///< a TB goes to an SM
  void left(const TbEvent& /*tb*/) {}       ///< it has left the SM before it was complete
  void came_back(const TbEvent& /*tb*/) {}  ///< it goes to an SM again
  void retired(const TbEvent& /*tb*/) {}    ///< it is complete
  void started(const KernelEvent& /*kernel*/) {}
  void ended(const KernelEvent& /*kernel*/) {}
  /// In the step in which it happens: a kernel is complete; a fault stops a kernel, or the whole tree of a launch.
  void completed(const LaunchRecord& /*record*/) {}
  void stopped(unsigned /*entry*/) {}
  void tree_stopped(const LaunchRecord& /*record*/) {}
  /// All work is dropped; every kernel is stopped behind it.
  void abandon(Cycle /*now*/) {}
  /// The device is reset and idle.
  void device_reset() {}
};

/// The steps of the front end's cycle (docs/gpu/front-end.md, "Front-end cycle") in which a mechanism may act, and what
/// it is asked in them. Each step goes through the list of mechanisms from its front.
struct MechanismSteps {
  /// On machines with a mechanism that is `clocked`, before anything happens: cycles that were skipped; a new one.
  void idle(Cycle /*cycles*/) {}
  void begin() {}
  void receive(Cycle /*now*/) {}     ///< F1, behind everything else of it
  void take_wires(Cycle /*now*/) {}  ///< F2, behind the retire wires
  void count(Cycle /*now*/) {}       ///< F2, behind the TB that is counted
  void govern(Cycle /*now*/) {}      ///< F4
  void restore(Cycle /*now*/) {}     ///< F5, before a TB is placed
  void group(Cycle /*now*/) {}       ///< F6
  void close(Cycle /*now*/) {}       ///< F7, before a kernel is released
  /// F8: the source that is granted a lane, -1 = none. Of the mechanisms that choose the first counts; if none does,
  /// the parse stage picks.
  [[nodiscard]] std::optional<int> choose(Cycle /*now*/) { return std::nullopt; }
  /// F8: a lane takes a source. True, and what that brings, if the source is the mechanism's own.
  [[nodiscard]] bool grant(unsigned /*source*/, Cycle /*now*/, ParseStage::Granted& /*granted*/) { return false; }
  void resume(Cycle /*now*/) {}  ///< F8: the lane of a TB that comes back is done
  void step(Cycle /*now*/) {}    ///< F9
  /// F10: edges, first of hooks that may be half of a block, then of those whose edge is the whole block's.
  void clock(Cycle /*now*/) {}
  void clock_block(Cycle /*now*/) {}

  /// Entries that must not be released; queues of which nothing is placed from the next cycle on.
  [[nodiscard]] KdMask hold() const { return {}; }
  [[nodiscard]] QueueMask held_queues() const { return {}; }
  /// It has a kernel that waits for a lane and an entry; a TB that waits for a lane.
  [[nodiscard]] bool offers_kernel() const { return false; }
  [[nodiscard]] bool offers_tb(Cycle /*now*/) const { return false; }
  /// An entry may be written now.
  [[nodiscard]] bool takes_kernel(Cycle /*now*/) const { return true; }
  /// Number of the register window that it serves, -1 = none.
  [[nodiscard]] int window() const { return -1; }
};

/// When a mechanism has work, and what reports say of it.
struct MechanismState {
  /// The machine has it. If not, it costs this test in a step.
  [[nodiscard]] bool present() const { return true; }
  /// It wants `begin`, edges and notices in every cycle that is not skipped.
  [[nodiscard]] bool clocked() const { return false; }
  /// SMs wake the front end when their pulse changes.
  [[nodiscard]] bool wants_pulses() const { return false; }
  /// The front end has no clock from the next cycle on. Then only mechanisms that work without it are asked to
  /// `govern` and `clock`, and made up for skipped cycles.
  [[nodiscard]] bool gated() const { return false; }
  [[nodiscard]] bool works_gated() const { return false; }
  /// It sees something in the cycle behind the one that ends that it did not see in that.
  [[nodiscard]] bool stirred() const { return false; }
  /// First cycle after `now` with an edge that may change something; with other work.
  [[nodiscard]] Cycle next(Cycle /*now*/) const { return kForever; }
  [[nodiscard]] Cycle next_work(Cycle /*now*/) const { return kForever; }
  /// Its edges let nothing proceed (Hook::inert).
  [[nodiscard]] bool inert() const { return true; }
  /// Nothing of it is open.
  [[nodiscard]] bool empty() const { return true; }
  /// Grows with everything that goes through it.
  [[nodiscard]] std::uint64_t progress() const { return 0; }

  /// Lines about what waits in it; why it holds an entry; where the work of a ticket is in it. Empty: nothing to say.
  [[nodiscard]] std::string waiting() const { return {}; }
  [[nodiscard]] const char* holds(unsigned /*entry*/) const { return ""; }
  [[nodiscard]] std::string where(Ticket /*ticket*/) const { return {}; }
  void add_waves(Waves& /*waves*/, const std::string& /*scope*/) const {}
};

/// Base of mechanisms: what a machine may have in its front end beyond queues, table and dispatcher. A mechanism is
/// made from FrontEndParts and hides the functions of the base that it has a part in; nothing is virtual.
class FrontEndMechanism : public MechanismNotices, public MechanismSteps, public MechanismState {};

/// The mechanisms of a front end. They are made in the order of the list, which is that of their counters in reports.
template <class... Mechanisms>
class FrontEndMechanismList {
 public:
  /// The same with more of them behind.
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
  /// Calls `act` with each mechanism that is present, in order.
  template <class Act>
  void each(Act act) {
    (visit(act, get<Mechanisms>()), ...);
  }
  template <class Act>
  void each(Act act) const {
    (visit(act, get<Mechanisms>()), ...);
  }
  /// `is` holds for one that is present; those behind it are not asked.
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
