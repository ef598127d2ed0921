#include "castor/gpu/replay/replay_sm.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

ReplaySm::ReplaySm(const sc_core::sc_module_name& name, unsigned index, const Machine& machine, const ReplayFile& file,
                   VirtualClocks& clocks, base::StatisticGroup& statistics, Observer* observer)
    : sc_module(name),
      SmUnit(index, machine.done_fifo),
      memory("memory", *this, machine.xbar.fifo_flits),
      machine_(machine),
      file_(file),
      clocks_(clocks),
      observer_(observer),
      free_(machine.sm.tb_contexts >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << machine.sm.tb_contexts) - 1),
      contexts_(machine.sm.tb_contexts),
      statistics_(statistics, "sm" + std::to_string(index)),
      counters_(statistics_) {
  CASTOR_ASSERT(machine.sm.tb_contexts <= 64, "more than 64 contexts");
  ready_.reserve(contexts_.size());
  clocks_.join(index, *this);
  sleep_until(kForever);
}

ReplaySm::~ReplaySm() = default;

void ReplaySm::kill(const KernelContext& kernel, Cycle visible) {
  kills_.push_back({&kernel, kernel.ticket, visible, false});
  wake_at(visible);
}

void ReplaySm::swap_out(const SwapOutRequest& request) {
  saves_.push(request);
  wake_at(request.visible);
}

std::optional<Fault> ReplaySm::serve(unsigned /*warp*/, DeviceServices* /*services*/, Cycle /*resume*/) {
  CASTOR_ASSERT(false, "a replayed thread block makes no runtime calls");
  return std::nullopt;
}

void ReplaySm::set_clock_enable(bool enable, Cycle from) {
  if (enable == enabled_) return;
  if (!enable) {
    count_until(from);
    disabled_since_ = from;
  }
  for (std::uint64_t left = running_; left != 0; left &= left - 1) {
    Context& tb = contexts_[lowest(left)];
    const VirtualTime value = clocks_.value(tb.clock, from - 1, from);
    if (enable) {
      tb.end += value - tb.stopped_at;
    } else {
      tb.stopped_at = value;
    }
  }
  enabled_ = enable;
  if (!enable) return;
  for (std::uint64_t left = moving_; left != 0; left &= left - 1) {
    contexts_[lowest(left)].moved += from - disabled_since_;
  }
  counted_ += from - disabled_since_;
  wires_.pause(from - disabled_since_);
  stirred_ = true;
  wake_at(from);
}

void ReplaySm::count_until(Cycle now) {
  if (!enabled_) now = std::min(now, disabled_since_);
  const Cycle cycles = now - counted_;
  counted_ = now;
  counters_.pass(cycles, room_.warps(), room_.tbs());
  counters_.retire_wait += cycles * ready_.size();
}

void ReplaySm::add_waves(Waves& waves, const std::string& scope) const {
  waves.add(scope, "resident", 64, &resident_);
  waves.add(scope, "running", 64, &running_);
  waves.add(scope, "ready_to_retire", 8, [this] { return ready_.size(); });
  waves.add(scope, "warps", 16, &room_.warps());
}

unsigned ReplaySm::take_context(const TbStartMessage& message, Cycle now) {
  const KernelContext& kernel = *message.kernel;
  CASTOR_ASSERT_AT(now, free_ != 0, "SM %u has no free context", index());
  const unsigned slot = lowest(free_);
  room_.take(kernel.need);
  CASTOR_ASSERT_AT(now, room_.fits(machine_.sm), "SM %u has no room for a thread block of %s", index(),
                   kernel.program->kernel.c_str());
  free_ &= ~(std::uint64_t{1} << slot);
  resident_ |= std::uint64_t{1} << slot;
  stirred_ = changed_ = true;
  Context& tb = contexts_[slot];
  tb = {};
  tb.kernel = &kernel;
  tb.item = message.item;
  tb.gid = message.gid;
  tb.tb_group = message.group;
  std::optional<SwapReason> swapped;
  if (message.saved != nullptr) swapped = message.saved->reason;
  if (observer_ != nullptr) observer_->tb_started({now, index(), slot, &kernel, tb.gid, tb.tb_group, swapped});
  return slot;
}

