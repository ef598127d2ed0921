#include "castor/gpu/front_end/front_end.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {
namespace {

HookPlace place_of_hooks(const Machine& machine, base::StatisticGroup& statistics, FaultUnit& faults,
                         const HookEvents& events) {
  return {machine, statistics, [&faults, &events](const std::string& hook, unsigned code, std::uint64_t info) {
            faults.hook_error(hook, code, info, events.cycle());
          }};
}

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
                   const ProgramTable& programs, const std::vector<SmUnit*>& sms,
                   const std::array<CopyEngine*, kCopyEngines>& copies, const Hooks& hooks, Observer* observer,
                   base::StatisticGroup& statistics)
    : sc_module(name),
      table_(checked(machine, hooks).table.entries, trees_.records(), statistics),
      dispatcher_(machine, sms, table_, ledger_, governors_, policy_, retire_, jobs_, events_, observer, statistics),
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
      launches_({machine, store, programs, sms, table_, ledger_, dispatcher_, policy_, lanes_, retire_, release_,
                 trees_, memory_, events_},
                hooks, place_of_hooks(machine, statistics, faults_, events_), observer, statistics),
      lanes_(machine, store, memory_.client(FrontEndMemory::User::kDescriptors)),
      completions_(queues_, memory_.client(FrontEndMemory::User::kCompletions)),
      events_(hooks.job_scheduler != nullptr || hooks.dispatch != nullptr || hooks.launch != nullptr ||
                  hooks.sources != nullptr || !hooks.governors.empty(),
              machine.chip.sms),
      governors_(hooks.governors, place_of_hooks(machine, statistics, faults_, events_), sms, ledger_, events_),
      policy_(hooks.dispatch, place_of_hooks(machine, statistics, faults_, events_), ledger_,
              memory_.client(FrontEndMemory::User::kDispatchPolicy), events_),
      scheduler_(hooks.job_scheduler, place_of_hooks(machine, statistics, faults_, events_), events_),
      parse_(machine, store, programs, queues_, lanes_, table_, trees_, observer),
      heads_(machine, queues_, memory_.client(FrontEndMemory::User::kPackets), completions_, inspector_, copies),
      retire_(machine, sms, table_, ledger_, events_),
      release_(machine, store, table_, trees_, launches_.launcher(), queues_, completions_, jobs_, events_, copies,
               observer),
      preemptor_(machine, savers_of(machine, hooks, sms, *this), table_, ledger_, dispatcher_),
      faults_(sms, table_, ledger_, dispatcher_, preemptor_, launches_.launcher(), launches_.suspender()) {
  CASTOR_ASSERT(sms.size() == machine.chip.sms, "%zu SMs of %u", sms.size(), machine.chip.sms);
  for (SmUnit* const sm : sms) sm->set_front_end(*this, governors_.any());
  for (CopyEngine* const engine : copies) {
    if (engine != nullptr) engine->set_front_end(*this);
  }
  sleep_until(events_.on() ? 0 : kForever);
}

// --- Between cycles -------------------------------------------------------------------------------------------------

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

