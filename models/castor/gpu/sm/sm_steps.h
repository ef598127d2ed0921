#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_waves.h"

// Function bodies of BasicSm; included where the template is instantiated.
namespace castor::gpu {

template <class Mechanisms>
BasicSm<Mechanisms>::BasicSm(const sc_core::sc_module_name& name, const Machine& machine, unsigned index,
                             const Store& store, base::StatisticGroup& statistics, const SmHooks& hooks,
                             Observer* observer, SharedTlb* tlb)
    : sc_module(name),
      SmUnit(index, machine.done_fifo),
      memory("memory", *this, machine.xbar.fifo_flits),
      departures_(memory, outbox_, observer),
      statistics_(statistics, index, machine),
      parts_{machine,
             index,
             hooks,
             statistics_.group(),
             statistics_.counters(),
             outbox_,
             inbox_,
             page_grants_,
             departures_.flag(),
             clock_,
             wheel_,
             pipelines_,
             blocked_,
             warps_,
             scoreboard_,
             buffer_,
             watch_,
             tbs_,
             faults_,
             memory_side_,
             fetch_,
             issue_,
             barriers_,
             executor_},
      replies_(parts_, mechanisms_),
      pipelines_(machine, wheel_, statistics_.counters()),
      blocked_(wheel_),
      warps_(machine, index),
      scoreboard_(machine, pipelines_, wheel_),
      buffer_(machine, warps_, scoreboard_),
      watch_(machine.sm.warps),
      tbs_(machine, index, statistics_.counters(), departures_.events()),
      faults_(index, clock_, warps_, tbs_, blocked_, watch_, outbox_),
      memory_side_(machine, index, store, memory, replies_, tbs_.memory(), statistics_.group()),
      fetch_(machine, warps_, buffer_, memory_side_, wheel_, statistics_.counters()),
      issue_(machine, warps_, buffer_, scoreboard_, blocked_, pipelines_, memory_side_, hooks.issue == nullptr),
      barriers_(machine, clock_, warps_, tbs_, blocked_, faults_, statistics_.counters(), statistics_.barrier_waits()),
      mechanisms_(parts_),
      executor_(parts_, mechanisms_.template get<DeviceCalls>(), mechanisms_.template get<DeviceRuntime>().calls()),
      accounts_{{machine, statistics_.counters(), tbs_},
                {machine, index, clock_, tbs_, statistics_.counters(), departures_.events()}} {
  memory_side_.hold_hits(departures_.flag());
  memory_side_.set_watch(&watch_);
  if (tlb != nullptr) memory_side_.translate(*tlb, statistics_.group());
  mechanisms_.each([](auto& one) { one.add_statistics(); });
}

template <class Mechanisms>
void BasicSm<Mechanisms>::count_slept(Tick end) {
  const Tick ticks = end - accounts_.ticks.accounting().counted();
  mechanisms_.each([ticks](auto& one) { one.idle(ticks); });
  accounts_.ticks.accounting().sleep_to(end, memory_side_.outstanding());
}

template <class Mechanisms>
void BasicSm<Mechanisms>::count_until(Cycle now) {
  if (!clock_.enabled()) accounts_.ticks.accounting().set_clock_off(clock_.cycles_off(now));
  const Tick end = clock_.ticks_before(now);
  if (end > accounts_.ticks.accounting().counted()) {
    memory_side_.catch_up(end - 1);
    count_slept(end);
  }
  accounts_.ticks.settle();
}

template <class Mechanisms>
void BasicSm<Mechanisms>::hand_over(Cycle now) {
  memory_side_.check_stale(now);
  if (const Cycle here = memory_side_.request_translations(now); here != kForever) wake_at(here);
  mechanisms_.each([](auto& one) { one.hand_over(); });
  departures_.deliver();
}

template <class Mechanisms>
void BasicSm<Mechanisms>::tick(Cycle now) {
  const base::TickWall wall(static_cast<Unit*>(this));
  if (!clock_.enabled()) {
    sleep_until(kForever);
    return;
  }
  clock_.begin(now);
  const Tick tick = clock_.tick();
  if (tick > accounts_.ticks.accounting().counted()) count_slept(tick);
  // S0, start. Fetch eligibility is computed from the state after the previous tick.
  const WarpMask eligible = fetch_.eligible();
  mechanisms_.each([](auto& one) { one.begin_tick(); });
  if (tbs_.orders_pending()) take_orders();
  mechanisms_.each([](auto& one) { one.take_messages(); });
  if (inbox_.next() <= now && tbs_.may_start(tick)) start_tb();
  mechanisms_.each([eligible](auto& one) { one.settle_early(eligible); });
  // S1, events
  if (wheel_.due(tick)) take_events();
  // S2, replies
  fetch_.take_lines();
  if (memory.next_reply() <= now) memory_side_.take_reply(now, tick);
  // S3, memory
  memory_side_.advance(now, tick);
  // S4, register copies, is part of FilterUnit::settle: rows are copied after the filter has settled and before all
  // issues. S5, issue
  barriers_.begin_tick();
  issue();
  // S6, decode
  if (fetch_.due() != 0) {
    clock_.stir();
    WarpMask due = fetch_.take_due();
    mechanisms_.each([&due](auto& one) { due = one.decode(due); });
    fetch_.decode(due);
  }
  // S7, fetch
  if (eligible != 0) {
    WarpMask held = 0;
    mechanisms_.each([&held](auto& one) { held |= one.held(); });
    if (fetch_.fetch(eligible & warps_.live() & ~held)) clock_.stir();
  }
  // S8, bookkeeping
  bookkeeping();
  // S9, edges of hooks
  mechanisms_.each([](auto& one) { one.clock(); });
  // S10, end of the tick
  finish_tick();
}

// --- S0 --------------------------------------------------------------------------------------------------------------

template <class Mechanisms>
void BasicSm<Mechanisms>::take_orders() {
  while (const auto order = tbs_.take_order(clock_.now(), inbox_.next())) {
    Tick from = clock_.tick() + order->first;
    for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
      const unsigned context = lowest(left);
      if (tbs_[context].kernel != order->kernel) continue;
      if (!order->swaps) {
        stop_tb(context);
      } else if (order->kernel->ticket == order->ticket && (tbs_.swapping() >> context & 1) == 0) {
        tbs_.request_swap({context, SwapReason::kPreemption, from, order->each});
        from += order->each;
      }
    }
    clock_.stir();
  }
}

