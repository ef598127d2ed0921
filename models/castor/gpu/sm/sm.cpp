#include "castor/gpu/sm/sm.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {

Sm::Sm(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
       base::StatisticGroup& statistics, const SmHooks& hooks, Observer* observer, SharedTlb* tlb)
    : sc_module(name),
      SmUnit(index, machine.done_fifo),
      memory("memory", *this, machine.xbar.fifo_flits),
      departures_(memory, outbox_, observer),
      statistics_(statistics, index, machine),
      kernel_ticks_(machine, statistics_.counters(), tbs_),
      pipelines_(machine, wheel_, statistics_.counters()),
      blocked_(wheel_),
      warps_(machine, index),
      scoreboard_(machine, pipelines_, wheel_),
      buffer_(machine, warps_, scoreboard_),
      watch_(machine.sm.warps),
      tbs_(machine, index, statistics_.counters(), departures_.events()),
      faults_(index, clock_, warps_, tbs_, blocked_, watch_, outbox_),
      memory_side_(machine, index, store, memory, *this, tbs_.memory(), statistics_.group()),
      fetch_(machine, warps_, buffer_, memory_side_, wheel_, statistics_.counters()),
      issue_(machine, warps_, buffer_, scoreboard_, blocked_, pipelines_, memory_side_, hooks.issue == nullptr),
      barriers_(machine, clock_, warps_, tbs_, blocked_, faults_, statistics_.counters(), statistics_.barrier_waits()),
      calls_(index, clock_, warps_, tbs_, blocked_, memory_side_, outbox_),
      runtime_(machine, index, clock_, warps_, tbs_, blocked_, scoreboard_, memory_side_, wheel_, outbox_, watch_,
               statistics_.counters()),
      contexts_(machine, !hooks.any(), clock_, warps_, tbs_, scoreboard_, blocked_, runtime_, memory_side_),
      control_(machine, clock_, warps_, buffer_, scoreboard_, blocked_, fetch_, barriers_, calls_, runtime_, faults_,
               watch_),
      executor_(machine, clock_, warps_, buffer_, scoreboard_, pipelines_, blocked_, memory_side_, control_, faults_,
                watch_),
      counter_(machine, index, clock_, tbs_, statistics_.counters(), departures_.events()),
      hooks_(machine, index, hooks, clock_, faults_, statistics_.group()) {
  memory_side_.hold_hits(departures_.flag());
  memory_side_.set_watch(&watch_);
  if (tlb != nullptr) memory_side_.translate(*tlb, statistics_.group());
  if (hooks.fetch_filter == nullptr) return;
  filter_ = std::make_unique<FilterUnit>(machine, index, *hooks.fetch_filter, clock_, warps_, tbs_, buffer_, fetch_,
                                         blocked_, scoreboard_, pipelines_, wheel_, memory_side_, control_, executor_,
                                         faults_, watch_, statistics_.group(), hooks_.filter_terms());
}

void Sm::set_clock_enable(bool enable, Cycle from) {
  if (!clock_.enable(enable, from) || !enable) return;
  kernel_ticks_.accounting().set_clock_off(clock_.cycles_off(from));
  wake_at(from);
}

void Sm::count_slept(Tick end) {
  if (hooks_.any()) hooks_.idle(end - kernel_ticks_.accounting().counted());
  kernel_ticks_.accounting().sleep_to(end, memory_side_.outstanding());
}

void Sm::count_until(Cycle now) {
  if (!clock_.enabled()) kernel_ticks_.accounting().set_clock_off(clock_.cycles_off(now));
  const Tick end = clock_.ticks_before(now);
  if (end > kernel_ticks_.accounting().counted()) {
    memory_side_.catch_up(end - 1);
    count_slept(end);
  }
  kernel_ticks_.settle();
}

void Sm::hand_over(Cycle now) {
  memory_side_.check_stale(now);
  if (const Cycle here = memory_side_.ask_for_translations(now); here != kForever) wake_at(here);
  if (!restored_.empty()) {
    for (const Restored& one : restored_) memory_side_.restore_local(one.context, one.tb->local);
    restored_.clear();
  }
  departures_.deliver();
}

