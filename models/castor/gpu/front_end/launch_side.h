#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/group_stage.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/launch_port.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/release_unit.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/front_end/source_port.h"
#include "castor/gpu/front_end/suspender.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {

/// Launch side: mechanism of the front end for programs that launch from device code. It contains the device launcher,
/// the suspender and the group stage. It also contains the ports for the launch unit and the source order, which are
/// clocked even if no program launches from device code.
class LaunchSide : public FrontEndMechanism {
 public:
  explicit LaunchSide(const FrontEndParts& parts);

  [[nodiscard]] DeviceLauncher& launcher() { return launcher_; }
  /// Implements Device::hold_kernel. Has no effect without a launch unit.
  void hold_kernel(const isa::Program& program, bool on);

  [[nodiscard]] bool present() const { return launcher_.on() || clocked(); }
  [[nodiscard]] bool clocked() const { return unit_.on() || order_.on(); }
  void idle(Cycle cycles) {
    if (unit_.on()) unit_.idle(cycles);
    if (order_.on()) order_.idle(cycles);
  }
  void begin() {
    picked_.reset();
    order_.begin();
  }
  void receive(Cycle now) {
    if (!launcher_.on()) return;
    launcher_.look();
    suspender_.look();
    groups_.look(now);
  }
  /// Takes blocks that were suspended, and ends blocks that have retired.
  void accept_messages(Cycle now);
  /// Counts a TB of a group that the retire unit has drained.
  void count(Cycle /*now*/) {
    if (const std::optional<TbEvent> tb = retire_.take_group_tb()) groups_.count(*tb);
  }
  void restore(Cycle now) { suspender_.restore(now); }
  void group(Cycle now) { groups_.step(now); }
  /// Closes launches, one level of their trees per cycle. If no kernel completes in the cycle, a kernel with only
  /// suspended blocks left leaves the table.
  void close(Cycle now);
  /// Returns the entries to which groups are about to attach, or whose kernels the host holds (Device::hold_kernel).
  [[nodiscard]] KdMask hold() const { return held_kernels_.empty() ? unit_.hold() : unit_.hold() | held_by_host(); }
  [[nodiscard]] const char* holds(unsigned entry) const {
    return hold()[entry] ? "held for groups (castorHoldKernel)" : "";
  }
  [[nodiscard]] bool offers_kernel() const { return launcher_.ready(); }
  [[nodiscard]] bool offers_tb(Cycle now) const { return suspender_.ready(now); }
  /// Returns the pick of the source order, if there is a source order and a loaded program launches from device code.
  [[nodiscard]] std::optional<int> choose(Cycle now);
  [[nodiscard]] bool grant(unsigned source, Cycle now, ParseStage::Granted& granted);
  void resume(Cycle now) { suspender_.finish(now); }
  /// Returns false in a cycle in which a group has attached.
  [[nodiscard]] bool takes_kernel(Cycle now) const { return !groups_.attached(now); }
  void step(Cycle now) {
    if (launcher_.on()) launcher_.step(now);
  }
  void clock_block(Cycle now) {
    if (unit_.on()) unit_.clock(now);
    if (order_.on()) order_.clock(now);
  }

  void add_waiting(DispatchState& state) const {
    state.waiting = state.waiting || launcher_.pending();
    suspender_.add_waiting(state);
  }

  void completed(const LaunchRecord& record) {
    if (record.launch != 0) launcher_.complete(record);
  }
  void tree_stopped(const LaunchRecord& record) {
    launcher_.stop(record);
    suspender_.stop(*record.root);
  }
  void abandon(Cycle /*now*/) {
    for (const LaunchRecord* const root : launcher_.abandon()) suspender_.stop(*root);
  }
  void device_reset();

  [[nodiscard]] bool stirred() const;
  [[nodiscard]] Cycle next(Cycle now) const { return std::min(unit_.next(now), order_.next(now)); }
  [[nodiscard]] Cycle next_work(Cycle now) const;
  [[nodiscard]] bool inert() const { return unit_.inert() && order_.inert(); }
  [[nodiscard]] bool empty() const { return launcher_.idle(); }
  [[nodiscard]] std::uint64_t progress() const { return launcher_.progress(); }
  [[nodiscard]] std::string waiting() const { return launcher_.waiting() + suspender_.waiting(); }
  [[nodiscard]] std::string where(Ticket ticket) const {
    return launcher_.waits_for_tree(ticket) ? "whose kernel waits for launches by device code" : "";
  }
  void waits(WaitGraph& graph) const {
    unit_.waits(graph);
    order_.waits(graph);
  }
  void add_waves(Waves& waves, const std::string& scope) const {
    unit_.add_waves(waves, scope);
    order_.add_waves(waves, scope);
  }

 private:
  [[nodiscard]] Sources sources(const QueueMask& queues, bool in_next_cycle, Cycle cycle) const;
  [[nodiscard]] KdMask held_by_host() const;

  const KernelTable& table_;
  const ParseLanes& lanes_;
  ParseStage& parse_;
  const JobInspector& inspector_;
  const HookEvents& events_;
  DispatchPort& policy_;
  RetireUnit& retire_;
  ReleaseUnit& release_;
  DeviceLauncher launcher_;
  Suspender suspender_;
  LaunchPort unit_;
  SourcePort order_;
  GroupStage groups_;
  std::set<std::pair<std::uint64_t, std::string>> held_kernels_;  ///< kernels held by the host: module and name
  Maybe<SourcePick> picked_;                                      ///< pick of the source order in this cycle
};

}  // namespace castor::gpu