template <class Mechanisms>
void BasicSm<Mechanisms>::start_tb() {
  const TbStartMessage& message = *inbox_.head(clock_.now());
  clock_.stir();
  watch_.disturb();
  const bool first = tbs_.resident() == 0;
  const unsigned context = tbs_.start(message, warps_.used(), clock_.now(), clock_.tick());
  const TbState& tb = tbs_[context];
  accounts_.ticks.started(tb.kernel->entry);
  TbStart start{message, tb, context, first, tbs_.setup_ticks(message), {}};
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned slot = tb.slots[i];
    warps_.start(slot, {tb.kernel, tb.program, tb.item, tb.index, context, i, message.context && message.saved});
    fetch_.start(slot);
    buffer_.start(slot);
    scoreboard_.start(slot);
    if (warps_[slot].active == warps_.all_lanes()) start.event.full |= warp_bit(slot);
  }
  start.event.tb = static_cast<std::uint8_t>(context);
  start.event.warps = tb.warps;
  start.event.gid = static_cast<std::uint32_t>(tb.gid);
  start.event.entry = tb.kernel->entry;
  warps_.admit(tb.warps, message.level != 0);
  issue_.placed(tb.warps);
  mechanisms_.each([&start](auto& one) { one.start(start); });
  if (message.saved != nullptr) {
    mechanisms_.each([&](auto& one) { one.come_back(start, *message.saved); });
  }
  fetch_.hold_back(tb.live, clock_.tick(), start.setup);
  if (tbs_.killed(*tb.kernel)) stop_tb(context);
  inbox_.pop();
}

