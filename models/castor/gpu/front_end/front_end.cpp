#include "castor/gpu/front_end/front_end.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/memory/memory_system.h"

namespace castor::gpu {
namespace {

// SMs that give up TBs, null for the others; none if nobody asks them to. `reader` is woken when a TB has left.
std::vector<TbSaver*> savers_of(const Machine& machine, const Hooks& hooks, const std::vector<SmUnit*>& sms,
                                Unit& reader) {
  std::vector<TbSaver*> savers;
  if (hooks.job_scheduler == nullptr || machine.context.mover != ContextMover::kAnalytic) return savers;
  for (SmUnit* const sm : sms) {
    savers.push_back(dynamic_cast<TbSaver*>(sm));
    if (savers.back() != nullptr) savers.back()->set_saved_reader(reader);
  }
  return savers;
}

}  // namespace

FrontEnd::FrontEnd(const sc_core::sc_module_name& name, const Machine& machine, Store& store,
                   const ProgramTable& programs, std::vector<SmUnit*> sms, std::array<CopyEngine*, kCopyEngines> copies,
                   const Hooks& hooks, Observer* observer, base::StatisticGroup& statistics)
    : sc_module(name),
      machine_(checked(machine, hooks)),
      sms_(std::move(sms)),
      table_(machine.table.entries, statistics),
      dispatcher_(machine, sms_, table_, ledger_, governors_, policy_, retire_, jobs_, events_, observer, statistics),
      jobs_(machine.queue.count,
            machine.inspect != Inspect::kOff && hooks.job_scheduler != nullptr && hooks.job_scheduler->judges(),
            completions_, statistics),
      inspector_(machine, store, programs, ledger_, queues_, lanes_, jobs_, completions_, statistics),
      registers_(statistics),
      statistics_(statistics),
      port_("memory", *this, machine.xbar.fifo_flits),
      memory_(machine, port_, statistics),
      queues_(machine, store),
      completions_(queues_, memory_.client(FrontEndMemory::User::kCompletions)),
      lanes_(machine, store, memory_.client(FrontEndMemory::User::kDescriptors)),
      ledger_(machine),
      events_(hooks.job_scheduler != nullptr || hooks.dispatch != nullptr || !hooks.governors.empty(),
              machine.chip.sms),
      governors_(hooks.governors, hook_place(statistics), sms_, ledger_, events_),
      retire_(machine, sms_, table_, ledger_, events_),
      preemptor_(machine, savers_of(machine, hooks, sms_, *this), table_, ledger_, dispatcher_),
      faults_(sms_, table_, ledger_, dispatcher_, preemptor_),
      policy_(hooks.dispatch, hook_place(statistics), ledger_, memory_.client(FrontEndMemory::User::kDispatchPolicy),
              events_),
      scheduler_(hooks.job_scheduler, hook_place(statistics), events_),
      parse_(machine, store, programs, queues_, lanes_, table_, trees_, observer),
      heads_(machine, queues_, memory_.client(FrontEndMemory::User::kPackets), completions_, inspector_, copies),
      release_(machine, store, table_, trees_, queues_, completions_, jobs_, events_, copies, observer) {
  CASTOR_ASSERT(sms_.size() == machine.chip.sms, "%zu SMs of %u", sms_.size(), machine.chip.sms);
  for (SmUnit* const sm : sms_) {
    sm->set_front_end(*this, governors_.any());
  }
  for (CopyEngine* const engine : copies) {
    if (engine != nullptr) engine->set_front_end(*this);
  }
  sleep_until(events_.on() ? 0 : kForever);
}

Ticket FrontEnd::submit(unsigned queue, Packet packet, Cycle visible) {
  CASTOR_ASSERT(queue < queues_.count() && (last_ == kForever || visible > last_), "packet for queue %u, cycle %llu",
                queue, static_cast<unsigned long long>(visible));
  const Ticket ticket = completions_.issue();
  const auto* const kernel = std::get_if<KernelPacket>(&packet);
  const PacketImage image = kernel == nullptr ? encode(packet) : parse_.submitted(queue, *kernel, ticket, visible);
  inspector_.submitted(queue, packet, ticket, visible);
  queues_.push(queue, ticket, std::move(packet), visible, image);
  wake_at(visible);
  return ticket;
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
  heads_.abandon();
  inspector_.abandon();
  jobs_.abandon();
  faults_.abandon(now);
  completions_.forget_times();
  wake_at(now + 1);
}

// --- One cycle ------------------------------------------------------------------------------------------------------

void FrontEnd::tick(Cycle now) {
  count_until(now);
  if (!registers_.empty() && registers_.refuse_unserved(scheduler_.window(), now)) inspector_.registers_changed();
  if (events_.on()) {
    const Cycle from = last_ == kForever ? 0 : last_ + 1;
    if (now > from) skip_hooks(now - from);
    begin_hooks(now);
  }
  last_ = now;
  if (!uncore_enable()) {
    governors_.settle(now);
    governors_.clock(work_comes(now), now);
    sleep_until(uncore_enable() ? now + 1 : next_hook(now));
    return;
  }
  // The order in which hooks settle is the order in which their outputs may depend on each other: what a step uses was
  // settled in an earlier one.
  //   governors (state only) -> open SMs, quotas -> dispatch policy -> placement
  //   dispatch policy's push_ready and hold (state only) -> release, entry written
  //   job scheduler -> grant
  receive(now);            // F1
  retire(now);             // F2
  governors_.settle(now);  // F4
  preemptor_.restore(now);
  dispatcher_.step(now);               // F5: TBs that come back go before the policy's
  release(now);                        // F7
  parse(now);                          // F8
  memory_.step(now);                   // F9
  if (events_.on()) clock_hooks(now);  // F10
  set_level(now);
  sleep(now);
}

// F1: replies and doorbells of earlier cycles.
void FrontEnd::receive(Cycle now) {
  completions_.receive(now);
  while (const ParseLanes::Lane* const lane = lanes_.receive(now)) {
    if (lane->inspects) inspector_.announce(lane->entry, lane->image.data(), now);
  }
  const QueueMask before = grantable();
  queues_.advance(now);
  parse_.begin(grantable(), before, now);
}

// F2: what SMs say, then one completion of the done FIFOs.
void FrontEnd::retire(Cycle now) {
  retire_.take_wires(now);
  preemptor_.take_saved(now);
  faults_.step(now);
  retire_.drain(now);
}

// F7: copies that are done; one kernel whose TBs are all counted is complete, the lowest entry first.
void FrontEnd::release(Cycle now) {
  release_.take_copies(now);
  if (table_.finished().none()) return;
  KdMask ready = table_.finished() & ~policy_.hold();
  for (std::size_t i = ready._Find_first(); i < ready.size(); i = ready._Find_next(i)) {
    if (inspector_.holds(table_[static_cast<unsigned>(i)].context.queue)) ready[i] = false;
  }
  if (ready.any()) release_.release(ready, now);
}

// F8: heads that need no lane, one grant, one entry written. The grant looks for a lane that was free at the start of
// the cycle.
void FrontEnd::parse(Cycle now) {
  heads_.step(now);
  inspector_.step(now);
  const int queue = scheduler_.on() ? job_pick(now) : parse_.pick(now);
  if (queue >= 0 && lanes_.can_start(now)) {
    scheduler_.grant(queue);
    ParseStage::Granted granted = parse_.grant(static_cast<unsigned>(queue), now);
    if (granted.fault) faults_.fail(granted.entry, std::move(*granted.fault), now);
  }
  const ParseLanes::Lane* const lane = lanes_.finished(now);
  if (lane == nullptr) return;
  if (lane->inspects) {
    const unsigned inspected = lane->entry;
    lanes_.pop();
    inspector_.slot_over(inspected, now);
  } else if (policy_.push_ready()) {
    const unsigned entry = parse_.write(now);
    events_.started(table_[entry].context);
    if (!table_[entry].killed) dispatcher_.push(entry);
  }
}

bool FrontEnd::idle() const {
  return completions_.open() == 0 && table_.valid() == 0 && memory_.idle() && release_.copies_idle();
}

// What holds until the next tick, for counters that grow with time.
void FrontEnd::set_level(Cycle now) {
  FrontEndStatistics::Levels levels;
  levels.lanes = lanes_.busy();
  levels.blocked = queues_.blocked();
  levels.entries = table_.valid();
  levels.busy = ledger_.resident_total() != 0;
  levels.wait = dispatcher_.rest(now);
  statistics_.set(levels, now);
}

// --- Sleeping -------------------------------------------------------------------------------------------------------

// First cycle with work that is no hook's.
Cycle FrontEnd::next_work(Cycle now) const {
  const KdMask releasable = table_.finished() & ~policy_.hold();
  if (retire_.busy() || releasable.any() || dispatcher_.placeable() || preemptor_.can_restore()) {
    return now + 1;
  }
  if (queues_.others().any()) return now + 1;
  // A lane that is done waits for the push port, which hooks may keep closed.
  const Cycle next = std::min({retire_.next(), preemptor_.next(), faults_.next(), release_.next(), queues_.next(now),
                               memory_.next(now), parse_.next(grantable(), now), lanes_.next(), inspector_.next(now),
                               registers_.next(now)});
  return next == kForever ? next : std::max(next, now + 1);
}

void FrontEnd::sleep(Cycle now) {
  Cycle next = next_work(now);
  if (events_.on() && next > now + 1) next = std::max(std::min(next, next_hook(now)), now + 1);
  sleep_until(next);
}

bool FrontEnd::rests() const {
  if (wake() == kForever) return true;
  if (last_ == kForever) return false;
  if (!events_.on() || hooks_stirred() || governors_.closed() || !uncore_enable()) return false;
  if (next_work(last_) != kForever) return false;
  return policy_.inert() && scheduler_.inert() && governors_.inert();
}

}  // namespace castor::gpu
