#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/launch/runtime_call.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/unit.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

class SyncLink;
class Waves;
struct SavedTb;

/// Queue of registered messages between front end and SM. Each message is visible to the receiver from its stamp on.
/// Messages are read in the order in which they were sent.
template <class Message>
class Mailbox {
 public:
  void push(Message message) {
    if (messages_.full()) messages_.set_capacity(messages_.capacity() * 2);
    messages_.push_back(std::move(message));
  }
  /// Returns the oldest message if it is visible in `now`, else null.
  [[nodiscard]] const Message* head(Cycle now) const {
    return messages_.empty() || messages_.front().visible > now ? nullptr : &messages_.front();
  }
  void pop() { messages_.pop_front(); }
  /// Returns the stamp of the oldest message; kForever if empty.
  [[nodiscard]] Cycle next() const { return messages_.empty() ? kForever : messages_.front().visible; }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }

 private:
  boost::circular_buffer<Message> messages_{8};
};

/// Message from front end to SM: start this TB.
struct TbStartMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  ItemData item;               ///< copy of the data of the TB's kernel or group
  std::uint64_t gid = 0;       ///< linear index of the TB in the item's grid
  std::uint64_t position = 0;  ///< position of the TB in dispatch order
  std::uint32_t group = kNoGroup;
  std::uint32_t level = 0;               ///< nesting depth of the launch; 0 for a launch by the host
  std::uint16_t parent_sm = 0;           ///< SM whose device code made the launch
  Cycle acquire = 0;                     ///< L1 lines filled before this cycle count as absent for the TB
  std::shared_ptr<const SavedTb> saved;  ///< saved context from which the TB resumes; null: it starts anew
  /// with `saved`: cycles after `visible` until the context has been moved in; with `context`: cycles that this has
  /// taken
  Cycle load = 0;
  std::optional<std::uint8_t> context;  ///< kept context in which the TB starts; empty: the lowest free one
  /// The dispatch policy sends linear indices. The SM then needs sm.tb_divide_cycles for a two- or three-dimensional
  /// index.
  bool divide = false;
};

/// Message from SM to front end: all warps of a TB have drained. The TB's slot, warps and storage in the SM are free.
struct TbRetireMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  std::uint8_t slot = 0;  ///< index of the TB context
  /// number of warp instructions that the TB issued; for the kernel's statistics
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  ///< thread instructions: warp instructions weighted by active lanes
  BlockId caller = 0;                     ///< the TB's number in the device runtime; 0 if it has made no runtime call
};

/// Message from SM to front end: device code caused a fault, which stops its kernel.
struct FaultMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  Fault fault;
};

/// Message from SM to front end: a warp waits for a runtime service (printf, malloc, free, assert, registers of
/// blocks). The front end answers with SmUnit::serve, in the order of the SMs. Results that depend on the order of
/// calls (heap, output) are therefore independent of the order of ticks.
struct ServiceMessage {
  Cycle visible = 0;
  unsigned warp = 0;
  const KernelContext* kernel = nullptr;  ///< kernel of the warp, which is stopped if the call fails
  std::vector<RegisterAccess> registers;  ///< accesses that the front end makes before it answers
};

/// Message from SM to front end: a warp waits for a call of the device runtime. The front end answers with
/// SmUnit::serve_runtime.
struct RuntimeMessage {
  Cycle visible = 0;
  unsigned warp = 0;
  unsigned lanes = 0;      ///< number of lanes that call
  bool allocates = false;  ///< the call allocates, so it is served one lane per cycle
};

/// Message from SM to front end: the record of an admitted launch is stored, and so are all data that the launch must
/// see.
struct PointerMessage {
  Cycle visible = 0;
  LaunchId launch = 0;
};

/// Message from SM to front end: group launches of a warp's threads, whose records are stored. The SM's command slot
/// becomes free when the front end has taken the whole command (SmUnit::notify_runtime).
struct GroupCommandMessage {
  Cycle visible = 0;
  unsigned warp = 0;
  std::vector<LaneLaunch> groups;  ///< one launch per calling lane, in ascending order of lanes
};

