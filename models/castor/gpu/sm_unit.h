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

class Waves;
struct SuspendedTb;

/// Registered messages between front end and SM: each is visible from its stamp on, in the order in which they were
/// sent.
template <class Message>
class Mailbox {
 public:
  void push(Message message) {
    if (messages_.full()) messages_.set_capacity(messages_.capacity() * 2);
    messages_.push_back(std::move(message));
  }
  /// Oldest message if it is visible in `now`.
  [[nodiscard]] const Message* head(Cycle now) const {
    return messages_.empty() || messages_.front().visible > now ? nullptr : &messages_.front();
  }
  void pop() { messages_.pop_front(); }
  [[nodiscard]] Cycle next() const { return messages_.empty() ? kForever : messages_.front().visible; }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }

 private:
  boost::circular_buffer<Message> messages_{8};
};

/// Front end to SM: a TB starts here.
struct TbStartMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  ItemData item;               ///< of the kernel or group
  std::uint64_t gid = 0;       ///< linear index in the item's grid
  std::uint64_t position = 0;  ///< in dispatch order
  std::uint32_t group = kNoGroup;
  std::uint32_t level = 0;
  std::uint8_t parent_sm = 0;
  Cycle acquire = 0;                             ///< L1 lines older than this are absent for the TB
  std::shared_ptr<const SuspendedTb> suspended;  ///< it goes on where it was; null: it begins
  bool divide = false;  ///< the policy sends linear indices: two and three dimensions take sm.tb_divide_cycles
};

/// SM to front end: all warps of a TB are drained; its slot, warps and storage in the SM are free.
struct TbRetireMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  std::uint8_t slot = 0;                  ///< TB context
  std::uint64_t warp_instructions = 0;    ///< that the TB issued; for the kernel's statistics
  std::uint64_t thread_instructions = 0;  ///< the same times active lanes
  BlockId caller = 0;                     ///< its number if it has called the device runtime
};

/// SM to front end: device code did something that stops its kernel.
struct FaultMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  Fault fault;
};

/// SM to front end: a warp waits for a service of the runtime (printf, malloc, free, assert). The front end answers by
/// SmUnit::serve in the order of SMs, so what such calls share (heap, output) does not depend on the order of ticks.
struct ServiceMessage {
  Cycle visible = 0;
  unsigned warp = 0;
  const KernelContext* kernel = nullptr;  ///< of the warp: what stops if the call fails
};

/// SM to front end: a warp waits for a call of the device runtime. The front end answers by SmUnit::serve_runtime.
struct RuntimeMessage {
  Cycle visible = 0;
  unsigned warp = 0;
  unsigned lanes = 0;      ///< that call
  bool allocates = false;  ///< it is served one lane per cycle
};

/// SM to front end: the record of an admitted launch is stored, and all that the launch must see.
struct PointerMessage {
  Cycle visible = 0;
  LaunchId launch = 0;
};

/// SM to front end: groups that threads of a warp launch, whose records are stored. The SM has another place for a
/// command when the front end has taken all of it (SmUnit::tell_runtime).
struct GroupCommandMessage {
  Cycle visible = 0;
  unsigned warp = 0;
  std::vector<LaneLaunch> groups;  ///< in ascending order of lanes
};

/// Front end to SM: something that calls of the device runtime may wait for.
struct RuntimeNews {
  Cycle visible = 0;
  BlockId block = 0;  ///< all launches that this thread block has made are closed; 0: a command was taken
};

/// SM to front end: a TB has left to wait for launches; its slot, warps and storage in the SM are free.
struct SuspendMessage {
  Cycle visible = 0;
  std::shared_ptr<const SuspendedTb> tb;
};

/// Where an SM puts its messages to the front end. Retire wire and done FIFO carry the same messages; the front end
/// looks at each twice: on the wire when it becomes visible, and when it is drained.
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
  void ask(const ServiceMessage& message) {
    wake_front_end(message.visible);
    services_.push(message);
  }
  void ask_launcher(const RuntimeMessage& message) {
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
  void suspend(SuspendMessage message) {
    wake_front_end(message.visible);
    suspended_.push(std::move(message));
  }
  /// The front end has taken every message.
  [[nodiscard]] bool empty() const {
    return retired_.size() == 0 && faults_.size() == 0 && services_.size() == 0 && runtime_calls_.size() == 0 &&
           pointers_.size() == 0 && commands_.size() == 0 && suspended_.size() == 0;
  }

  [[nodiscard]] Mailbox<TbRetireMessage>& retired() { return retired_; }
  [[nodiscard]] Mailbox<FaultMessage>& faults() { return faults_; }
  [[nodiscard]] Mailbox<ServiceMessage>& services() { return services_; }
  [[nodiscard]] Mailbox<RuntimeMessage>& runtime_calls() { return runtime_calls_; }
  [[nodiscard]] Mailbox<PointerMessage>& pointers() { return pointers_; }
  [[nodiscard]] Mailbox<GroupCommandMessage>& commands() { return commands_; }
  [[nodiscard]] Mailbox<SuspendMessage>& suspended() { return suspended_; }
  /// Who is woken when a message goes out.
  void set_front_end(Unit& front_end) { front_end_ = &front_end; }
  void wake_front_end(Cycle cycle) {
    wake_ = std::min(wake_, cycle);
    hand_over_ != nullptr ? hand_over_->raise() : deliver();
  }
  /// From now on the front end is woken when `deliver` is called, and `hand_over` is raised.
  void hold(HandOver& hand_over) { hand_over_ = &hand_over; }
  void deliver() {
    if (front_end_ != nullptr && wake_ != kForever) front_end_->wake_at(wake_);
    wake_ = kForever;
  }

 private:
  Unit* front_end_ = nullptr;
  HandOver* hand_over_ = nullptr;
  Cycle wake_ = kForever;
  Mailbox<TbRetireMessage> retired_;
  Mailbox<FaultMessage> faults_;
  Mailbox<ServiceMessage> services_;
  Mailbox<RuntimeMessage> runtime_calls_;
  Mailbox<PointerMessage> pointers_;
  Mailbox<GroupCommandMessage> commands_;
  Mailbox<SuspendMessage> suspended_;
};

