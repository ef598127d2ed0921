#include "castor/gpu/sm/sm.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {

Sm::Sm(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
       base::StatisticGroup& statistics, const SmHooks& hooks, Observer* observer)
    : sc_module(name),
      SmUnit(index, machine.done_fifo),
      memory("memory", *this, machine.xbar.fifo_flits),
      machine_(machine),
      store_(store),
      schedulers_(machine.schedulers),
      group_(statistics, "sm" + std::to_string(index)),
      statistics_(group_, machine),
      warps_(machine, index),
      blocked_(wheel_),
      pipelines_(machine, wheel_, counters_),
      scoreboard_(machine, pipelines_, wheel_),
      buffer_(machine, warps_, scoreboard_),
      watch_(machine.sm.warps),
      tbs_(machine, index, counters_, observer),
      faults_(index, clock_, warps_, tbs_, blocked_, watch_, outbox_),
      barriers_(machine, clock_, warps_, tbs_, blocked_, faults_, counters_, statistics_.barrier_waits()),
      memory_side_(machine, index, store, memory, *this, tbs_.memory(), group_),
      calls_(index, clock_, warps_, tbs_, blocked_, memory_side_, outbox_),
      fetch_(machine, warps_, buffer_, memory_side_, wheel_, counters_),
      control_(machine, clock_, warps_, buffer_, scoreboard_, blocked_, fetch_, barriers_, calls_, faults_, watch_),
      executor_(machine, clock_, warps_, buffer_, scoreboard_, pipelines_, blocked_, memory_side_, control_, faults_,
                watch_),
      counter_(machine, index, clock_, tbs_, counters_, observer),
      issue_(machine, warps_, buffer_, scoreboard_, blocked_, pipelines_, memory_side_, hooks.issue == nullptr),
      hooks_(machine, index, hooks, clock_, faults_, group_),
      watched_(observer != nullptr || hooks.fetch_filter != nullptr) {
  memory_side_.set_watch(&watch_);
  if (hooks.fetch_filter != nullptr) {
    filter_ =
        std::make_unique<FilterUnit>(machine, index, *hooks.fetch_filter, clock_, warps_, tbs_, buffer_, fetch_,
                                     blocked_, scoreboard_, pipelines_, wheel_, memory_side_, control_, executor_);
  }
}

Sm::~Sm() = default;

void Sm::set_clock_enable(bool enable, Cycle from) {
  if (!clock_.enable(enable, from) || !enable) return;
  counters_.clock_off_ticks = clock_.cycles_off(from);
  wake_at(from);
}

void Sm::count_ticks() {
  const Tick ticks = std::exchange(same_ticks_, 0);
  if (ticks == 0) return;
  const TickClass& of = tick_class_;
  const auto sum = [ticks](std::uint64_t mask) { return ticks * static_cast<unsigned>(__builtin_popcountll(mask)); };
  counters_.ticks += ticks;
  for (unsigned s = 0; s < schedulers_; ++s) {
    counters_.stall[s][static_cast<std::size_t>(of.stall[s])] += ticks;
    if (of.lacks[s] == 1) counters_.collector_full += ticks;
    if (of.lacks[s] == 2) counters_.unit_busy += ticks;
  }
  if (of.memory_stalled) counters_.memory_stall_cycles += ticks;
  counters_.occupancy_warps_sum += sum(of.live);
  if (of.device != 0) counters_.occupancy_device_warps_sum += sum(of.device);
  if (of.fence != 0) counters_.fence_wait += sum(of.fence);
  if (of.finished != 0) counters_.store_drain_at_exit += sum(of.finished);
}

// A tick that issued is followed by another one, so ticks that were slept are like the last one.
void Sm::count_slept(Tick end) {
  const Tick slept = end - counted_;
  same_ticks_ += slept;
  counted_ = end;
  if (tick_class_.memory_stalled) counters_.outstanding_sum_while_stalled += slept * memory_side_.outstanding();
  if (hooks_.any()) hooks_.idle(slept);
}