void ReplaySm::take_start(const TbStartMessage& message, Cycle now) {
  const KernelContext& kernel = *message.kernel;
  const unsigned slot = take_context(message, now);
  ++counters_.started;
  Context& tb = contexts_[slot];
  const int type = file_.find(kernel.program->kernel);
  const auto unknown = [&](std::string what) {
    Fault fault;
    fault.kind = FaultKind::kIllegalInstruction;
    fault.kernel = kernel.program->kernel;
    fault.block = block_index(message.item.grid, message.gid);
    fault.message = base::printable(file_.file(), std::string::npos) + ": " + what + " kernel '" +
                    base::printable(fault.kernel) + "'";
    if (const std::string readable = base::demangled(fault.kernel); readable != fault.kernel) {
      fault.message += ", " + base::printable(readable, 200);
    }
    outbox_.report({now + 1, &kernel, std::move(fault)});
    finish(slot);
  };
  if (type < 0) return unknown("unknown");
  const ReplayType& known = file_.types()[static_cast<std::size_t>(type)];
  if (known.service.kind == ServiceLaw::Kind::kTable && message.gid >= known.service.values.size()) {
    return unknown("no recorded service for thread block " + std::to_string(message.gid) + " of");
  }
  tb.type = &known;
  tb.clock = clocks_.group(index(), static_cast<unsigned>(type));
  // For the draw, the kernel itself is group 0, and group n is n + 1.
  const std::uint64_t launch = kernel.ticket ^ std::uint64_t{message.group + 1} << 40U;
  const std::uint64_t service = known.service.draw(machine_.run.seed, launch, message.gid);
  tb.end = clocks_.value(tb.clock, now - 1, now) + (VirtualTime{service} << 32U);
  clocks_.enter(index(), static_cast<unsigned>(type), kernel.need.warps, now);
  const bool killed =
      std::any_of(kills_.begin(), kills_.end(), [&](const Kill& k) { return k.done && k.hits(kernel); });
  if (killed) return finish(slot);
  running_ |= std::uint64_t{1} << slot;
}

// Takes a restored TB. The replay file has its kernel, because the TB ran before, on this SM or another.
void ReplaySm::take_restored(const TbStartMessage& message, Cycle now) {
  const KernelContext& kernel = *message.kernel;
  const unsigned slot = take_context(message, now);
  Context& tb = contexts_[slot];
  const auto type = static_cast<unsigned>(file_.find(kernel.program->kernel));
  tb.type = &file_.types()[type];
  tb.clock = clocks_.group(index(), type);
  tb.rest = message.saved->rest;
  tb.moved = now + message.load;
  clocks_.enter(index(), type, kernel.need.warps, now);
  const bool killed =
      std::any_of(kills_.begin(), kills_.end(), [&](const Kill& k) { return k.done && k.hits(kernel); });
  if (killed) return finish(slot);
  moving_ |= std::uint64_t{1} << slot;
}

// Saves TBs of a kernel. A TB whose restored context is still being moved to the SM is saved with its remaining service
// unchanged.
void ReplaySm::take_saves(Cycle now) {
  while (const SwapOutRequest* const message = saves_.head(now)) {
    Cycle moved = now + message->first;
    for (std::uint64_t left = running_ | moving_; left != 0; left &= left - 1) {
      const unsigned slot = lowest(left);
      const std::uint64_t bit = std::uint64_t{1} << slot;
      Context& tb = contexts_[slot];
      if (tb.kernel != message->kernel || tb.kernel->ticket != message->ticket || tb.leaves) continue;
      moved += message->each;
      if ((running_ & bit) != 0) {
        if (clocks_.reached(tb.clock, tb.end, now) < moved) continue;
        tb.rest = static_cast<std::uint64_t>(tb.end - clocks_.value(tb.clock, now - 1, now));
      }
      running_ &= ~bit;
      moving_ |= bit;
      tb.leaves = true;
      tb.moved = moved;
      stirred_ = true;
    }
    saves_.pop();
  }
}

