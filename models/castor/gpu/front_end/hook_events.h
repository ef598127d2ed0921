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
  HookEvents(bool on, unsigned sms) : on_(on) { retired_.reserve(sms); }
  void enable() { on_ = true; }
  [[nodiscard]] bool on() const { return on_; }

  /// Start of a cycle: nothing has happened.
  void begin(Cycle now) {
    events_ = {};
    retired_.clear();
    left_.clear();
    came_back_.clear();
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
  /// A TB leaves its SM before it is complete, or goes to one again. Hooks do not see that.
  void left(const TbEvent& tb) {
    if (on_) left_.push_back(tb);
  }
  void came_back(const TbEvent& tb) {
    if (on_) came_back_.push_back(tb);
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
  /// Tells a mechanism of the front end what has happened.
  template <class Mechanism>
  void tell(Mechanism& mechanism) const {
    if (events_.placed) mechanism.placed(*events_.placed);
    for (const TbEvent& tb : left_) mechanism.left(tb);
    for (const TbEvent& tb : came_back_) mechanism.came_back(tb);
    for (const TbEvent& tb : retired_) mechanism.retired(tb);
    if (events_.started) mechanism.started(*events_.started);
    if (events_.completed) mechanism.ended(*events_.completed);
  }
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
  std::vector<TbEvent> left_, came_back_;
};

}  // namespace castor::gpu