void Sm::count_until(Cycle now) {
  if (!clock_.enabled()) counters_.clock_off_ticks = clock_.cycles_off(now);
  const Tick end = clock_.ticks_before(now);
  if (end > counted_) {
    memory_side_.catch_up(end - 1);
    count_slept(end);
  }
  count_ticks();
}

void Sm::tick(Cycle now) {
  if (!clock_.enabled()) {
    sleep_until(kForever);
    return;
  }
  clock_.begin(now);
  if (clock_.tick() > counted_) count_slept(clock_.tick());
  busy_ = false;
  // S0: what may be fetched is judged on the state that the previous tick left.
  const WarpMask eligible = fetch_.eligible();
  if (hooks_.any()) hooks_.begin_tick();
  if (tbs_.kills_pending() || calls_.answers_pending() || inbox_.next() <= now) take_messages();
  if (filter_ != nullptr) filter_->settle_early(eligible);
  if (hooks_.picks()) hooks_.settle_early();
  // S1
  take_events();
  // S2
  fetch_.take_lines();
  memory_side_.take_reply(now, clock_.tick());
  // S3
  memory_side_.advance(now, clock_.tick());
  // S4: swap accesses have their place here; rows are copied when the filter has settled, in front of all issues.
  // S5
  barriers_.begin_tick();
  issue();
  // S6
  if (fetch_.due() != 0) decode();
  // S7
  if (eligible != 0) busy_ |= fetch_.fetch(eligible & warps_.live() & ~(filter_ != nullptr ? filter_->hold() : 0));
  // S8
  bookkeeping();
  // S9
  if (hooks_.any()) {
    if (filter_ != nullptr) {
      filter_->clock(barriers_.exits(), scoreboard_.in_flight(), hooks_.start(), hooks_.late_start());
      busy_ |= filter_->busy();
    }
    hooks_.clock(barriers_.arrivals(), barriers_.exits(), barriers_.unblocked(), issue_.refused_warps());
    busy_ |= hooks_.late_start().has_value();
  }
  // S10
  finish_tick();
}

void Sm::decode() {
  busy_ = true;
  WarpMask due = fetch_.take_due();
  if (filter_ != nullptr) due = filter_->decode(due);
  fetch_.decode(due);
}

void Sm::data_ready(MemoryOperation& operation, Tick ready) {
  const MemoryIssue& instruction = SmMemory::instruction(operation);
  const Decoded& decoded = warps_[instruction.warp].decoded[instruction.pc];
  if (filter_ != nullptr && filter_->expect_load(instruction.warp, decoded, ready, operation)) return;
  scoreboard_.expect_writes(instruction.warp, decoded, clock_.tick(), ready, &operation);
}

void Sm::acknowledged(unsigned w) { scoreboard_.acknowledged(w); }

void Sm::fetched(std::uint64_t line) {
  fetch_.line_arrived(line);
  busy_ = true;
}

void Sm::take_messages() {
  while (const KernelContext* const kernel = tbs_.take_kill(clock_.now())) {
    stop_kernel(*kernel);
    busy_ = true;
  }
  if (calls_.take_answers()) busy_ = true;
  if (const TbStartMessage* const message = inbox_.head(clock_.now());
      message != nullptr && tbs_.may_start(clock_.tick())) {
    start_tb(*message);
    inbox_.pop();
    busy_ = true;
  }
}