void Sm::tick(Cycle now) {
  const base::TickWall wall(static_cast<Unit*>(this));
  if (!clock_.enabled()) {
    sleep_until(kForever);
    return;
  }
  clock_.begin(now);
  const Tick tick = clock_.tick();
  if (tick > kernel_ticks_.accounting().counted()) count_slept(tick);
  busy_ = false;
  // S0: what may be fetched is judged on the state that the previous tick left.
  const WarpMask eligible = fetch_.eligible();
  if (hooks_.any()) hooks_.begin_tick();
  if (tbs_.kills_pending() || calls_.answers_pending() || runtime_.active() || inbox_.next() <= now) {
    take_messages();
  }
  if (filter_ != nullptr) filter_->settle_early(eligible);
  if (hooks_.picks()) hooks_.settle_early();
  // S1
  if (wheel_.due(tick)) take_events();
  // S2
  fetch_.take_lines();
  if (memory.next_reply() <= now) memory_side_.take_reply(now, tick);
  // S3
  memory_side_.advance(now, tick);
  // S4: swap accesses have their place here; rows are copied when the filter has settled, in front of all issues.
  // S5
  barriers_.begin_tick();
  issue();
  // S6
  if (fetch_.due() != 0) decode();
  // S7
  if (eligible != 0) {
    const WarpMask held = filter_ != nullptr ? filter_->hold() : 0;
    busy_ |= fetch_.fetch(eligible & warps_.live() & ~held);
  }
  // S8
  bookkeeping();
  // S9
  if (hooks_.any()) clock_hooks();
  // S10
  finish_tick();
}

// --- S0 --------------------------------------------------------------------------------------------------------------

void Sm::take_messages() {
  while (const KernelContext* const kernel = tbs_.take_kill(clock_.now())) {
    for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
      if (tbs_[lowest(left)].kernel == kernel) stop_tb(lowest(left));
    }
    busy_ = true;
  }
  busy_ |= calls_.take_answers();
  if (runtime_.messages_pending()) busy_ |= runtime_.take_messages();
  const TbStartMessage* const message = inbox_.head(clock_.now());
  if (message == nullptr || !tbs_.may_start(clock_.tick())) return;
  start_tb(*message);
  inbox_.pop();
  busy_ = true;
}

void Sm::start_tb(const TbStartMessage& message) {
  watch_.disturb();
  const bool first = tbs_.resident() == 0;
  const unsigned context = tbs_.start(message, warps_.used(), clock_.now(), clock_.tick());
  const TbState& tb = tbs_[context];
  kernel_ticks_.started(tb.kernel->entry);
  TbStartEvent event;
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned slot = tb.slots[i];
    warps_.start(slot, {tb.kernel, tb.program, tb.item, tb.index, context, i});
    fetch_.start(slot);
    buffer_.start(slot);
    scoreboard_.start(slot);
    if (warps_[slot].active == warps_.all_lanes()) event.full |= warp_bit(slot);
  }
  warps_.admit(tb.warps, message.level != 0);
  runtime_.start(context);
  issue_.placed(tb.warps);
  Tick setup = tbs_.setup_ticks(message);
  if (message.suspended != nullptr) {
    setup = contexts_.restore(context, *message.suspended);
    restored_.push_back({context, message.suspended});
    departures_.flag().raise();
  }
  fetch_.hold_back(tb.live, clock_.tick(), setup);
  if (hooks_.any()) {
    event.tb = static_cast<std::uint8_t>(context);
    event.warps = tb.warps;
    event.gid = static_cast<std::uint32_t>(tb.gid);
    event.entry = tb.kernel->entry;
    if (filter_ != nullptr) filter_->start(tb, context, event);
    hooks_.started(event, first);
  }
  if (tbs_.killed(*tb.kernel)) stop_tb(context);
}

// Its warps do nothing more; it retires when what they have under way is over.
void Sm::stop_tb(unsigned context) {
  const TbState& tb = tbs_[context];
  if (tb.killed) return;
  if (filter_ != nullptr) filter_->stop(tb);
  warps_.stop(tb.warps);
  buffer_.stop(tb.warps);
  fetch_.stop(tb.warps);
  blocked_.stop(tb.warps);
  runtime_.stop(tb.warps);
  contexts_.stop(context);
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) scoreboard_.stop(lowest(left));
  tbs_.stop(context);
}

void Sm::kill(const KernelContext& kernel, Cycle visible) {
  tbs_.kill(kernel, visible);
  wake_at(visible);
}