std::uint64_t FrontEnd::access_register(const RegisterAccess& access, Cycle visible, bool wanted) {
  wake_at(visible);
  return registers_.access(access, visible, wanted);
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

void FrontEnd::reset_jobs() {
  if (!jobs_.judged()) return;
  scheduler_.reset();
  if (policy_.on()) policy_.reset();
}

bool FrontEnd::idle() const {
  return completions_.open() == 0 && table_.valid() == 0 && memory_.idle() && release_.copies_idle() &&
         launches_.launcher().idle();
}

WaitReport FrontEnd::report() const {
  return WaitReport({table_, ledger_, dispatcher_, policy_, queues_, lanes_, parse_, heads_, inspector_, completions_,
                     launches_.launcher(), launches_.suspender(), last_ + 1, launches_.hold()});
}

// --- One cycle ------------------------------------------------------------------------------------------------------

void FrontEnd::tick(Cycle now) {
  count_until(now);
  if (!registers_.empty() && registers_.refuse_unserved(scheduler_.window(), now)) inspector_.registers_changed();
  if (events_.on()) begin_hooks(now);
  last_ = now;
  if (!governors_.uncore_enable()) {
    governors_.settle(now);
    governors_.clock(work_comes(now), now);
    sleep_until(governors_.uncore_enable() ? now + 1 : next_hook(now));
    return;
  }
  // The order in which hooks settle is the order in which their outputs may depend on each other: what a step uses was
  // settled in an earlier one.
  //   governors (state only) -> open SMs, quotas -> dispatch policy -> placement
  //   dispatch policy's push_ready and hold (state only) -> release, entry written
  //   job scheduler -> grant
  receive(now);  // F1
  // F2: what SMs say, then one TB is counted.
  retire_.take_wires(now);
  preemptor_.take_saved(now);
  launches_.take(now);
  faults_.step(now);
  retire_.drain(now);
  launches_.count();
  // F4
  if (governors_.any()) governors_.settle(now);
  // F5: TBs that come back go before the policy's.
  preemptor_.restore(now);
  launches_.restore(now);
  dispatcher_.step(now);
  launches_.step_groups(now);  // F6
  release(now);                // F7
  parse(now);                  // F8
  launches_.step(now);
  memory_.step(now);                   // F9
  if (events_.on()) clock_hooks(now);  // F10
  end_cycle(now);
}

// F1: replies and doorbells of earlier cycles.
void FrontEnd::receive(Cycle now) {
  completions_.receive(now);
  while (const ParseLanes::Lane* const lane = lanes_.receive(now)) {
    if (lane->inspects) inspector_.announce(lane->entry, lane->image.data(), now);
  }
  const QueueMask resting = grantable();
  queues_.advance(now);
  parse_.begin(grantable(), resting, now);
  launches_.look(now);
}

// F7: copies that are done; one kernel whose TBs are all counted is complete, the lowest entry first.
void FrontEnd::release(Cycle now) {
  release_.take_copies(now);
  launches_.close(now);
  if (table_.finished().none()) return;
  KdMask ready = table_.finished() & ~policy_.hold() & ~launches_.hold();
  for (std::size_t entry = ready._Find_first(); entry < ready.size(); entry = ready._Find_next(entry)) {
    if (inspector_.holds(table_[static_cast<unsigned>(entry)].context().queue)) ready[entry] = false;
  }
  if (ready.any()) release_.release(ready, now);
}

// F8: heads that need no lane, one grant, one entry written. The grant looks for a lane that was free at the start of
// the cycle.
void FrontEnd::parse(Cycle now) {
  heads_.step(now);
  inspector_.step(now);
  int source = -1;
  if (scheduler_.on()) {
    source = schedule(now);
  } else if (launches_.orders()) {
    source = parse_.source_of(launches_.pick(parse_.ready(), parse_.entry_free(now), now));
  } else {
    source = parse_.pick(launches_.launcher().ready(), launches_.suspender().ready(now), now);
  }
  if (source >= 0 && lanes_.can_start(now)) grant(source, now);
  const ParseLanes::Lane* const lane = lanes_.finished(now);
  if (lane == nullptr) return;
  if (lane->inspects) {
    const unsigned inspected = lane->entry;
    lanes_.pop();
    inspector_.slot_over(inspected, now);
  } else if (lane->resumes) {
    lanes_.pop();
    launches_.suspender().finish(now);
  } else if (policy_.push_ready() && !launches_.attached(now)) {
    const unsigned entry = parse_.write(now);
    events_.started(table_[entry].context());
    if (!table_[entry].killed) dispatcher_.push(entry);
  }
}

void FrontEnd::grant(int source, Cycle now) {
  const auto number = static_cast<unsigned>(source);
  launches_.granted();
  if (number == parse_.return_source()) {
    const int entry = launches_.suspender().grant(now);
    if (auto fault = parse_.returned(entry, now)) faults_.fail(static_cast<unsigned>(entry), std::move(*fault), now);
    return;
  }
  const bool by_device = number == parse_.device_source();
  if (!by_device) scheduler_.grant(source);
  ParseStage::Granted granted = by_device ? parse_.grant(launches_.grant(), now) : parse_.grant(number, now);
  if (granted.fault) faults_.fail(granted.entry, std::move(*granted.fault), now);
}

// F8: what the job scheduler says goes to those whom it concerns. Returns the queue that it wants, if that may be
// granted; -1 = none.
int FrontEnd::schedule(Cycle now) {
  const QueueMask eligible = parse_.entry_free(now) ? parse_.ready() : QueueMask();
  events_.access(registers_.head(scheduler_.window(), now));
  const Maybe<JobBeat> beat = inspector_.beat();
  const bool judging = inspector_.judging();
  const JobOut& out = scheduler_.settle(eligible, dispatcher_.show_fits(), beat, judging, now);
  preemptor_.preempt(out.preempt, now);
  if (beat && out.beat_ready) {
    inspector_.take_beat();
    scheduler_.take_beat();
  }
  if (judging && out.verdict) {
    const Verdict& verdict = *out.verdict;
    // A rejection that answers nothing drops the queue's job: none of its TBs was placed.
    if (!inspector_.answer(verdict, now) && !verdict.accept && jobs_.has(verdict.queue)) {
      inspector_.give_up(verdict, dispatcher_.give_up(verdict.queue), now);
    }
  }
  if (out.end) jobs_.end(*out.end, now);
  if (out.reg) {
    registers_.answer(*out.reg, now);
    inspector_.registers_changed();
  }
  if (out.pick < 0) return -1;
  CASTOR_HOOK_CHECK(scheduler_, now, static_cast<std::size_t>(out.pick) < eligible.size(),
                    "job scheduler picks queue %d", out.pick);
  return eligible[static_cast<std::size_t>(out.pick)] ? out.pick : -1;
}

// What holds until the next cycle, for counters that grow with time, and which cycle that is.
void FrontEnd::end_cycle(Cycle now) {
  FrontEndLevels::Levels levels;
  levels.lanes = lanes_.busy();
  levels.blocked = queues_.blocked();
  levels.entries = table_.valid();
  levels.busy = ledger_.resident_total() != 0;
  levels.wait = dispatcher_.rest(now);
  levels_.set(levels, now);
  Cycle next = next_work(now);
  if (events_.on() && next > now + 1) next = std::max(std::min(next, next_hook(now)), now + 1);
  sleep_until(next);
}

// --- Hooks ----------------------------------------------------------------------------------------------------------

// Makes up for the cycles that were skipped, and shows what holds before anything in this one happens. Without the
// uncore only governors are clocked; it was on or off in all of the skipped cycles.
void FrontEnd::begin_hooks(Cycle now) {
  const Cycle from = last_ == kForever ? 0 : last_ + 1;
  if (now > from) {
    governors_.idle(now - from);
    if (governors_.uncore_enable() && policy_.on()) policy_.idle(now - from);
    if (governors_.uncore_enable()) launches_.idle_hooks(now - from);
    if (governors_.uncore_enable() && scheduler_.on()) scheduler_.idle(now - from);
  }
  events_.begin(now);
  governors_.begin(now);
  policy_.begin();
  launches_.begin_hooks();
  scheduler_.begin();
}

// F10: all hooks see what happened.
void FrontEnd::clock_hooks(Cycle now) {
  if (governors_.any()) {
    governors_.show(dispatcher_.state());
    governors_.clock(work_comes(now), now);
    governors_.check_open(now);
  }
  if (policy_.on()) policy_.clock(now);
  launches_.clock_hooks(now);
  if (scheduler_.on()) scheduler_.clock(now);
  dispatcher_.hold_queues(preemptor_.queues());
}

// Work is on its way to the dispatcher. A kernel whose entry is written in this cycle has left its lane and is not in
// the policy yet.
bool FrontEnd::work_comes(Cycle now) const {
  return events_.all().pushed.has_value() || queues_.kernel_waits(now) || lanes_.busy() != 0;
}

// What happened in this cycle may change what hooks see in the next; from then on their inputs rest.
bool FrontEnd::hooks_stirred() const {
  return governors_.stirred() || events_.any() || scheduler_.stirred() || policy_.stirred() ||
         launches_.unit().stirred() || launches_.order_stirred(grantable(), parse_.entry_free(last_ + 1), last_) ||
         (scheduler_.on() && grantable() != parse_.ready());
}

Cycle FrontEnd::next_hook(Cycle now) const {
  if (hooks_stirred()) return now + 1;
  const Cycle next = governors_.next(now);
  return governors_.uncore_enable()
             ? std::min({next, policy_.next(now), launches_.next_hook(now), scheduler_.next(now)})
             : next;
}

// --- Sleeping -------------------------------------------------------------------------------------------------------

// First cycle with work that is no hook's.
Cycle FrontEnd::next_work(Cycle now) const {
  const bool releasable = table_.finished().any() && (table_.finished() & ~policy_.hold() & ~launches_.hold()).any();
  if (releasable || retire_.busy() || dispatcher_.placeable() || preemptor_.can_restore() || queues_.others().any()) {
    return now + 1;
  }
  // A lane that is done waits for the push port, which hooks may keep closed.
  const Cycle next = std::min({retire_.next(), preemptor_.next(), faults_.next(), release_.next(), queues_.next(now),
                               memory_.next(now), parse_.next(grantable(), launches_.launcher().ready(), now),
                               launches_.next(now), lanes_.next(), inspector_.next(now), registers_.next(now)});
  return next == kForever ? next : std::max(next, now + 1);
}

bool FrontEnd::rests() const {
  if (wake() == kForever) return true;
  if (last_ == kForever) return false;
  if (!events_.on() || hooks_stirred() || governors_.closed() || !governors_.uncore_enable()) return false;
  if (next_work(last_) != kForever) return false;
  return policy_.inert() && launches_.hooks_inert() && scheduler_.inert() && governors_.inert();
}

}  // namespace castor::gpu