// Stops a TB: its warps issue nothing more, and it retires when its accesses and instructions in flight have completed.
template <class Mechanisms>
void BasicSm<Mechanisms>::stop_tb(unsigned context) {
  const TbState& tb = tbs_[context];
  if (tb.killed) return;
  mechanisms_.each([context](auto& one) { one.stop(context); });
  warps_.stop(tb.warps);
  buffer_.stop(tb.warps);
  fetch_.stop(tb.warps);
  blocked_.stop(tb.warps);
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) scoreboard_.stop(lowest(left));
  tbs_.stop(context);
}

// --- S1 --------------------------------------------------------------------------------------------------------------

// Passes an event to the mechanism to which it belongs. Out of line, so that the loop over the other events, which are
// far more frequent, is compact.
template <class Mechanisms>
[[gnu::noinline]] void take_for_mechanism(Mechanisms& mechanisms, const SmEvent& event) {
  bool taken = false;
  mechanisms.each([&](auto& one) { taken = taken || one.take(event); });
}

template <class Mechanisms>
void BasicSm<Mechanisms>::take_events() {
  clock_.stir();
  const Tick tick = clock_.tick();
  const unsigned collectors = wheel_.take(tick, [this, tick](const SmEvent& event) {
    const unsigned w = event.warp;
    switch (event.kind) {
      case SmEvent::Kind::kWritten:
        scoreboard_.written(w, event, tick, buffer_.head(w));
        break;
      case SmEvent::Kind::kLoaded:
        if (event.operation != nullptr) {
          const std::uint32_t pc = SmMemory::instruction(*event.operation).pc;
          memory_side_.complete(*event.operation, warps_.view(w));
          mechanisms_.each([w, pc](auto& one) { one.loaded(w, pc); });
        }
        scoreboard_.written(w, event, tick, buffer_.head(w));
        if (event.operation != nullptr) scoreboard_.load_done(w);
        break;
      case SmEvent::Kind::kUnblock:
        blocked_.released(event.payload);
        break;
      case SmEvent::Kind::kTimer:
        if (warps_[w].wakes == tick) blocked_.wake(w);
        break;
      case SmEvent::Kind::kFetchable:
        fetch_.resume(event.payload);
        break;
      default:
        take_for_mechanism(mechanisms_, event);
        break;
    }
  });
  pipelines_.free_collectors(collectors);
}

// --- S5 --------------------------------------------------------------------------------------------------------------

// Issues the oldest buffered instruction of a warp. Returns the number of lanes for which it issues.
template <class Mechanisms>
inline unsigned BasicSm<Mechanisms>::execute(unsigned scheduler, unsigned w) {
  const WarpState& warp = warps_[w];
  const isa::Record& record = warp.records[warp.pc];
  const Decoded& decoded = warp.decoded[warp.pc];
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  const unsigned lanes =
      mask == warps_.all_lanes() ? warps_.lanes() : static_cast<unsigned>(__builtin_popcountll(mask));
  CASTOR_ASSERT_AT(clock_.now(), (buffer_.valid() & scoreboard_.clear() & warp_bit(w)) != 0,
                   "warp %u of SM %u issues with a register pending", w, index());
  IssueCounter& counter = accounts_.instructions;
  counter.count(warp.tb, decoded, lanes);
  if (counter.observed()) counter.tell(scheduler, w, warp, mask);
  bool issued = false;
  mechanisms_.each([&](auto& one) { issued |= one.issue(scheduler, w, record, decoded, mask); });
  if (!issued) executor_.execute(scheduler, w, record, decoded, mask);
  return lanes;
}

// Order of combinational dependences in a tick: state -> early outputs of hooks -> ready warps -> picks of the issue
// policy -> fetch filter, synchronisation agent -> commits.
template <class Mechanisms>
inline void BasicSm<Mechanisms>::issue() {
  const Tick tick = clock_.tick();
  std::uint8_t barrier_ok = 0xff;
  bool seen = false, picked = false;
  mechanisms_.each([&](auto& one) {
    one.begin_issue();
    barrier_ok &= one.barrier_ok();
    seen |= one.kSeesIssue;
  });
  const bool changed = issue_.look(tick, barrier_ok);
  if (changed) issue_.judge(tick, barrier_ok, memory_side_.reissued(), seen);
  mechanisms_.each([&picked](auto& one) { picked = picked || one.pick(); });
  if (!changed) return;
  if (!picked) issue_.pick();
  mechanisms_.each([this](auto& one) { one.settle(issue_.picks()); });
  if (issue_.ready() != 0) {
    issue_.commit(
        tick, [this](unsigned scheduler, unsigned w) __attribute__((always_inline)) { return execute(scheduler, w); });
  }
  issue_.classify();
  if (issue_.acted()) clock_.stir();
}