void Sm::take_events() {
  if (!wheel_.due(clock_.tick())) return;
  busy_ = true;
  const unsigned collectors = wheel_.take(clock_.tick(), [this](const SmEvent& event) {
    switch (event.kind) {
      case SmEvent::Kind::kWritten:
        scoreboard_.written(event.warp, event, clock_.tick(), buffer_.head(event.warp));
        break;
      case SmEvent::Kind::kLoaded: {
        const bool counts =
            event.operation != nullptr && SmMemory::instruction(*event.operation).record->kind == isa::Kind::kMemory;
        if (event.operation != nullptr) memory_side_.complete(*event.operation, warps_.view(event.warp));
        scoreboard_.written(event.warp, event, clock_.tick(), buffer_.head(event.warp));
        if (counts) scoreboard_.load_done(event.warp);
        break;
      }
      case SmEvent::Kind::kUnblock:
        blocked_.released(event.payload);
        break;
      case SmEvent::Kind::kTimer:
        if (warps_[event.warp].wakes == clock_.tick()) blocked_.wake(event.warp);
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

// Whether this tick adds to the counters what the last one did.
bool Sm::same_tick() const {
  const auto differs = [](const auto& a, const auto& b) {
    static_assert(sizeof a == 8 && sizeof b == 8);
    std::uint64_t x, y;
    std::memcpy(&x, &a, 8);
    std::memcpy(&y, &b, 8);
    return x ^ y;
  };
  const TickClass& last = tick_class_;
  return (issue_.issued() | last.issued) == 0 &&
         (differs(issue_.stalls(), last.stall) | differs(issue_.lacks(), last.lacks) | (warps_.live() ^ last.live) |
          ((warps_.live() & warps_.device()) ^ last.device) | (blocked_.in_fence() ^ last.fence) |
          (tbs_.finished() ^ last.finished)) == 0;
}

void Sm::finish_tick() {
  if (!same_tick()) {
    count_ticks();
    tick_class_.stall = issue_.stalls();
    tick_class_.lacks = issue_.lacks();
    bool waits_memory = false;
    for (unsigned s = 0; s < schedulers_; ++s) {
      if ((issue_.issued() >> s & 1) != 0) tick_class_.stall[s] = StallClass::kIssued;
      const StallClass stall = tick_class_.stall[s];
      waits_memory |= stall == StallClass::kRawMemory || stall == StallClass::kMemoryPipe;
    }
    tick_class_.issued = issue_.issued();
    tick_class_.memory_stalled = issue_.issued() == 0 && waits_memory;
    tick_class_.live = warps_.live();
    tick_class_.device = warps_.live() & warps_.device();
    tick_class_.fence = blocked_.in_fence();
    tick_class_.finished = tbs_.finished();
  }
  ++same_ticks_;
  ++counted_;
  const unsigned outstanding = memory_side_.outstanding();
  if (tick_class_.memory_stalled) counters_.outstanding_sum_while_stalled += outstanding;

  if (pulses_read()) {
    SmPulse pulse;
    pulse.lanes = static_cast<std::uint16_t>(issue_.lanes_issued());
    pulse.l1_primary_misses = static_cast<std::uint8_t>(memory_side_.primary_misses());
    pulse.memory_stall = tick_class_.memory_stalled;
    pulse.outstanding = static_cast<std::uint16_t>(outstanding);
    set_pulse(pulse, clock_.now());
    // The pulse of a sleeping SM repeats, so a tick with a miss is followed by one without.
    if (pulse.l1_primary_misses != 0) busy_ = true;
  }
  sleep_until(busy_ ? clock_.now() + 1 : next_wake());
}

Cycle Sm::next_wake() {
  const Cycle soonest = clock_.now() + 1;
  // What most often has something to do in the next tick is asked first.
  if (fetch_.decodes_next() || issue_.ready_left() || memory.next_reply() <= soonest) return soonest;
  Tick tick = memory_side_.next(clock_.tick());
  if (tick == clock_.tick() + 1) return soonest;
  tick = std::min({tick, wheel_.next(clock_.tick()), issue_.unit_wake()});
  Cycle wake = tick == kForever ? kForever : clock_.now() + (tick - clock_.tick());
  wake = std::min({wake, inbox_.next(), memory.next_reply()});
  // Credits that came back before this tick were there for it.
  if (memory.next_credit() > clock_.now()) wake = std::min(wake, memory.next_credit());
  if (tbs_.kills_pending()) wake = std::min(wake, tbs_.next_kill());
  if (calls_.answers_pending()) wake = std::min(wake, calls_.next_answer());
  if (tbs_.waits_for_credit()) wake = std::min(wake, done_credits_.next());
  if (hooks_.any()) wake = std::min(wake, hooks_.wake());
  return std::max(wake, soonest);
}

bool Sm::idle() const { return tbs_.resident() == 0 && inbox_.size() == 0 && memory_side_.idle(); }

}  // namespace castor::gpu
