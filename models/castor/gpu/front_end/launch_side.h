#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/group_stage.h"
#include "castor/gpu/front_end/launch_port.h"
#include "castor/gpu/front_end/release_unit.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/front_end/source_port.h"
#include "castor/gpu/front_end/suspender.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {

/// The side of the front end that only programs need whose device code launches: the launcher, thread blocks that wait
/// for launches, groups of thread blocks; and the launch unit, which is clocked in any case.
///
/// In a cycle: `look` in F1; `take`, then `count`, in F2; `restore` in F5; `step_groups` in F6; `close` in F7; `step`
/// in F9.
class LaunchSide {
 public:
  /// The parts of the front end that it works with. They must live as long as it does; none is used before all are
  /// there.
  struct Parts {
    const Machine& machine;
    Store& store;
    const ProgramTable& programs;
    const std::vector<SmUnit*>& sms;
    KernelTable& table;
    Ledger& ledger;
    Dispatcher& dispatcher;
    DispatchPort& policy;
    ParseLanes& lanes;
    RetireUnit& retire;
    ReleaseUnit& release;
    LaunchTrees& trees;
    FrontEndMemory& memory;
    const HookEvents& events;
  };

  /// `hooks`: its launch unit and its source order; `observer`: null = none.
  LaunchSide(const Parts& parts, const Hooks& hooks, const HookPlace& place, Observer* observer,
             base::StatisticGroup& statistics);

  [[nodiscard]] DeviceLauncher& launcher() { return launcher_; }
  [[nodiscard]] const DeviceLauncher& launcher() const { return launcher_; }
  [[nodiscard]] Suspender& suspender() { return suspender_; }
  [[nodiscard]] const Suspender& suspender() const { return suspender_; }
  [[nodiscard]] LaunchPort& unit() { return unit_; }
  [[nodiscard]] const LaunchPort& unit() const { return unit_; }
  [[nodiscard]] const SourcePort& order() const { return order_; }

  void look(Cycle now) {
    if (!launcher_.on()) return;
    launcher_.look();
    suspender_.look();
    groups_.look(now);
  }
  void take(Cycle now);
  /// A TB has been counted.
  void count() {
    if (!launcher_.on()) return;
    if (const std::optional<TbEvent> tb = retire_.take_group_tb()) groups_.count(*tb);
  }
  void restore(Cycle now) {
    if (launcher_.on()) suspender_.restore(now);
  }
  void step_groups(Cycle now) {
    if (launcher_.on() || unit_.on()) groups_.step(now);
  }
  /// No kernel may be pushed: a group has attached in this cycle.
  [[nodiscard]] bool attached(Cycle now) const { return groups_.attached(now); }
  /// Launches that are closed, a level of their trees. A kernel that only has blocks that are away leaves the table
  /// when no other is complete in the cycle.
  void close(Cycle now) {
    if (launcher_.on()) close_launches(now);
  }
  /// Device::hold_kernel; without a launch unit nothing is held.
  void hold_kernel(const isa::Program& program, bool on);
  /// Entries that must not be released in this cycle: groups are on their way to them, or the host holds them.
  [[nodiscard]] KdMask hold() const { return held_kernels_.empty() ? unit_.hold() : unit_.hold() | held_by_host(); }
  void step(Cycle now) {
    if (launcher_.on()) launcher_.step(now);
  }

  // The source order, where there is one and a program is loaded whose device code launches.

  [[nodiscard]] bool orders() const { return order_.on() && launcher_.on(); }
  /// What it picks among `queues`, launches and suspended TBs; null: nothing that may be granted. `entry_free`: of the
  /// kernel table.
  [[nodiscard]] const SourcePick* pick(const QueueMask& queues, bool entry_free, Cycle now);
  /// A lane is granted to a launch by device code: the one that is picked, or offered.
  [[nodiscard]] DeviceLauncher::Granted grant() {
    return picked_ ? launcher_.grant(picked_->sm, picked_->level) : launcher_.grant();
  }
  /// A lane took what is picked.
  void granted() {
    if (picked_) order_.grant();
  }
  /// The source order will be shown something else in the cycle behind `now`.
  [[nodiscard]] bool order_stirred(const QueueMask& queues, bool entry_free, Cycle now) const;
  void begin_hooks() {
    picked_.reset();
    order_.begin();
  }
  /// Cycles that were skipped, and F10.
  void idle_hooks(Cycle cycles) {
    if (unit_.on()) unit_.idle(cycles);
    if (order_.on()) order_.idle(cycles);
  }
  void clock_hooks(Cycle now) {
    if (unit_.on()) unit_.clock(now);
    if (order_.on()) order_.clock(now);
  }
  [[nodiscard]] Cycle next_hook(Cycle now) const { return std::min(unit_.next(now), order_.next(now)); }
  [[nodiscard]] bool hooks_inert() const { return unit_.inert() && order_.inert(); }
  /// First cycle after `now` with work that is not the launch unit's.
  [[nodiscard]] Cycle next(Cycle now) const;
  /// The device is reset and idle.
  void reset() {
    launcher_.reset();
    held_kernels_.clear();
    if (order_.on()) order_.reset();
    if (unit_.on()) {
      policy_.reset();
      unit_.reset();
    }
  }

 private:
  void close_launches(Cycle now);
  [[nodiscard]] Sources sources(const QueueMask& queues, bool entry_free, bool in_next_cycle, Cycle cycle) const;
  [[nodiscard]] KdMask held_by_host() const;

  const KernelTable& table_;
  const ParseLanes& lanes_;
  DispatchPort& policy_;
  RetireUnit& retire_;
  ReleaseUnit& release_;
  DeviceLauncher launcher_;
  Suspender suspender_;
  LaunchPort unit_;
  SourcePort order_;
  GroupStage groups_;
  std::set<std::pair<std::uint64_t, std::string>> held_kernels_;  ///< module and name
  Maybe<SourcePick> picked_;                                      ///< in this cycle, by the source order
};

}  // namespace castor::gpu