// Ends the moves of contexts. A TB whose move out ends in this cycle leaves at the end of the cycle, like a TB that
// retires. A TB whose move in ended in the cycle before gets service from this cycle on.
void ReplaySm::end_moves(Cycle now) {
  for (std::uint64_t left = moving_; left != 0; left &= left - 1) {
    const unsigned slot = lowest(left);
    const std::uint64_t bit = std::uint64_t{1} << slot;
    Context& tb = contexts_[slot];
    if (tb.leaves && tb.moved <= now + 1) {
      moving_ &= ~bit;
      give_back(slot, SwapReason::kPreemption, now);
      auto saved = std::make_unique<SavedTb>();
      saved->reason = SwapReason::kPreemption;
      saved->kernel = tb.kernel;
      saved->item = tb.item;
      saved->gid = tb.gid;
      saved->group = tb.tb_group;
      saved->rest = tb.rest;
      outbox_.save({now + 1, std::move(saved)}, false);
    } else if (!tb.leaves && tb.moved <= now) {
      tb.end = clocks_.value(tb.clock, now - 1, now) + tb.rest;
      moving_ &= ~bit;
      running_ |= bit;
      stirred_ = true;
    }
  }
}

void ReplaySm::take_kills(Cycle now) {
  for (Kill& kill : kills_) {
    if (kill.done || kill.visible > now) continue;
    kill.done = true;  // the entry stays while start messages are in flight
    for (std::uint64_t left = running_ | moving_; left != 0; left &= left - 1) {
      const Context& tb = contexts_[lowest(left)];
      if (kill.hits(*tb.kernel)) finish(lowest(left));
    }
  }
  if (inbox_.size() != 0) return;
  kills_.erase(std::remove_if(kills_.begin(), kills_.end(), [](const Kill& k) { return k.done; }), kills_.end());
}

void ReplaySm::finish(unsigned context) {
  stirred_ = true;
  running_ &= ~(std::uint64_t{1} << context);
  moving_ &= ~(std::uint64_t{1} << context);
  ready_.push_back(static_cast<std::uint8_t>(context));
}

void ReplaySm::find_ended(Cycle now) {
  for (std::uint64_t left = running_; left != 0; left &= left - 1) {
    const unsigned slot = lowest(left);
    const Context& tb = contexts_[slot];
    if (clocks_.value(tb.clock, now, now) >= tb.end) finish(slot);
  }
}

void ReplaySm::give_back(unsigned context, std::optional<SwapReason> swapped, Cycle now) {
  const Context& tb = contexts_[context];
  const std::uint64_t bit = std::uint64_t{1} << context;
  resident_ &= ~bit;
  free_ |= bit;
  stirred_ = changed_ = true;
  room_.give_back(tb.kernel->need);
  if (tb.type != nullptr) {
    clocks_.leave(index(), static_cast<unsigned>(tb.type - file_.types().data()), tb.kernel->need.warps, now);
  }
  if (observer_ != nullptr) observer_->tb_retired({now, index(), context, tb.kernel, tb.gid, tb.tb_group, swapped});
}

void ReplaySm::retire_one(Cycle now) {
  if (ready_.empty() || !done_credits_.covers(1, now)) return;
  done_credits_.spend(1);
  const unsigned slot = ready_.front();
  ready_.erase(ready_.begin());
  const Context& tb = contexts_[slot];
  ++counters_.retired;
  if (tb.type != nullptr) counters_.energy += tb.type->energy;
  give_back(slot, std::nullopt, now);
  TbRetireMessage message;
  message.visible = now + 1;
  message.kernel = tb.kernel;
  message.gid = tb.gid;
  message.group = tb.tb_group;
  message.slot = static_cast<std::uint8_t>(slot);
  outbox_.retire(message);
}

void ReplaySm::report_missing_row(Cycle now) {
  if (resident_ == 0) return;
  const Context& tb = contexts_[lowest(resident_)];
  Fault fault;
  fault.kind = FaultKind::kIllegalInstruction;
  fault.kernel = tb.kernel->program->kernel;
  fault.block = block_index(tb.item.grid, tb.gid);
  fault.message = clocks_.missing(index());
  outbox_.report({now + 1, tb.kernel, std::move(fault)});
}

