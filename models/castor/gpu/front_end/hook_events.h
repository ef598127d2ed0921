#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/launch_records.h"
#include "castor/gpu/hooks/events.h"
#include "castor/gpu/launch_record.h"

namespace castor::gpu {

/// A TB of a kernel on an SM, for hooks; what happened to it is where it is told.
[[nodiscard]] inline TbEvent tb_event(const KernelContext& kernel, unsigned sm, std::uint64_t gid) {
  TbEvent event;
  event.sm = static_cast<std::uint8_t>(sm);
  event.kd = kernel.entry;
  event.queue = kernel.queue;
  event.kid = kernel.kid;
  event.gid = static_cast<std::uint32_t>(gid);
  event.group = kernel.group;
  return event;
}

/// Events of a cycle of the front end, for its hooks (docs/gpu/hooks.md, "Hooks"): each part tells the step that
/// it takes, in the cycle in which it takes it, and hooks read in F5, F8 and F10 what has been told by then. On a
/// machine without hooks nothing is kept.
class HookEvents {
 public:
  /// `on`: there is a hook.
  HookEvents(bool on, unsigned sms) : on_(on) {
    if (on) retired_.reserve(sms);
  }
  [[nodiscard]] bool on() const { return on_; }

  /// Start of a cycle: nothing has happened.
  void begin(Cycle now) {
    events_ = {};
    retired_.clear();
    cycle_ = now;
  }
  /// That of the last `begin`; kForever before the first.
  [[nodiscard]] Cycle cycle() const { return cycle_; }

  void retired(const TbEvent& tb) {
    if (!on_) return;
    retired_.push_back(tb);
    events_.retired = {retired_.data(), retired_.size()};
  }
  void done(const TbEvent& tb) {
    if (on_) events_.done = tb;
  }
  void placed(const TbEvent& tb) {
    if (on_) events_.placed = tb;
  }
  void started(const KernelContext& kernel) {
    if (on_) events_.started = KernelEvent{kernel.entry, kernel.queue, kernel.kid, false};
  }
  void pushed(const LaunchRecord& record) {
    if (on_) events_.pushed = work_item(record);
  }
  void completed(const KernelContext& kernel, bool last) {
    if (on_) events_.completed = KernelEvent{kernel.entry, kernel.queue, kernel.kid, last};
  }
  /// The access that the job scheduler has to answer; none: there is none.
  void access(const Maybe<RegisterAccess>& access) { events_.reg = access; }

  [[nodiscard]] const FrontEvents& all() const { return events_; }
  [[nodiscard]] bool any() const {
    return !retired_.empty() || events_.placed || events_.done || events_.started || events_.completed || events_.reg;
  }
  /// A TB of an SM has been told as retired in this cycle.
  [[nodiscard]] bool retired_on(unsigned sm) const {
    return std::any_of(retired_.begin(), retired_.end(), [&](const TbEvent& event) { return event.sm == sm; });
  }

 private:
  [[nodiscard]] static WorkItem work_item(const LaunchRecord& record) {
    const KernelContext& kernel = record.context;
    WorkItem item;
    item.kd = kernel.entry;
    item.queue = kernel.queue;
    item.kid = kernel.kid;
    item.tbs = static_cast<std::uint32_t>(kernel.grid.count());
    item.grid = kernel.grid;
    item.param = kernel.parameters;
    item.need = kernel.need;
    item.group = kernel.group;
    item.level = record.level;
    item.parent_sm = record.parent_sm;
    return item;
  }

  bool on_;
  Cycle cycle_ = kForever;
  FrontEvents events_;
  std::vector<TbEvent> retired_;  // what events_.retired shows
};

}  // namespace castor::gpu
