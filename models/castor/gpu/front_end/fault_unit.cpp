#include "castor/gpu/front_end/fault_unit.h"

#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::gpu {

FaultUnit::FaultUnit(const std::vector<SmUnit*>& sms, KernelTable& table, const Ledger& ledger, Dispatcher& dispatcher,
                     Preemptor& preemptor, DeviceLauncher& launches, Suspender& suspender)
    : sms_(sms),
      table_(table),
      ledger_(ledger),
      dispatcher_(dispatcher),
      preemptor_(preemptor),
      launches_(launches),
      suspender_(suspender) {}

void FaultUnit::step(Cycle now) {
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
      serve(*sm, call, now);
    }
  }
}

void FaultUnit::serve(SmUnit& sm, const ServiceMessage& call, Cycle now) {
  if (call.kernel != nullptr && table_.of(*call.kernel).killed) return;
  CASTOR_ASSERT_AT(now, services_ != nullptr, "device code calls the runtime, but there is none");
  std::optional<Fault> fault = sm.serve(call.warp, *services_, now + 1);
  if (!fault) return;
  CASTOR_ASSERT_AT(now, call.kernel != nullptr, "call of SM %u does not say its kernel", sm.index());
  fail(*call.kernel, std::move(*fault), now);
}

// A group's launch tree is not that of the kernel with which it runs; both stop.
void FaultUnit::fail(const KernelContext& kernel, Fault fault, Cycle now) {
  fail(kernel.entry, std::move(fault), now);
  if (kernel.group != kNoGroup) stop_tree(table_.record_of(kernel), now);
}

void FaultUnit::fail(unsigned entry, Fault fault, Cycle now) {
  if (table_[entry].killed) return;
  faults_.push_back(std::move(fault));
  if (table_[entry].record->launch != 0) return stop_tree(*table_[entry].record, now);
  stop(entry, now);
}

// What device code has launched is stopped with what launched it: neither could go on without the other.
void FaultUnit::stop_tree(const LaunchRecord& record, Cycle now) {
  launches_.stop(record);
  const LaunchRecord& root = *record.root;
  suspender_.stop(root);
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state != EntryState::kFree && kernel.record->root == &root) stop(entry, now);
  }
  table_.groups().each([&](GroupLedger::Group& group) {
    if (group.record->root == &root) stop(group, now);
  });
}

void FaultUnit::stop(GroupLedger::Group& group, Cycle now) {
  group.stopped = true;
  const KernelContext& context = group.record->context;
  for (SmUnit* const sm : sms_) {
    if (ledger_.resident(sm->index(), context.entry) != 0) sm->kill(context, now + 1);
  }
}

void FaultUnit::stop(unsigned entry, Cycle now) {
  const KernelEntry& kernel = table_[entry];
  if (kernel.killed) return;
  table_.kill(entry);
  if (kernel.state != EntryState::kWritten) return;
  dispatcher_.stop(entry);
  preemptor_.drop(entry);
  for (SmUnit* const sm : sms_) {
    if (ledger_.resident(sm->index(), entry) != 0) sm->kill(kernel.context(), now + 1);
  }
  if (table_.groups().empty()) return;
  table_.groups().each([&](GroupLedger::Group& group) {
    if (group.record->context.entry == entry) stop(group, now);
  });
}

void FaultUnit::hook_error(const std::string& hook, unsigned code, std::uint64_t info, Cycle now) {
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kFree) continue;
    Fault fault;
    fault.kind = FaultKind::kIllegalInstruction;
    fault.kernel = kernel.context().program->kernel;
    fault.message = hook + " reports error " + std::to_string(code) + " (information " + std::to_string(info) +
                    ") in cycle " + std::to_string(now) + " while kernel " + base::readable_name(fault.kernel) +
                    " is in the table";
    fail(entry, std::move(fault), now);
  }
}

void FaultUnit::abandon(Cycle now) {
  for (const LaunchRecord* const root : launches_.abandon()) suspender_.stop(*root);
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree) stop(entry, now);
  }
  faults_.clear();
}

std::optional<Fault> FaultUnit::take() {
  if (faults_.empty()) return std::nullopt;
  std::optional<Fault> fault = std::move(faults_.front());
  faults_.pop_front();
  return fault;
}

}  // namespace castor::gpu