/// Message from front end to SM: an event that runtime calls may wait for.
struct RuntimeNotification {
  Cycle visible = 0;
  BlockId block = 0;  ///< TB whose launches are all closed; 0: a group command was taken
};

/// Message from front end to SM: swap out the resident TBs of a kernel. Their contexts move one after the other: the
/// move of the i-th TB (i = 0, 1, ...) begins `first` + i x `each` cycles after `visible` and takes `each` cycles.
struct SwapOutRequest {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  Ticket ticket = 0;  ///< ticket of the kernel; distinguishes it from a later kernel in the same record
  Cycle first = 0, each = 0;
};

/// Message from SM to front end: a TB was swapped out. Its slot, warps and storage in the SM are free.
struct TbSaveMessage {
  Cycle visible = 0;
  std::shared_ptr<const SavedTb> tb;
};

/// Message from SM to the page allocator in the front end: the SM needs an image of a kernel, the memory for one
/// swapped-out TB, or gives one back. The size of an image is the kernel's (KernelContext::image_bytes).
struct PageRequestMessage {
  Cycle visible = 0;
  Ticket ticket = 0;               ///< ticket of the kernel or group of the TB
  std::uint16_t entry = 0;         ///< kernel table entry
  std::uint32_t group = kNoGroup;  ///< the group; kNoGroup: the TB belongs to no group
  std::uint64_t returns = 0;       ///< address of the image that is given back; 0: an image is needed
};

/// Message from the page allocator to an SM: this image is the SM's.
struct PageGrantMessage {
  Cycle visible = 0;
  Ticket ticket = 0;          ///< ticket of the kernel or group, from the request
  std::uint64_t address = 0;  ///< device address of the image, a multiple of 128
};

/// Output queues of an SM for its messages to the front end. A retire message travels on the retire wire and through
/// the done FIFO. The front end reads it twice: when it becomes visible on the wire, and when it is drained.
class SmOutbox {
 public:
  void retire(const TbRetireMessage& message) {
    wake_front_end(message.visible);
    retired_.push(message);
  }
  void report(FaultMessage message) {
    wake_front_end(message.visible);
    faults_.push(std::move(message));
  }
  void ask(ServiceMessage message) {
    wake_front_end(message.visible);
    services_.push(std::move(message));
  }
  void request_launch(const RuntimeMessage& message) {
    wake_front_end(message.visible);
    runtime_calls_.push(message);
  }
  void point(const PointerMessage& message) {
    wake_front_end(message.visible);
    pointers_.push(message);
  }
  void command(GroupCommandMessage message) {
    wake_front_end(message.visible);
    commands_.push(std::move(message));
  }
  void request_page(const PageRequestMessage& message) {
    wake_front_end(message.visible);
    page_requests_.push(message);
  }
  /// Sends a TB that was swapped out. `waits`: the TB waits for its launches.
  void save(TbSaveMessage message, bool waits) {
    wake_front_end(message.visible);
    (waits ? suspended_ : saved_).push(std::move(message));
  }
  /// Returns whether the front end has taken every message.
  [[nodiscard]] bool empty() const {
    return retired_.size() == 0 && faults_.size() == 0 && services_.size() == 0 && runtime_calls_.size() == 0 &&
           pointers_.size() == 0 && commands_.size() == 0 && suspended_.size() == 0 && saved_.size() == 0 &&
           page_requests_.size() == 0;
  }