std::optional<Fault> Sm::serve(unsigned w, DeviceServices& services, Cycle resume) {
  wake_at(resume);
  return calls_.serve(w, services, resume);
}

void Sm::serve_runtime(unsigned w, LaunchService& service, Cycle reply) {
  wake_at(reply);
  runtime_.serve(w, service, reply);
}

void Sm::tell_runtime(const RuntimeNews& news) {
  wake_at(news.visible);
  runtime_.tell(news);
}

// --- S1 to S3 --------------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void Sm::complete(MemoryOperation& operation, unsigned w) {
  const std::uint32_t pc = filter_ != nullptr ? SmMemory::instruction(operation).pc : 0;
  memory_side_.complete(operation, warps_.view(w));
  if (filter_ != nullptr) filter_->loaded(w, pc);
}

void Sm::take_events() {
  busy_ = true;
  const Tick tick = clock_.tick();
  const unsigned collectors = wheel_.take(tick, [this, tick](const SmEvent& event) {
    const unsigned w = event.warp;
    switch (event.kind) {
      case SmEvent::Kind::kWritten:
        scoreboard_.written(w, event, tick, buffer_.head(w));
        break;
      case SmEvent::Kind::kLoaded:
        if (event.operation != nullptr) complete(*event.operation, w);
        scoreboard_.written(w, event, tick, buffer_.head(w));
        if (event.operation != nullptr) scoreboard_.load_done(w);
        break;
      case SmEvent::Kind::kUnblock:
        blocked_.released(event.payload);
        break;
      case SmEvent::Kind::kTimer:
        if (warps_[w].wakes == tick) blocked_.wake(w);
        break;
      case SmEvent::Kind::kReturn:
        runtime_.returned(w);
        break;
      case SmEvent::Kind::kFetchable:
        fetch_.go_on(event.payload);
        break;
      case SmEvent::Kind::kRowWritten:
      case SmEvent::Kind::kRowReady:
        filter_->take(event);
        break;
    }
  });
  pipelines_.free_collectors(collectors);
}

void Sm::data_ready(MemoryOperation& operation, Tick ready) {
  const MemoryIssue& instruction = SmMemory::instruction(operation);
  const Decoded& decoded = warps_[instruction.warp].decoded[instruction.pc];
  if (filter_ != nullptr && filter_->expect_load(instruction.warp, decoded, ready, operation)) return;
  scoreboard_.expect_load(instruction.warp, decoded, clock_.tick(), ready, operation);
}

void Sm::acknowledged(unsigned w) { scoreboard_.acknowledged(w); }

void Sm::record_stored(unsigned w, std::uint32_t number) { runtime_.record_stored(w, number); }

void Sm::goes_on(unsigned w) { scoreboard_.goes_on(w); }

void Sm::fetched(std::uint64_t line) {
  fetch_.line_arrived(line);
  busy_ = true;
}

// --- S5 and S6 -------------------------------------------------------------------------------------------------------

// The head of a warp's buffer issues. Returns the lanes for which it does.
[[gnu::always_inline]] inline unsigned Sm::execute(unsigned scheduler, unsigned w) {
  const WarpState& warp = warps_[w];
  const isa::Record& record = warp.records[warp.pc];
  const Decoded& decoded = warp.decoded[warp.pc];
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  const unsigned lanes =
      mask == warps_.all_lanes() ? warps_.lanes() : static_cast<unsigned>(__builtin_popcountll(mask));
  CASTOR_ASSERT_AT(clock_.now(), (buffer_.valid() & scoreboard_.clear() & warp_bit(w)) != 0,
                   "warp %u of SM %u issues with a register pending", w, index());
  counter_.count(warp.tb, decoded, lanes);
  if (counter_.observed()) counter_.tell(scheduler, w, warp, mask);
  if (filter_ == nullptr || !filter_->issue(scheduler, w, record, decoded, mask)) {
    executor_.execute(scheduler, w, record, decoded, mask);
  }
  return lanes;
}

