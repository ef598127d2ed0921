#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/device.h"
#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/register_port.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Fault unit: handles faults of kernels, and calls of device code into the runtime, which may end in a fault. A call
/// that accesses registers of blocks is served when all its accesses have been answered. A kernel with a fault is
/// stopped on all SMs: no TB of it is placed any more, and its TBs retire when their instructions in flight are done.
/// Other kernels continue.
///
/// In a cycle: `step` in F2, after the retire messages; `fail` and `hook_error` in any step. `Mechanisms`: a
/// FrontEndMechanismList, whose mechanisms are notified of stopped kernels.
template <class Mechanisms>
class FaultUnit {
 public:
  FaultUnit(const std::vector<SmUnit*>& sms, KernelTable& table, const Ledger& ledger, Dispatcher& dispatcher,
            RegisterPort& registers, Mechanisms& mechanisms)
      : sms_(sms),
        table_(table),
        ledger_(ledger),
        dispatcher_(dispatcher),
        registers_(registers),
        mechanisms_(mechanisms) {}

  /// Sets the runtime services for device code. Called before the first call of device code.
  void set_services(DeviceServices& services) { services_ = &services; }
  /// Takes the faults and calls of all SMs, in the order of SM numbers. State shared by calls therefore does not depend
  /// on the order in which SMs tick.
  void step(Cycle now);
  /// Stops a kernel with a fault. Has no effect if the kernel is stopped already: only the first fault is reported. If
  /// device code launches in the kernel's tree, the whole tree is stopped.
  void fail(unsigned entry, Fault fault, Cycle now);
  /// Stops the kernel of an SM's context with a fault. If the context belongs to a group, the group's tree is stopped
  /// too.
  void fail(const KernelContext& kernel, Fault fault, Cycle now);
  /// Fails the kernel of entry `blamed`, or all kernels in the table if it is empty, because a block reports an error.
  void hook_error(const std::string& hook, unsigned code, std::uint64_t info, Maybe<unsigned> blamed, Cycle now);
  /// Stops all kernels and forgets all faults that were not taken.
  void abandon(Cycle now);

  /// Takes the oldest fault that was not taken; empty if there is none.
  [[nodiscard]] std::optional<Fault> take();
  /// Returns the stamp of the oldest message of an SM that was not taken; 0 if a call has its replies.
  [[nodiscard]] Cycle next() const {
    Cycle next = !calls_.empty() && replied(calls_.front()) ? 0 : kForever;
    for (SmUnit* const sm : sms_) next = std::min({next, sm->faults().next(), sm->services().next()});
    return next;
  }

 private:
  /// Call of device code that waits for replies of blocks.
  struct RegisterCall {
    SmUnit* sm;
    unsigned warp;
    const KernelContext* kernel;
    std::vector<std::uint64_t> accesses;  ///< numbers of the register port, in the order of the lanes
  };

  [[nodiscard]] bool replied(const RegisterCall& call) const {
    return registers_.has_reply(call.accesses.back());  // the port answers in the order of the accesses
  }
  void access_registers(SmUnit& sm, const ServiceMessage& call, Cycle now);
  void answer_oldest_access(Cycle now);
  void serve(SmUnit& sm, unsigned warp, const KernelContext* kernel, Cycle now);
  void stop(unsigned entry, Cycle now);
  void stop(GroupLedger::Group& group, Cycle now);
  void stop_tree(const LaunchRecord& record, Cycle now);

  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  const Ledger& ledger_;
  Dispatcher& dispatcher_;
  RegisterPort& registers_;
  Mechanisms& mechanisms_;
  DeviceServices* services_ = nullptr;
  std::deque<RegisterCall> calls_;
  std::deque<Fault> faults_;
};

