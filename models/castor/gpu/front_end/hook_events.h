#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/launch_records.h"
#include "castor/gpu/hooks/events.h"
#include "castor/gpu/launch_record.h"

namespace castor::gpu {

/// Returns the hook event for a TB of a kernel on an SM. The member of the event record tells the type of the event.
[[nodiscard]] inline TbEvent tb_event(const KernelContext& kernel, unsigned sm, std::uint64_t gid) {
  TbEvent event;
  event.sm = static_cast<std::uint16_t>(sm);
  event.kd = kernel.entry;
  event.queue = kernel.queue;
  event.kid = kernel.kid;
  event.gid = static_cast<std::uint32_t>(gid);
  event.group = kernel.group;
  return event;
}

/// Events of one front-end cycle, for its hooks (docs/gpu/hooks.md, "Hooks"). Each part records its events in the cycle
/// and step in which they happen. Hooks read in F5 (placement), F8 (parse) and F10 (clock) the events recorded so far.
/// On a machine without hooks no event is recorded.
class HookEvents {
 public:
  /// `on`: the machine has a hook.
  HookEvents(bool on, unsigned sms) : on_(on) { retired_.reserve(sms); }
  void enable() { on_ = true; }
  [[nodiscard]] bool on() const { return on_; }

  /// Starts a cycle: clears all events.
  void begin(Cycle now) {
    events_ = {};
    retired_.clear();
    left_.clear();
    came_back_.clear();
    cycle_ = now;
  }
  /// Returns the cycle of the last `begin`; kForever before the first.
  [[nodiscard]] Cycle cycle() const { return cycle_; }

  /// Records a TB whose retire message was taken.
  void retired(const TbEvent& tb) {
    if (!on_) return;
    retired_.push_back(tb);
    events_.retired = {retired_.data(), retired_.size()};
  }
  /// Records the TB that was counted as complete.
  void done(const TbEvent& tb) {
    if (on_) events_.done = tb;
  }
  void placed(const TbEvent& tb) {
    if (on_) events_.placed = tb;
  }
  /// Records a TB that leaves its SM before it is complete (`left`), or is sent to an SM again (`restored`). These
  /// events are for mechanisms; hooks do not see them.
  void left(const TbEvent& tb) {
    if (on_) left_.push_back(tb);
  }
  void restored(const TbEvent& tb) {
    if (on_) came_back_.push_back(tb);
  }
  void started(const KernelContext& kernel) {
    if (on_) events_.started = KernelEvent{kernel.entry, kernel.queue, kernel.kid, false};
  }
  /// Records the kernel or group that is pushed to the dispatch policy.
  void pushed(const LaunchRecord& record) {
    if (on_) events_.pushed = work_item(record);
  }
  /// Records a completed kernel; `last`: it was the last of its queue's job, or its queue is empty.
  void completed(const KernelContext& kernel, bool last) {
    if (on_) events_.completed = KernelEvent{kernel.entry, kernel.queue, kernel.kid, last};
  }
  /// Returns the events, without an access to a hook's registers.
  [[nodiscard]] const FrontEvents& all() const { return events_; }
  /// Returns the events as the hook sees them that serves this access to its registers.
  [[nodiscard]] FrontEvents with(const Maybe<RegisterAccess>& access) const {
    FrontEvents events = events_;
    events.reg = access;
    return events;
  }
  /// Notifies a mechanism of the front end of the events of this cycle.
  template <class Mechanism>
  void tell(Mechanism& mechanism) const {
    if (events_.placed) mechanism.placed(*events_.placed);
    for (const TbEvent& tb : left_) mechanism.left(tb);
    for (const TbEvent& tb : came_back_) mechanism.restored(tb);
    for (const TbEvent& tb : retired_) mechanism.retired(tb);
    if (events_.started) mechanism.started(*events_.started);
    if (events_.completed) mechanism.ended(*events_.completed);
  }
  [[nodiscard]] bool any() const {
    return !retired_.empty() || !left_.empty() || !came_back_.empty() || events_.placed || events_.done ||
           events_.started || events_.completed;
  }
  /// Returns whether a retired TB of an SM was recorded in this cycle.
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
  std::vector<TbEvent> retired_;  // storage of events_.retired
  std::vector<TbEvent> left_, came_back_;
};

}  // namespace castor::gpu