// What is combinational in a tick depends only on what stands before it: state -> early outputs of hooks -> ready warps
// -> picks of the issue policy -> fetch filter -> commits.
[[gnu::always_inline]] inline void Sm::issue() {
  const Tick tick = clock_.tick();
  const std::uint8_t barrier_ok = hooks_.barrier_ok();
  const bool changed = issue_.look(tick, barrier_ok);
  if (changed) issue_.judge(tick, barrier_ok, memory_side_.reissued(), filter_ != nullptr);
  if (hooks_.picks()) {
    HookPort::Offer offer;
    offer.valid = buffer_.valid();
    offer.long_wait = buffer_.valid() & ~scoreboard_.clear() & scoreboard_.waits_load();
    offer.ready = issue_.ready();
    offer.offered = issue_.offered();
    if (issue_.schedulers().by_class()) offer.issue_class = issue_.issue_classes();
    hooks_.settle(offer, issue_.picks());
  } else if (changed) {
    issue_.pick();
  }
  if (!changed) return;
  if (filter_ != nullptr) filter_->settle(issue_.picks(), hooks_.start());
  if (issue_.ready() != 0) {
    issue_.commit(tick, [this](unsigned scheduler, unsigned w) { return execute(scheduler, w); });
  }
  issue_.classify();
  busy_ |= issue_.acted();
}

void Sm::decode() {
  busy_ = true;
  WarpMask due = fetch_.take_due();
  if (filter_ != nullptr) due = filter_->decode(due);
  fetch_.decode(due);
}

// --- S8 --------------------------------------------------------------------------------------------------------------

void Sm::meet_barriers() {
  busy_ = true;
  watch_.disturb();
  barriers_.meet();
  for (const Barriers::Completed& one : barriers_.completed()) {
    if (filter_ != nullptr) filter_->barrier_met(one.context, one.barrier);
  }
}

[[gnu::always_inline]] inline void Sm::bookkeeping() {
  if (barriers_.any()) meet_barriers();
  const WarpMask memory_busy = scoreboard_.memory_busy();
  if (const WarpMask over = blocked_.fences_over(memory_busy); over != 0) {
    busy_ = true;
    for (WarpMask left = over; left != 0; left &= left - 1) tbs_.acquire(warps_[lowest(left)].tb, clock_.now());
    blocked_.end_fences(over);
    if (filter_ != nullptr) filter_->fence_over();
  }
  if (const WarpMask due = blocked_.calls_due(memory_busy); due != 0) {
    busy_ = true;
    calls_.ask(due);
  }
  if (runtime_.active()) {
    if (runtime_.due() <= clock_.tick()) runtime_.advance();
    if (runtime_.await_children() != 0) contexts_.look(under_way());
    runtime_.end_tick();
  }
  if (tbs_.finished() != 0) retire_one();
  if (runtime_.active() && contexts_.due() >= 0) suspend_one();
}

// Warps of which something is on its way that is not theirs alone.
WarpMask Sm::under_way() const {
  return scoreboard_.memory_busy() | scoreboard_.in_flight() | blocked_.calling() | blocked_.releasing() |
         fetch_.held_back() | runtime_.under_way();
}

// A block whose context is saved leaves, one per tick as others.
void Sm::suspend_one() {
  busy_ = true;
  if (!tbs_.may_retire(clock_.tick())) return;
  watch_.disturb();
  const auto context = static_cast<unsigned>(contexts_.due());
  const WarpMask warps = tbs_[context].warps;
  outbox_.suspend({clock_.now() + 1, contexts_.save(context)});
  runtime_.leave(warps);
  warps_.stop(warps);
  buffer_.stop(warps);
  fetch_.stop(warps);
  blocked_.stop(warps);
  tbs_.suspend(context, clock_.now(), clock_.tick());
  leave(context, warps);
}

// What is left of a block that is gone.
void Sm::leave(unsigned context, WarpMask warps) {
  kernel_ticks_.changed();
  issue_.left(warps);
  memory_side_.tb_retired(context);
  warps_.release(warps);
}

void Sm::retire_one() {
  busy_ |= !tbs_.may_retire(clock_.tick());
  const std::optional<unsigned> context = tbs_.next_to_retire(under_way(), done_credits_, clock_.now(), clock_.tick());
  if (!context) return;
  busy_ = true;
  watch_.disturb();
  const WarpMask warps = tbs_[*context].warps;
  CASTOR_ASSERT_AT(clock_.now(), (warps & scoreboard_.memory_busy()) == 0,
                   "a TB retires from SM %u with accesses under way", index());
  TbRetireMessage message = tbs_.retire(*context, clock_.now(), clock_.tick());
  message.caller = runtime_.caller(*context);
  outbox_.retire(message);
  leave(*context, warps);
  hooks_.retired(*context);
  if (filter_ != nullptr) filter_->retired(*context);
}

