#include <algorithm>

#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {

// Faults and calls into the runtime that SMs report, in the order of SMs: what such calls share does not depend on the
// order in which SMs tick.
void FrontEnd::take_faults(Cycle now) {
  for (SmUnit* const sm : sms_) {
    Mailbox<FaultMessage>& faults = sm->faults();
    while (const FaultMessage* const message = faults.head(now)) {
      fail(message->kernel->entry, message->fault, now);
      faults.pop();
    }
    Mailbox<ServiceMessage>& services = sm->services();
    while (const ServiceMessage* const message = services.head(now)) {
      const ServiceMessage call = *message;
      services.pop();
      if (call.kernel != nullptr && table_.of(*call.kernel).killed) continue;
      CASTOR_ASSERT_AT(now, services_ != nullptr, "device code calls the runtime, but there is none");
      std::optional<Fault> fault = sm->serve(call.warp, *services_, now + 1);
      if (!fault) continue;
      CASTOR_ASSERT_AT(now, call.kernel != nullptr, "call of SM %u does not say its kernel", sm->index());
      fail(call.kernel->entry, std::move(*fault), now);
    }
  }
}

// The first fault of a kernel counts.
void FrontEnd::fail(unsigned entry, Fault fault, Cycle now) {
  if (table_[entry].killed) return;
  faults_.push_back(std::move(fault));
  stop(entry, now);
}

// A stopped kernel places nothing more, its TBs retire when what they have under way is over.
void FrontEnd::stop(unsigned entry, Cycle now) {
  const KernelEntry& kernel = table_[entry];
  if (kernel.killed) return;
  table_.kill(entry);
  if (kernel.state != EntryState::kWritten) return;
  dispatcher_.stop(entry);
  preemptor_.drop(entry);
  for (SmUnit* const sm : sms_) {
    if (ledger_.resident(sm->index(), entry) != 0) sm->kill(kernel.context, now + 1);
  }
}

Ticket FrontEnd::refuse() {
  const Ticket ticket = completions_.issue();
  completions_.drop(ticket, last_ == kForever ? 0 : last_);
  return ticket;
}

void FrontEnd::abandon() {
  const Cycle now = last_ == kForever ? 0 : last_;
  for (unsigned queue = 0; queue < queues_.count(); ++queue) {
    for (const QueuedPacket& packet : queues_.drop(queue)) completions_.drop(packet.ticket, now);
  }
  std::fill(reading_.begin(), reading_.end(), kNoQueue);
  inspector_.abandon();
  jobs_.abandon();
  waiting_events_.clear();
  recorded_events_.clear();
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree) stop(entry, now);
  }
  faults_.clear();
  completions_.forget_times();
  wake_at(now + 1);
}

}  // namespace castor::gpu