  [[nodiscard]] Mailbox<TbRetireMessage>& retired() { return retired_; }
  [[nodiscard]] Mailbox<FaultMessage>& faults() { return faults_; }
  [[nodiscard]] Mailbox<ServiceMessage>& services() { return services_; }
  [[nodiscard]] Mailbox<RuntimeMessage>& runtime_calls() { return runtime_calls_; }
  [[nodiscard]] Mailbox<PointerMessage>& pointers() { return pointers_; }
  [[nodiscard]] Mailbox<GroupCommandMessage>& commands() { return commands_; }
  [[nodiscard]] Mailbox<TbSaveMessage>& suspended() { return suspended_; }
  [[nodiscard]] Mailbox<TbSaveMessage>& saved() { return saved_; }
  [[nodiscard]] Mailbox<PageRequestMessage>& page_requests() { return page_requests_; }
  /// Sets and returns the SM's link to the synchronisation network, null if there is none. Its messages do not count
  /// for `empty`.
  void set_sync_link(SyncLink& link) { sync_link_ = &link; }
  [[nodiscard]] SyncLink* sync_link() const { return sync_link_; }
  /// Sets the unit that is woken when a message is sent.
  void set_front_end(Unit& front_end) { front_end_ = &front_end; }
  /// Wakes the front end in `cycle`; with a HandOver, only when `deliver` is called.
  void wake_front_end(Cycle cycle) {
    wake_ = std::min(wake_, cycle);
    hand_over_ != nullptr ? hand_over_->raise() : deliver();
  }
  /// From now on the front end is woken only by `deliver`; `hand_over` is raised when a wake-up is pending.
  void hold(HandOver& hand_over) { hand_over_ = &hand_over; }
  void deliver() {
    if (front_end_ != nullptr && wake_ != kForever) front_end_->wake_at(wake_);
    wake_ = kForever;
  }

 private:
  Unit* front_end_ = nullptr;
  SyncLink* sync_link_ = nullptr;
  HandOver* hand_over_ = nullptr;
  Cycle wake_ = kForever;
  Mailbox<TbRetireMessage> retired_;
  Mailbox<FaultMessage> faults_;
  Mailbox<ServiceMessage> services_;
  Mailbox<RuntimeMessage> runtime_calls_;
  Mailbox<PointerMessage> pointers_;
  Mailbox<GroupCommandMessage> commands_;
  Mailbox<TbSaveMessage> suspended_, saved_;
  Mailbox<PageRequestMessage> page_requests_;
};

/// An SM as the front end sees it. `Sm` executes instructions, `ReplaySm` replays recorded service times.
///
/// The SM counts its free resources itself and asserts them at every placement. It handles one TB start per tick. A
/// retire message needs a credit of the done FIFO (machine key done_fifo). The credit returns when the front end drains
/// the message.
class SmUnit : public Unit {
 public:
  SmUnit(unsigned index, unsigned done_fifo) : done_credits_(done_fifo), index_(index) {}

  [[nodiscard]] unsigned index() const { return index_; }

  /// Sends a TB to the SM; message.visible >= now + 1.
  void start(const TbStartMessage& message) {
    inbox_.push(message);
    wake_at(message.visible);
  }
  /// Grants an image to the SM; message.visible >= now + 1, not before the stamp of an earlier grant.
  void grant_page(const PageGrantMessage& message) {
    page_grants_.push(message);
    wake_at(message.visible);
  }
  /// Stops all TBs of a kernel. They issue no further instruction, and retire when their accesses in flight are
  /// complete.
  virtual void kill(const KernelContext& kernel, Cycle visible) = 0;
  /// Swaps out the TBs of a kernel; request.visible >= now + 1. A TB that completes before its turn retires instead.
  virtual void swap_out(const SwapOutRequest& /*request*/) {}
  /// Enables or disables the SM's clock from cycle `from` on. A disabled SM neither ticks nor counts, and its messages
  /// wait. Must be called before the SM's tick of `from`, in ascending order of cycles.
  virtual void set_clock_enable(bool enable, Cycle from) = 0;
  /// Serves the call announced by a ServiceMessage. The warp may resume in cycle `resume`. `services`: null if the
  /// kernel of the warp was stopped meanwhile; the call is then answered without effect, so that the warp can end.
  virtual std::optional<Fault> serve(unsigned warp, DeviceServices* services, Cycle resume) = 0;
  /// Serves the call announced by a RuntimeMessage. The reply reaches the SM in cycle `reply`.
  virtual void serve_runtime(unsigned /*warp*/, LaunchService& /*service*/, Cycle /*reply*/) {}
  /// Notifies the SM of an event for its runtime calls.
  virtual void notify_runtime(const RuntimeNotification& /*notification*/) {}
  /// Returns a credit of the done FIFO: the front end took a completion in `now`.
  void done_drained(Cycle now) {
    if (done_credits_.give_back(1, now)) wake_at(now + 1);
  }