/// What the front end sees of an SM; `Sm` executes instructions, `ReplaySm` replays service times.
///
/// The SM keeps its own counters of free room and asserts against every placement. TB starts are handled one per tick.
/// A retire needs a credit of the done FIFO (machine key done_fifo), which comes back when the front end drains it.
class SmUnit : public Unit {
 public:
  SmUnit(unsigned index, unsigned done_fifo) : done_credits_(done_fifo), index_(index) {}

  [[nodiscard]] unsigned index() const { return index_; }

  /// A TB is on its way; visible >= now + 1.
  void start(const TbStartMessage& message) {
    inbox_.push(message);
    wake_at(message.visible);
  }
  /// Stops all TBs of a kernel: they issue nothing more, and retire when what they have under way is over.
  virtual void kill(const KernelContext& kernel, Cycle visible) = 0;
  /// From cycle `from` on the SM ticks (or not). A disabled SM neither ticks nor counts; its messages wait. Called
  /// before the SM's tick of `from`, in ascending order.
  virtual void set_clock_enable(bool enable, Cycle from) = 0;
  /// Serves the call that a ServiceMessage announced; the warp may go on in `resume`.
  virtual std::optional<Fault> serve(unsigned warp, DeviceServices& services, Cycle resume) = 0;
  /// Serves the call that a RuntimeMessage announced; its reply is there in cycle `reply`.
  virtual void serve_runtime(unsigned /*warp*/, LaunchService& /*service*/, Cycle /*reply*/) {}
  virtual void tell_runtime(const RuntimeNews& /*news*/) {}
  /// A completion was taken from the done FIFO in `now`.
  void done_drained(Cycle now) {
    if (done_credits_.give_back(1, now)) wake_at(now + 1);
  }

  [[nodiscard]] Mailbox<TbRetireMessage>& retired() { return outbox_.retired(); }
  [[nodiscard]] Mailbox<FaultMessage>& faults() { return outbox_.faults(); }
  [[nodiscard]] Mailbox<ServiceMessage>& services() { return outbox_.services(); }
  [[nodiscard]] Mailbox<RuntimeMessage>& runtime_calls() { return outbox_.runtime_calls(); }
  [[nodiscard]] Mailbox<PointerMessage>& pointers() { return outbox_.pointers(); }
  [[nodiscard]] Mailbox<GroupCommandMessage>& commands() { return outbox_.commands(); }
  [[nodiscard]] Mailbox<SuspendMessage>& suspended() { return outbox_.suspended(); }

  /// What the SM did in the last cycle before `now` in which it ticked; a sleeping SM repeats it.
  [[nodiscard]] const SmPulse& pulse(Cycle now) const { return pulse_at_ < now ? pulse_ : previous_pulse_; }
  /// No TB is here or on its way, and nothing is outstanding.
  [[nodiscard]] virtual bool idle() const = 0;
  /// What each TB and warp that is here waits for, one line each, for deadlock reports.
  [[nodiscard]] virtual std::string waiting() const = 0;
  /// The same as a graph.
  virtual void waits(WaitGraph& /*graph*/) const {}

  /// Declares the SM's signals; called once, before the first cycle.
  virtual void add_waves(Waves& /*waves*/, const std::string& /*scope*/) const {}

  /// The front end is woken when a message goes out and, with `pulses`, when the pulse changes (governors read it).
  void set_front_end(Unit& front_end, bool pulses = false) {
    outbox_.set_front_end(front_end);
    pulses_ = pulses;
  }

 protected:
  /// Whether anyone reads pulses; an SM whose pulses cost something may leave them out otherwise.
  [[nodiscard]] bool pulses_read() const { return pulses_; }
  void set_pulse(const SmPulse& pulse, Cycle now) {
    if (pulses_ && pulse != pulse_) outbox_.wake_front_end(now + 1);
    previous_pulse_ = pulse_;
    pulse_ = pulse;
    pulse_at_ = now;
  }

  Mailbox<TbStartMessage> inbox_;
  SmOutbox outbox_;
  Credits done_credits_;

 private:
  SmPulse pulse_, previous_pulse_;
  Cycle pulse_at_ = 0;

  unsigned index_;
  bool pulses_ = false;
};

}  // namespace castor::gpu
