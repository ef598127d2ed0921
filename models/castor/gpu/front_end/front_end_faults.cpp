#include <algorithm>

#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/front_end/hook_state.h"

namespace castor::gpu {

// Faults and calls into the runtime that SMs report, in the order of SMs: what such calls share does not depend on the
// order in which SMs tick.
void FrontEnd::take_faults(Cycle now) {
  for (SmUnit* const sm : sms_) {
    Mailbox<FaultMessage>& faults = sm->faults();
    while (const FaultMessage* const message = faults.head(now)) {
      fail(table_.of(*message->kernel), message->fault, now);
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
      fail(table_.of(*call.kernel), std::move(*fault), now);
    }
  }
}

// The first fault of a kernel counts.
void FrontEnd::fail(KernelEntry& kernel, Fault fault, Cycle now) {
  if (kernel.killed) return;
  faults_.push_back(std::move(fault));
  stop(kernel, now);
}

// A stopped kernel places nothing more, its TBs retire when what they have under way is over. A dispatch policy goes on
// to offer what it was given: those TBs are dropped when it does.
void FrontEnd::stop(KernelEntry& kernel, Cycle now) {
  if (kernel.killed) return;
  kernel.killed = true;
  ++statistics_.kernels_stopped;
  if (kernel.state != EntryState::kWritten) return;
  const unsigned entry = kernel.context.entry;
  ledger_.unwatch(entry);
  drop_saved(kernel);
  if (hooks_.dispatch == nullptr) {
    dispatcher_.remove(entry);
    const std::uint64_t dropped = kernel.sequencer.drop();
    kernel.dropped += dropped;
    statistics_.tb_dropped += dropped;
    if (kernel.finished()) finished_[entry] = true;
  }
  for (SmUnit* const sm : sms_) {
    if (ledger_.resident(sm->index(), entry) != 0) sm->kill(kernel.context, now + 1);
  }
}

// The policy sees its TB placed now, and retired and counted in a later cycle.
void FrontEnd::drop_offered(unsigned entry, unsigned sm, Cycle now) {
  KernelEntry& kernel = table_[entry];
  TbEvent event;
  event.sm = static_cast<std::uint8_t>(sm);
  event.kd = static_cast<std::uint16_t>(entry);
  event.queue = kernel.context.queue;
  event.kid = kernel.context.kid;
  event.first = !kernel.first_placed;
  event.gid = static_cast<std::uint32_t>(kernel.sequencer.take(kernel.context));
  event.last = kernel.sequencer.left() == 0;
  kernel.first_placed = true;
  ++kernel.started;
  ++kernel.running;
  ++statistics_.tb_dropped;
  hook_->events.placed = event;
  event.first = event.last = false;
  dropped_.push_back({&kernel, event, now});
}

Ticket FrontEnd::refuse() {
  const Ticket ticket = completions_.issue();
  completions_.complete(ticket, last_ == kForever ? 0 : last_, false);
  completions_.show(ticket);
  return ticket;
}

void FrontEnd::abandon() {
  const Cycle now = last_ == kForever ? 0 : last_;
  for (unsigned queue = 0; queue < queues_.count(); ++queue) {
    for (const QueuedPacket& packet : queues_.drop(queue)) {
      completions_.complete(packet.ticket, now, false);
      completions_.show(packet.ticket);
    }
  }
  std::fill(reading_.begin(), reading_.end(), kNoQueue);
  abandon_jobs();
  waiting_events_.clear();
  events_.clear();
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree) stop(table_[entry], now);
  }
  faults_.clear();
  completions_.forget_times();
  wake_at(now + 1);
}

}  // namespace castor::gpu