  [[nodiscard]] Mailbox<TbRetireMessage>& retired() { return outbox_.retired(); }
  [[nodiscard]] Mailbox<FaultMessage>& faults() { return outbox_.faults(); }
  [[nodiscard]] Mailbox<ServiceMessage>& services() { return outbox_.services(); }
  [[nodiscard]] Mailbox<RuntimeMessage>& runtime_calls() { return outbox_.runtime_calls(); }
  [[nodiscard]] Mailbox<PointerMessage>& pointers() { return outbox_.pointers(); }
  [[nodiscard]] Mailbox<GroupCommandMessage>& commands() { return outbox_.commands(); }
  /// TBs that were swapped out: to wait for their launches (`suspended`), or for any other reason (`saved`).
  [[nodiscard]] Mailbox<TbSaveMessage>& suspended() { return outbox_.suspended(); }
  [[nodiscard]] Mailbox<TbSaveMessage>& saved() { return outbox_.saved(); }
  [[nodiscard]] Mailbox<PageRequestMessage>& page_requests() { return outbox_.page_requests(); }
  /// Returns the SM's link to the synchronisation network; null if the machine has none.
  [[nodiscard]] SyncLink* sync_link() const { return outbox_.sync_link(); }

  /// Returns the SM's activity in its last tick before `now`, while pulses are read. The activity of a sleeping SM does
  /// not change.
  [[nodiscard]] const SmPulse& pulse(Cycle now) const { return pulse_at_ < now ? pulse_ : previous_pulse_; }
  /// Returns whether no TB is resident or in flight to the SM, and no access or message is in flight.
  [[nodiscard]] virtual bool idle() const = 0;
  /// Returns the reason for which each resident TB and warp waits, one line each; for deadlock reports.
  [[nodiscard]] virtual std::string waiting() const = 0;
  /// Adds the reason for which each resident TB and warp waits to a wait graph.
  virtual void waits(WaitGraph& /*graph*/) const {}

  /// Declares the SM's signals; called once, before the first cycle.
  virtual void add_waves(Waves& /*waves*/, const std::string& /*scope*/) const {}

  /// Sets the front end, which is woken for each message and, while pulses are read, when the pulse changes.
  void set_front_end(Unit& front_end) { outbox_.set_front_end(front_end); }
  /// Sets that governors read the pulse from cycle `from` on, or no longer read it. The pulse is 0 at first. The SM
  /// ticks in `from`, so that the pulse does not depend on whether it slept.
  void read_pulses(bool read, Cycle from) {
    if (!read) {
      pulses_until_ = from;
      return;
    }
    pulses_from_ = from;
    pulses_until_ = kForever;
    pulse_ = previous_pulse_ = {};
    wake_at(from);
  }

 protected:
  /// Returns whether the pulse of cycle `now` is read. If not, the SM need not compute it.
  [[nodiscard]] bool pulses_read(Cycle now) const { return pulses_from_ <= now && now < pulses_until_; }
  void set_pulse(const SmPulse& pulse, Cycle now) {
    if (!pulses_read(now)) return;
    if (pulse != pulse_) outbox_.wake_front_end(now + 1);
    previous_pulse_ = pulse_;
    pulse_ = pulse;
    pulse_at_ = now;
  }

  Mailbox<TbStartMessage> inbox_;
  Mailbox<PageGrantMessage> page_grants_;
  SmOutbox outbox_;
  Credits done_credits_;

 private:
  SmPulse pulse_, previous_pulse_;
  Cycle pulse_at_ = 0;

  unsigned index_;
  Cycle pulses_from_ = kForever, pulses_until_ = kForever;  // cycles whose pulses are read
};

}  // namespace castor::gpu