template <class Mechanisms>
void FaultUnit<Mechanisms>::step(Cycle now) {
  for (SmUnit* const sm : sms_) {
    Mailbox<FaultMessage>& faults = sm->faults();
    while (const FaultMessage* const message = faults.head(now)) {
      fail(*message->kernel, message->fault, now);
      faults.pop();
    }
    Mailbox<ServiceMessage>& services = sm->services();
    while (const ServiceMessage* const message = services.head(now)) {
      const ServiceMessage call = *message;
      services.pop();
      if (call.registers.empty()) {
        serve(*sm, call.warp, call.kernel, now);
      } else {
        access_registers(*sm, call, now);
      }
    }
  }
  while (!calls_.empty() && replied(calls_.front())) answer_oldest_access(now);
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::access_registers(SmUnit& sm, const ServiceMessage& call, Cycle now) {
  RegisterCall made{&sm, call.warp, call.kernel, {}};
  for (const RegisterAccess& access : call.registers) {
    made.accesses.push_back(registers_.access(access, now + 1, true));
  }
  calls_.push_back(std::move(made));
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::answer_oldest_access(Cycle now) {
  const RegisterCall call = std::move(calls_.front());
  calls_.pop_front();
  std::vector<RegisterReply> replies;
  for (const std::uint64_t number : call.accesses) replies.push_back(*registers_.reply(number));
  services_->register_replies = &replies;
  serve(*call.sm, call.warp, call.kernel, now);
  services_->register_replies = nullptr;
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::serve(SmUnit& sm, unsigned warp, const KernelContext* kernel, Cycle now) {
  const bool stopped = kernel != nullptr && table_.of(*kernel).killed;
  CASTOR_ASSERT_AT(now, services_ != nullptr, "device code calls the runtime, but the machine has no device runtime");
  std::optional<Fault> fault = sm.serve(warp, stopped ? nullptr : services_, now + 1);
  if (!fault) return;
  CASTOR_ASSERT_AT(now, kernel != nullptr, "runtime call of SM %u names no kernel", sm.index());
  fail(*kernel, std::move(*fault), now);
}

// A group's launch tree differs from the tree of the kernel to which the group is attached. Both trees stop.
template <class Mechanisms>
void FaultUnit<Mechanisms>::fail(const KernelContext& kernel, Fault fault, Cycle now) {
  fail(kernel.entry, std::move(fault), now);
  if (kernel.group != kNoGroup) stop_tree(table_.record_of(kernel), now);
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::fail(unsigned entry, Fault fault, Cycle now) {
  if (table_[entry].killed) return;
  faults_.push_back(std::move(fault));
  if (table_[entry].record->launch != 0) return stop_tree(*table_[entry].record, now);
  stop(entry, now);
}

// Launches by device code are stopped together with the launch that made them, because neither can proceed without the
// other.
template <class Mechanisms>
void FaultUnit<Mechanisms>::stop_tree(const LaunchRecord& record, Cycle now) {
  mechanisms_.each([&](auto& mechanism) { mechanism.tree_stopped(record); });
  const LaunchRecord& root = *record.root;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state != EntryState::kFree && kernel.record->root == &root) stop(entry, now);
  }
  table_.groups().each([&](GroupLedger::Group& group) {
    if (group.record->root == &root) stop(group, now);
  });
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::stop(GroupLedger::Group& group, Cycle now) {
  group.stopped = true;
  const KernelContext& context = group.record->context;
  for (SmUnit* const sm : sms_) {
    if (ledger_.resident(sm->index(), context.entry) != 0) sm->kill(context, now + 1);
  }
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::stop(unsigned entry, Cycle now) {
  const KernelEntry& kernel = table_[entry];
  if (kernel.killed) return;
  table_.kill(entry);
  if (kernel.state != EntryState::kWritten) return;
  dispatcher_.stop(entry);
  mechanisms_.each([&](auto& mechanism) { mechanism.stopped(entry); });
  for (SmUnit* const sm : sms_) {
    if (ledger_.resident(sm->index(), entry) != 0) sm->kill(kernel.context(), now + 1);
  }
  if (table_.groups().empty()) return;
  table_.groups().each([&](GroupLedger::Group& group) {
    if (group.record->context.entry == entry) stop(group, now);
  });
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::hook_error(const std::string& hook, unsigned code, std::uint64_t info,
                                       Maybe<unsigned> blamed, Cycle now) {
  const std::string text = hook + " reports error " + std::to_string(code) + " (information " + std::to_string(info) +
                           ") in cycle " + std::to_string(now);
  if (blamed && (*blamed >= table_.size() || table_[*blamed].state == EntryState::kFree)) {
    throw base::Error(text + " and blames the kernel of entry " + std::to_string(*blamed) + ": not there");
  }
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kFree || (blamed && *blamed != entry)) continue;
    Fault fault;
    fault.kind = FaultKind::kIllegalInstruction;
    fault.kernel = kernel.context().program->kernel;
    const std::string name = base::readable_name(fault.kernel);
    fault.message = text + (blamed ? " about kernel " + name : " while kernel " + name + " is in the table");
    fail(entry, std::move(fault), now);
  }
}

template <class Mechanisms>
void FaultUnit<Mechanisms>::abandon(Cycle now) {
  mechanisms_.each([&](auto& mechanism) { mechanism.abandon(now); });
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree) stop(entry, now);
  }
  faults_.clear();
}

template <class Mechanisms>
std::optional<Fault> FaultUnit<Mechanisms>::take() {
  if (faults_.empty()) return std::nullopt;
  std::optional<Fault> fault = std::move(faults_.front());
  faults_.pop_front();
  return fault;
}

}  // namespace castor::gpu