// --- S8 --------------------------------------------------------------------------------------------------------------

template <class Mechanisms>
void BasicSm<Mechanisms>::meet_barriers() {
  clock_.stir();
  watch_.disturb();
  barriers_.meet();
  for (const Barriers::Completed& done : barriers_.completed()) {
    mechanisms_.each([&done](auto& one) { one.barrier_met(done.context, done.barrier); });
  }
}

template <class Mechanisms>
inline void BasicSm<Mechanisms>::bookkeeping() {
  if (barriers_.any()) meet_barriers();
  if (const WarpMask over = blocked_.fences_over(scoreboard_.memory_busy()); over != 0) {
    clock_.stir();
    for (WarpMask left = over; left != 0; left &= left - 1) tbs_.acquire(warps_[lowest(left)].tb, clock_.now());
    blocked_.end_fences(over);
    mechanisms_.each([](auto& one) { one.fence_over(); });
  }
  mechanisms_.each([this](auto& one) { one.bookkeep([this] { return busy_warps(); }); });
  if ((tbs_.finished() | tbs_.swapping()) == 0) return;
  if (tbs_.finished() != 0) retire_tb();
  if (tbs_.swapping() != 0) swap_tbs();
}

// Returns the warps with an access, register write, event or message in flight that outlives the warp.
template <class Mechanisms>
WarpMask BasicSm<Mechanisms>::busy_warps() const {
  WarpMask warps = scoreboard_.memory_busy() | scoreboard_.in_flight() | blocked_.releasing() | fetch_.held_back();
  mechanisms_.each([&warps](const auto& one) { warps |= one.busy_warps(); });
  return warps;
}

// Moves the TBs that are to be swapped out. At most one TB starts, retires or is swapped out per tick.
template <class Mechanisms>
void BasicSm<Mechanisms>::swap_tbs() {
  TbMover& mover = mechanisms_.template get<TbMover>();
  for (TbMask begun = mover.advance([this] { return busy_warps(); }); begun != 0; begun &= begun - 1) {
    mechanisms_.each([context = lowest(begun)](auto& one) { one.freeze(context); });
  }
  if (mover.due() < 0) return;
  const auto context = static_cast<unsigned>(mover.due());
  clock_.stir();
  bool leaves = tbs_.may_retire(clock_.tick());
  mechanisms_.each([&](const auto& one) { leaves = leaves && one.may_leave(context); });
  if (!leaves) return;
  watch_.disturb();
  const WarpMask warps = tbs_[context].warps;
  auto saved = std::make_unique<SavedTb>();
  mechanisms_.each([&](auto& one) { one.leave(context, *saved); });
  tbs_.swap_out(context, saved->reason, clock_.now(), clock_.tick());
  if (saved->reason == SwapReason::kSynchronisation) {
    tbs_.engine_moves().agent.left.push_back(std::move(saved));
    departures_.flag().raise();
  } else {
    const bool waits = saved->reason == SwapReason::kChildren;
    outbox_.save({clock_.now() + 1, std::move(saved)}, waits);
  }
  warps_.stop(warps);
  buffer_.stop(warps);
  fetch_.stop(warps);
  blocked_.stop(warps);
  leave(context, warps);
}

// Releases the resources of a TB that has retired or was swapped out.
template <class Mechanisms>
void BasicSm<Mechanisms>::leave(unsigned context, WarpMask warps) {
  accounts_.ticks.changed();
  issue_.left(warps);
  memory_side_.tb_retired(context);
  warps_.release(warps);
}

