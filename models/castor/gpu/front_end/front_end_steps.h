#pragma once

// Member functions of BasicFrontEnd. Included only where the template is instantiated: front_end.cpp instantiates it
// with the mechanisms of the timing GPU.

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {

template <class Mechanisms>
BasicFrontEnd<Mechanisms>::BasicFrontEnd(const sc_core::sc_module_name& name, const Machine& machine, Store& store,
                                         const ProgramTable& programs, const std::vector<SmUnit*>& sms,
                                         const std::array<CopyEngine*, kCopyEngines>& copies, const Hooks& hooks,
                                         Observer* observer, base::StatisticGroup& statistics)
    : sc_module(name),
      table_(checked(machine, hooks).table.entries, trees_.records(), statistics),
      dispatcher_(machine, sms, table_, ledger_, mechanism<GovernorSide>().governors(), mechanism<DispatchPort>(),
                  retire_, jobs_, events_, observer, statistics),
      jobs_(machine.queue.count,
            machine.inspect != Inspect::kOff && hooks.job_scheduler != nullptr && hooks.job_scheduler->judges(),
            completions_, statistics),
      inspector_(machine, store, programs, ledger_, queues_, lanes_, jobs_, completions_, statistics),
      registers_(statistics),
      levels_(statistics),
      port_("memory", *this, machine.xbar.fifo_flits),
      memory_(machine, port_, statistics, &store),
      ledger_(machine),
      queues_(machine, store),
      lanes_(machine, store, memory_.client(FrontEndMemory::User::kDescriptors)),
      completions_(queues_, memory_.client(FrontEndMemory::User::kCompletions)),
      events_(false, machine.chip.sms),
      mechanisms_(parts(machine, store, programs, sms, hooks, observer, statistics)),
      parse_(machine, store, programs, queues_, lanes_, table_, trees_, observer),
      heads_(machine, queues_, memory_.client(FrontEndMemory::User::kPackets), completions_, inspector_, copies),
      retire_(machine, sms, table_, ledger_, events_),
      release_(machine, store, table_, trees_, queues_, completions_, jobs_, events_, copies, observer),
      faults_(sms, table_, ledger_, dispatcher_, registers_, mechanisms_) {
  CASTOR_ASSERT(sms.size() == machine.chip.sms, "%zu SMs of %u", sms.size(), machine.chip.sms);
  for (SmUnit* const sm : sms) sm->set_front_end(*this);
  for (CopyEngine* const engine : copies) {
    if (engine != nullptr) engine->set_front_end(*this);
  }
  if (mechanisms_.any([](const auto& mechanism) { return mechanism.clocked(); })) events_.enable();
  sleep_until(events_.on() ? 0 : kForever);
}

template <class Mechanisms>
FrontEndParts BasicFrontEnd<Mechanisms>::parts(const Machine& machine, Store& store, const ProgramTable& programs,
                                               const std::vector<SmUnit*>& sms, const Hooks& hooks, Observer* observer,
                                               base::StatisticGroup& statistics) {
  const auto errors = [this](const std::string& hook, unsigned code, std::uint64_t info, Maybe<unsigned> blamed) {
    faults_.hook_error(hook, code, info, blamed, events_.cycle());
  };
  const HookMount place = {machine, statistics, errors, registers_};
  return {machine,
          store,
          programs,
          sms,
          hooks,
          observer,
          place,
          *this,
          trees_,
          table_,
          ledger_,
          queues_,
          lanes_,
          parse_,
          memory_,
          events_,
          dispatcher_,
          retire_,
          release_,
          jobs_,
          inspector_,
          mechanism<DispatchPort>(),
          mechanism<Preemptor>()};
}

// --- Between cycles -------------------------------------------------------------------------------------------------

template <class Mechanisms>
Ticket BasicFrontEnd<Mechanisms>::submit(unsigned queue, Packet packet, Cycle visible) {
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

template <class Mechanisms>
Ticket BasicFrontEnd<Mechanisms>::refuse() {
  const Ticket ticket = completions_.issue();
  completions_.drop(ticket, last_ == kForever ? 0 : last_);
  return ticket;
}

template <class Mechanisms>
std::uint64_t BasicFrontEnd<Mechanisms>::access_register(const RegisterAccess& access, Cycle visible, bool wanted) {
  wake_at(visible);
  return registers_.access(access, visible, wanted);
}

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::abandon() {
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

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::reset() {
  mechanisms_.each([](auto& mechanism) { mechanism.device_reset(); });
  parse_.reset();
}

template <class Mechanisms>
bool BasicFrontEnd<Mechanisms>::idle() const {
  return completions_.open() == 0 && table_.valid() == 0 && !registers_.open() && memory_.idle() &&
         release_.copies_idle() && !mechanisms_.any([](const auto& mechanism) { return !mechanism.empty(); });
}

template <class Mechanisms>
std::uint64_t BasicFrontEnd<Mechanisms>::progress() const {
  std::uint64_t sum = table_.progress() + completions_.progress();
  mechanisms_.each([&](const auto& mechanism) { sum += mechanism.progress(); });
  return sum;
}

template <class Mechanisms>
WaitReport BasicFrontEnd<Mechanisms>::report() const {
  std::map<unsigned, std::string> held;
  std::string more;
  mechanisms_.each([&](const auto& mechanism) {
    for (unsigned entry = 0; entry < table_.size(); ++entry) {
      if (const std::string why = mechanism.holds(entry); !why.empty()) held.emplace(entry, why);
    }
    more += mechanism.waiting();
  });
  return WaitReport({table_, ledger_, dispatcher_, queues_, lanes_, parse_, heads_, inspector_, completions_, last_ + 1,
                     std::move(held), std::move(more)});
}

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::waits(WaitGraph& graph) const {
  report().add_to(graph);
  mechanisms_.each([&](const auto& mechanism) { mechanism.waits(graph); });
}

template <class Mechanisms>
std::string BasicFrontEnd<Mechanisms>::where(Ticket ticket) const {
  std::string elsewhere;
  mechanisms_.each([&](const auto& mechanism) { elsewhere += mechanism.where(ticket); });
  return report().where(ticket, elsewhere);
}

// --- One cycle ------------------------------------------------------------------------------------------------------

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::tick(Cycle now) {
  count_until(now);
  if (!registers_.empty() && registers_.begin(now)) inspector_.registers_changed();
  if (events_.on()) begin_edges(now);
  last_ = now;
  if (gated()) {
    mechanisms_.each([now](auto& mechanism) {
      if (!mechanism.works_gated()) return;
      mechanism.govern(now);
      mechanism.clock(now);
    });
    sleep_until(gated() ? next_edge(now) : now + 1);
    return;
  }
  // Outputs of hooks that are read in a step depend only on the hook's state, or on outputs of other hooks read in
  // earlier steps:
  // governors (state only) -> open SMs, quotas -> dispatch policy -> placement
  // dispatch policy's push_ready and hold (state only) -> release, entry written
  // job scheduler -> grant
  receive(now);  // F1
  // F2, retire: messages of SMs, then one TB is counted as complete.
  retire_.accept_messages(now);
  mechanisms_.each([now](auto& mechanism) { mechanism.accept_messages(now); });
  faults_.step(now);
  retire_.drain(now);
  mechanisms_.each([now](auto& mechanism) { mechanism.count(now); });
  mechanisms_.each([now](auto& mechanism) { mechanism.synchronise(now); });  // F3, synchronisation
  mechanisms_.each([now](auto& mechanism) { mechanism.govern(now); });       // F4, governors
  // F5, placement: swapped-out TBs have precedence over new TBs.
  mechanisms_.each([now](auto& mechanism) { mechanism.restore(now); });
  dispatcher_.step(now);
  mechanisms_.each([now](auto& mechanism) { mechanism.group(now); });  // F6, groups
  release(now);                                                        // F7, release
  parse(now);                                                          // F8, parse
  mechanisms_.each([now](auto& mechanism) { mechanism.step(now); });   // F9, device runtime and memory
  memory_.step(now);
  if (events_.on()) clock_edges(now);  // F10, clock of hooks
  end_cycle(now);
}

// F1: takes replies and doorbells of earlier cycles.
template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::receive(Cycle now) {
  completions_.receive(now);
  while (const ParseLanes::Lane* const lane = lanes_.receive(now)) {
    if (lane->inspects) inspector_.announce(lane->entry, lane->image.data(), now);
  }
  const QueueMask resting = inspector_.grantable();
  queues_.advance(now);
  parse_.begin(inspector_.grantable(), resting, now);
  mechanisms_.each([now](auto& mechanism) { mechanism.receive(now); });
}

// F7, release: processes completed copies. Completes the kernel with the lowest entry among those whose TBs are all
// counted.
template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::release(Cycle now) {
  release_.take_copies(now);
  mechanisms_.each([now](auto& mechanism) { mechanism.close(now); });
  if (table_.finished().none()) return;
  KdMask ready = releasable();
  for (std::size_t entry = ready._Find_first(); entry < ready.size(); entry = ready._Find_next(entry)) {
    if (inspector_.holds(table_[static_cast<unsigned>(entry)].context().queue)) ready[entry] = false;
  }
  if (ready.none()) return;
  LaunchRecord* const record = release_.release(ready, now);
  if (record == nullptr) return;
  parse_.completed(record->context);
  mechanisms_.each([&](auto& mechanism) { mechanism.completed(*record); });
  trees_.records().let_go(*record);
}

// Returns the entries of finished kernels that no mechanism holds.
template <class Mechanisms>
KdMask BasicFrontEnd<Mechanisms>::releasable() const {
  KdMask ready = table_.finished();
  mechanisms_.each([&](const auto& mechanism) { ready &= ~mechanism.hold(); });
  return ready;
}

// F8, parse: serves queue heads that need no parse lane, grants one lane, and writes one entry. The grant needs a lane
// that was free at the start of the cycle.
template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::parse(Cycle now) {
  heads_.step(now);
  inspector_.step(now);
  std::optional<int> source;
  if (!mechanisms_.any([&](auto& mechanism) { return (source = mechanism.choose(now)).has_value(); })) {
    source = parse_.pick(mechanisms_.any([](const auto& mechanism) { return mechanism.offers_kernel(); }),
                         mechanisms_.any([now](const auto& mechanism) { return mechanism.offers_tb(now); }), now);
  }
  if (*source >= 0 && lanes_.can_start(now)) grant(static_cast<unsigned>(*source), now);
  const ParseLanes::Lane* const lane = lanes_.finished(now);
  if (lane == nullptr) return;
  if (lane->inspects) {
    const unsigned inspected = lane->entry;
    lanes_.pop();
    inspector_.slot_over(inspected, now);
  } else if (lane->resumes) {
    lanes_.pop();
    mechanisms_.each([now](auto& mechanism) { mechanism.resume(now); });
  } else if (dispatcher_.takes(lane->entry) &&
             !mechanisms_.any([now](const auto& mechanism) { return !mechanism.takes_kernel(now); })) {
    const unsigned entry = parse_.write(now);
    events_.started(table_[entry].context());
    if (!table_[entry].killed) dispatcher_.push(entry);
  }
}

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::grant(unsigned source, Cycle now) {
  ParseStage::Granted granted;
  if (!mechanisms_.any([&](auto& mechanism) { return mechanism.grant(source, now, granted); })) {
    granted = parse_.grant(source, now);
  }
  if (granted.fault) faults_.fail(granted.entry, std::move(*granted.fault), now);
}

// Sets the levels for counters that grow with time, and the cycle of the next tick.
template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::end_cycle(Cycle now) {
  FrontEndLevels::Levels levels;
  levels.lanes = lanes_.busy();
  levels.blocked = queues_.blocked();
  levels.entries = table_.valid();
  levels.busy = ledger_.resident_total() != 0;
  levels.wait = dispatcher_.rest(now);
  levels_.set(levels, now);
  Cycle next = next_work(now);
  if (events_.on() && next > now + 1) next = std::max(std::min(next, next_edge(now)), now + 1);
  sleep_until(next);
}

// --- Edges ----------------------------------------------------------------------------------------------------------

// Applies the skipped cycles to the mechanisms, then starts the new cycle for events and mechanisms. The clock of the
// front end was enabled in all of the skipped cycles, or in none.
template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::begin_edges(Cycle now) {
  const Cycle from = last_ == kForever ? 0 : last_ + 1;
  if (now > from) {
    const bool gated = this->gated();
    mechanisms_.each([&](auto& mechanism) {
      if (!gated || mechanism.works_gated()) mechanism.idle(now - from);
    });
  }
  events_.begin(now);
  mechanisms_.each([](auto& mechanism) { mechanism.begin(); });
}

// F10, clock: notifies the mechanisms of the events of this cycle and clocks the hooks.
template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::clock_edges(Cycle now) {
  mechanisms_.each([&](auto& mechanism) { events_.tell(mechanism); });
  if (auto& governors = mechanism<GovernorSide>(); governors.present()) {
    DispatchState waiting = dispatcher_.state();
    mechanisms_.each([&](const auto& mechanism) { mechanism.add_waiting(waiting); });
    governors.show(waiting);
  }
  mechanisms_.each([now](auto& mechanism) { mechanism.clock(now); });
  QueueMask held;
  mechanisms_.each([&](auto& mechanism) {
    mechanism.clock_block(now);
    held |= mechanism.held_queues();
  });
  dispatcher_.hold_queues(held);
}

// Returns whether the front end's clock is disabled. Mechanisms that work without the clock end this state.
template <class Mechanisms>
bool BasicFrontEnd<Mechanisms>::gated() const {
  return mechanisms_.any([](const auto& mechanism) { return mechanism.gated(); });
}

// Returns whether the inputs of hooks may differ in the next cycle. If not, they are constant until the next event.
template <class Mechanisms>
bool BasicFrontEnd<Mechanisms>::stirred() const {
  const bool gated = this->gated();
  return events_.any() || mechanisms_.any([gated](const auto& mechanism) {
    return (!gated || mechanism.works_gated()) && mechanism.stirred();
  });
}

template <class Mechanisms>
Cycle BasicFrontEnd<Mechanisms>::next_edge(Cycle now) const {
  if (stirred()) return now + 1;
  const bool gated = this->gated();
  Cycle next = kForever;
  mechanisms_.each([&](const auto& mechanism) {
    if (!gated || mechanism.works_gated()) next = std::min(next, mechanism.next(now));
  });
  return next;
}

// --- Sleeping -------------------------------------------------------------------------------------------------------

// Returns the first cycle after `now` with work other than clock edges of hooks.
template <class Mechanisms>
Cycle BasicFrontEnd<Mechanisms>::next_work(Cycle now) const {
  if ((table_.finished().any() && releasable().any()) || retire_.busy() || dispatcher_.placeable() ||
      queues_.others().any()) {
    return now + 1;
  }
  const bool waits = mechanisms_.any([](const auto& mechanism) { return mechanism.offers_kernel(); });
  // A lane that is done waits until hooks accept the push of its kernel (`takes_kernel`). While the dispatcher does not
  // take it (`takes`), only a step of another kernel can change that.
  const ParseLanes::Lane* const lane = dispatcher_.takes_all() ? nullptr : lanes_.finished(now);
  const bool waits_for_others = lane != nullptr && !lane->inspects && !lane->resumes && !dispatcher_.takes(lane->entry);
  const bool lane_waits =
      waits_for_others || mechanisms_.any([now](const auto& mechanism) { return mechanism.lane_waits(now); });
  Cycle next = std::min({retire_.next(), faults_.next(), release_.next(), queues_.next(now), memory_.next(now),
                         parse_.next(inspector_.grantable(), waits, now), lane_waits ? kForever : lanes_.next(),
                         inspector_.next(now), registers_.next(now)});
  mechanisms_.each([&](const auto& mechanism) { next = std::min(next, mechanism.next_work(now)); });
  return next == kForever ? next : std::max(next, now + 1);
}

template <class Mechanisms>
bool BasicFrontEnd<Mechanisms>::rests() const {
  if (wake() == kForever) return true;
  if (last_ == kForever) return false;
  if (!events_.on() || stirred() || next_work(last_) != kForever) return false;
  return !mechanisms_.any([](const auto& mechanism) { return !mechanism.inert(); });
}

}  // namespace castor::gpu