// Returns the values per cycle of the pulse's wires at the present rates, x 2^64.
PulseWires::Values ReplaySm::wires(Cycle now) const {
  PulseWires::Values sum{};
  for (std::uint64_t left = running_; left != 0; left &= left - 1) {
    const Context& tb = contexts_[lowest(left)];
    const ReplayPulse& pulse = tb.type->pulse;
    if (pulse.none()) continue;
    const std::uint64_t rate = clocks_.rate(tb.clock, now);
    sum[0] += VirtualTime{pulse.lanes} * rate;
    sum[1] += VirtualTime{pulse.misses} * rate;
    sum[2] += VirtualTime{pulse.stall} * rate;
    sum[3] += VirtualTime{pulse.outstanding} * rate;
  }
  return sum;
}

VirtualTime ReplaySm::remaining(unsigned context, Cycle now) {
  const Context& tb = contexts_[context];
  if ((moving_ >> context & 1U) != 0) return tb.rest;
  if ((running_ >> context & 1U) == 0) return 0;
  const VirtualTime value = clocks_.value(tb.clock, now, now);
  return tb.end > value ? tb.end - value : 0;
}

std::string ReplaySm::waiting() const {
  std::string out;
  for (std::uint64_t left = resident_; left != 0; left &= left - 1) {
    const unsigned slot = lowest(left);
    const Context& tb = contexts_[slot];
    out += "SM " + std::to_string(index()) + " context " + std::to_string(slot) + ": thread block " +
           std::to_string(tb.gid) + " of " + base::readable_name(tb.kernel->program->kernel);
    out += (running_ >> slot & 1U) != 0  ? " is being served\n"
           : (moving_ >> slot & 1U) != 0 ? " is being saved or restored\n"
                                         : " waits to retire: the done FIFO is full\n";
  }
  return out;
}

Cycle ReplaySm::next_end(Cycle now) {
  Cycle next = kForever;
  for (std::uint64_t left = running_; left != 0; left &= left - 1) {
    const Context& tb = contexts_[lowest(left)];
    next = std::min(next, clocks_.reached(tb.clock, tb.end, now));
  }
  return next;
}

void ReplaySm::tick(Cycle now) {
  if (!enabled_) {
    sleep_until(kForever);
    return;
  }
  CASTOR_ASSERT_AT(now, now >= counted_, "SM %u ticks twice", index());
  count_until(now);
  // If no event has occurred since the last tick, rates and the cycles derived from them are unchanged.
  const bool quiet = !stirred_ && !clocks_.changed_since(index(), ticked_at_);
  ticked_at_ = now;
  stirred_ = changed_ = false;
  if (const TbStartMessage* const message = inbox_.head(now)) {
    const TbStartMessage start = *message;
    inbox_.pop();
    start.saved == nullptr ? take_start(start, now) : take_restored(start, now);
  }
  if (saves_.size() != 0) take_saves(now);
  if (moving_ != 0) end_moves(now);
  if (!kills_.empty()) take_kills(now);
  const bool pulses = file_.has_pulses() && pulses_read(now);
  if (pulses) {
    const bool begins = wires_.advance(now);
    if (!quiet || stirred_ || begins) wires_.set(wires(now));
    set_pulse(wires_.pulse(), now);
  } else {
    wires_.stop();
  }
  if (!quiet || stirred_ || now >= next_end_) find_ended(now);
  counted_ = now + 1;
  counters_.pass(1, room_.warps(), room_.tbs());
  retire_one(now);
  counters_.retire_wait += ready_.size();
  if (changed_ && !clocks_.commit(index(), now)) report_missing_row(now);

  if (!quiet || stirred_) next_end_ = next_end(now);
  Cycle wake = std::min({inbox_.next(), saves_.next(), next_end_});
  for (std::uint64_t left = moving_; left != 0; left &= left - 1) {
    const Context& tb = contexts_[lowest(left)];
    wake = std::min(wake, std::max(now + 1, tb.leaves ? tb.moved - 1 : tb.moved));
  }
  if (pulses) wake = std::min(wake, stirred_ || clocks_.changes(index(), now) ? now + 1 : wires_.next(now));
  if (!ready_.empty()) wake = std::min(wake, done_credits_.covers(1, now) ? now + 1 : done_credits_.next());
  for (const Kill& kill : kills_) {
    if (!kill.done) wake = std::min(wake, kill.visible);
  }
  sleep_until(wake);
}

}  // namespace castor::gpu