template <class Mechanisms>
void BasicSm<Mechanisms>::retire_tb() {
  if (!tbs_.may_retire(clock_.tick())) clock_.stir();
  const std::optional<unsigned> context = tbs_.next_to_retire(busy_warps(), done_credits_, clock_.now(), clock_.tick());
  if (!context) return;
  clock_.stir();
  watch_.disturb();
  const WarpMask warps = tbs_[*context].warps;
  CASTOR_ASSERT_AT(clock_.now(), (warps & scoreboard_.memory_busy()) == 0,
                   "a TB retires from SM %u with memory accesses in flight", index());
  TbRetireMessage message = tbs_.retire(*context, clock_.now(), clock_.tick());
  mechanisms_.each([&](auto& one) { one.retire(*context, message); });
  outbox_.retire(message);
  leave(*context, warps);
}

// --- S10 -------------------------------------------------------------------------------------------------------------

template <class Mechanisms>
inline void BasicSm<Mechanisms>::finish_tick() {
  departures_.end_tick();
  const unsigned outstanding = memory_side_.outstanding();
  TickAccounting& accounting = accounts_.ticks.accounting();
  accounting.count({issue_.stalls(), issue_.lacks(), issue_.issued(), warps_.live(), warps_.live() & warps_.device(),
                    blocked_.in_fence(), tbs_.finished(), outstanding});
  if (pulses_read(clock_.now())) {
    SmPulse pulse;
    pulse.lanes = static_cast<std::uint16_t>(issue_.lanes_issued());
    pulse.l1_primary_misses = static_cast<std::uint8_t>(memory_side_.primary_misses());
    pulse.memory_stall = accounting.memory_stalled();
    pulse.outstanding = static_cast<std::uint16_t>(outstanding);
    set_pulse(pulse, clock_.now());
    // A sleeping SM repeats its last pulse. After a tick with an L1 miss, the SM therefore runs one more tick, whose
    // pulse has no miss.
    if (pulse.l1_primary_misses != 0) clock_.stir();
  }
  sleep_until(clock_.stirred() ? clock_.now() + 1 : next_wake());
}

template <class Mechanisms>
Cycle BasicSm<Mechanisms>::next_wake() const {
  const Cycle now = clock_.now();
  const Cycle soonest = now + 1;
  // The conditions that most often need the next tick are tested first.
  if (fetch_.decodes_next() || issue_.ready_left() || memory.next_reply() <= soonest) return soonest;
  const Tick tick = memory_side_.next(clock_.tick());
  if (tick == clock_.tick() + 1) return soonest;
  Cycle wake = clock_.cycle_of(std::min({tick, wheel_.next(clock_.tick()), issue_.unit_wake()}));
  wake = std::min({wake, inbox_.next(), memory.next_reply()});
  // Credits returned up to this tick need no wake-up: they have been used, or no packet needed them.
  if (memory.next_credit() > now) wake = std::min(wake, memory.next_credit());
  if (tbs_.orders_pending()) wake = std::min(wake, tbs_.next_order());
  if (tbs_.waits_for_credit()) wake = std::min(wake, done_credits_.next());
  mechanisms_.each([&wake](const auto& one) { wake = std::min(wake, one.wake()); });
  return std::max(wake, soonest);
}

// --- Between ticks ---------------------------------------------------------------------------------------------------

template <class Mechanisms>
bool BasicSm<Mechanisms>::still() const {
  bool still = inbox_.size() == 0 && !tbs_.orders_pending() && tbs_.finished() == 0 && outbox_.empty() &&
               clock_.enabled() && (blocked_.asleep() | blocked_.faulted() | blocked_.releasing()) == 0;
  mechanisms_.each([&still](const auto& one) { still = still && one.still(); });
  return still;
}

template <class Mechanisms>
SmWaitReport BasicSm<Mechanisms>::report() const {
  std::vector<WaitReason> reasons;
  mechanisms_.each([&reasons](const auto& one) { one.add_waiting(reasons); });
  return {parts_, std::move(reasons)};
}

template <class Mechanisms>
void BasicSm<Mechanisms>::add_waves(Waves& waves, const std::string& scope) const {
  add_core_waves(parts_, waves, scope);
  mechanisms_.each([&](const auto& one) { one.add_waves(waves, scope); });
}

}  // namespace castor::gpu