// --- S9 and S10 ------------------------------------------------------------------------------------------------------

void Sm::clock_hooks() {
  if (filter_ != nullptr) {
    filter_->clock(barriers_.exits(), scoreboard_.in_flight(), hooks_.start(), hooks_.late_start());
    busy_ |= filter_->busy();
  }
  hooks_.clock(barriers_.arrivals(), barriers_.exits(), barriers_.unblocked(), issue_.refused_warps());
  busy_ |= hooks_.late_start().has_value();
}

[[gnu::always_inline]] inline void Sm::finish_tick() {
  departures_.end_tick();
  const unsigned outstanding = memory_side_.outstanding();
  kernel_ticks_.accounting().count({issue_.stalls(), issue_.lacks(), issue_.issued(), warps_.live(),
                                    warps_.live() & warps_.device(), blocked_.in_fence(), tbs_.finished(),
                                    outstanding});
  if (pulses_read()) {
    SmPulse pulse;
    pulse.lanes = static_cast<std::uint16_t>(issue_.lanes_issued());
    pulse.l1_primary_misses = static_cast<std::uint8_t>(memory_side_.primary_misses());
    pulse.memory_stall = kernel_ticks_.accounting().memory_stalled();
    pulse.outstanding = static_cast<std::uint16_t>(outstanding);
    set_pulse(pulse, clock_.now());
    // The pulse of a sleeping SM repeats, so a tick with a miss is followed by one without.
    busy_ |= pulse.l1_primary_misses != 0;
  }
  sleep_until(busy_ ? clock_.now() + 1 : next_wake());
}

Cycle Sm::next_wake() {
  const Cycle now = clock_.now();
  const Cycle soonest = now + 1;
  // What most often has something to do in the next tick is asked first.
  if (fetch_.decodes_next() || issue_.ready_left() || memory.next_reply() <= soonest) return soonest;
  Tick tick = memory_side_.next(clock_.tick());
  if (tick == clock_.tick() + 1) return soonest;
  tick = std::min({tick, wheel_.next(clock_.tick()), issue_.unit_wake()});
  if (runtime_.active()) tick = std::min({tick, runtime_.due(), contexts_.next()});
  Cycle wake = tick == kForever ? kForever : now + (tick - clock_.tick());
  wake = std::min({wake, inbox_.next(), memory.next_reply()});
  // Credits that came back before this tick were there for it.
  if (memory.next_credit() > now) wake = std::min(wake, memory.next_credit());
  if (tbs_.kills_pending()) wake = std::min(wake, tbs_.next_kill());
  if (calls_.answers_pending()) wake = std::min(wake, calls_.next_answer());
  if (runtime_.active()) wake = std::min(wake, runtime_.next_message());
  if (tbs_.waits_for_credit()) wake = std::min(wake, done_credits_.next());
  if (hooks_.any()) wake = std::min(wake, hooks_.wake());
  return std::max(wake, soonest);
}

// --- Between ticks ---------------------------------------------------------------------------------------------------

bool Sm::idle() const { return tbs_.resident() == 0 && inbox_.size() == 0 && memory_side_.idle(); }

bool Sm::still() const {
  return inbox_.size() == 0 && !tbs_.kills_pending() && !calls_.answers_pending() && tbs_.finished() == 0 &&
         (blocked_.asleep() | blocked_.in_call() | blocked_.faulted() | blocked_.releasing() | runtime_.moving()) ==
             0 &&
         !runtime_.messages_pending() && contexts_.next() == base::kForever && outbox_.empty() && clock_.enabled() &&
         (!hooks_.any() || hooks_.wake() == base::kForever);
}

void Sm::check_invariants(const SmRoom& ledger) const {
  report().check(inbox_.size() == 0 && outbox_.empty() ? &ledger : nullptr, clock_.now());
}

SmWaitReport Sm::report() const {
  return {index(),
          warps_,
          tbs_,
          buffer_,
          scoreboard_,
          blocked_,
          fetch_,
          memory_side_,
          watch_,
          hooks_,
          filter_ != nullptr ? filter_->hold() : 0};
}

}  // namespace castor::gpu
