#include "tb/laperm_kmu/environment.h"

#include <algorithm>
#include <numeric>

namespace castor::laperm_kmu::tb {

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params), knobs_(knobs), random_(seed ^ 0x6B6D'75ULL), edges_(params, seed) {
  forget();
}

void Environment::forget() {
  lists_.assign(params_.lists(), 0);
  queues_.assign(params_.NumHq, 0);
  suspended_ = launches_ = 0;
  running_.clear();
  next_grant_ = 0;
  rest_ = 0;
  resting_ = false;
  over_at_ = cycle_ + 1 + below(1 + knobs_.over);
}

void Environment::begin(Inputs& in) {
  edges_.draw();
  forget();
  in = {};
}

void Environment::launch() {
  if (launches_ >= knobs_.alive) return;
  const unsigned sm = number(std::min(params_.NumSm, std::max(1U, knobs_.bind)));
  const unsigned level = 1 + number(std::min(params_.LvlMax, std::max(1U, knobs_.level)));
  ++lists_[sm * params_.LvlMax + level - 1];
  ++launches_;
}

void Environment::arrive() {
  if (chance(knobs_.launch)) launch();
  if (knobs_.burst != 0 && chance(kAlways / 100)) {
    for (unsigned i = 0; i < knobs_.burst; ++i) launch();
  }
  if (chance(knobs_.host)) queues_[number(std::min(params_.NumHq, std::max(1U, knobs_.queues)))] = 1;
  if (chance(knobs_.pairs)) queues_[number(params_.NumHq)] = queues_[number(params_.NumHq)] = 1;
  if (chance(knobs_.all_queues)) std::fill(queues_.begin(), queues_.end(), 1U);
  if (chance(knobs_.suspend)) ++suspended_;
}

/// Removes kernels that have ended, and sources that disappear without a grant.
void Environment::leave() {
  running_.erase(std::remove_if(running_.begin(), running_.end(), [this](base::Cycle end) { return end <= cycle_; }),
                 running_.end());
  if (chance(knobs_.drop)) {
    unsigned& list = lists_[number(params_.lists())];
    launches_ -= list != 0 ? 1 : 0;
    list -= list != 0 ? 1 : 0;
  }
  if (chance(knobs_.take_back)) queues_[number(params_.NumHq)] = 0;
  if (chance(knobs_.take_back)) suspended_ = 0;
}

void Environment::show(Inputs& in) {
  const bool entry = running_.size() < knobs_.entries;
  const bool glitch = chance(knobs_.glitch);
  const auto ready = [&](unsigned waiting) { return glitch ? chance(kAlways / 3) : entry && waiting != 0; };
  for (unsigned sm = 0; sm < params_.NumSm; ++sm) {
    unsigned levels = 0;
    for (unsigned level = 0; level < params_.LvlMax; ++level) {
      levels |= (ready(lists_[sm * params_.LvlMax + level]) ? 1U : 0U) << level;
    }
    in.list_rdy[sm] = static_cast<U16>(levels);
  }
  for (unsigned queue = 0; queue < params_.NumHq; ++queue) in.host_rdy.assign(queue, ready(queues_[queue]));
  in.susp_rdy = ready(suspended_) ? 1 : 0;
}

void Environment::drive(Inputs& in) {
  ++cycle_;
  resting_ = rest_ > 0;
  if (resting_) {
    --rest_;
    return;
  }
  leave();
  arrive();
  show(in);
}

unsigned* Environment::source(unsigned kind, unsigned index) {
  if (kind == kList) return index < lists_.size() ? &lists_[index] : nullptr;
  if (kind == kHost) return index < queues_.size() ? &queues_[index] : nullptr;
  return kind == kSuspended ? &suspended_ : nullptr;
}

void Environment::take(const Outputs& out) {
  unsigned* const from = source(out.pick_kind, out.pick_idx);
  if (from != nullptr && *from != 0) --*from;
  launches_ = std::accumulate(lists_.begin(), lists_.end(), 0U);
  running_.push_back(cycle_ + 1 + below(knobs_.time));
  next_grant_ = cycle_ + std::max(1U, knobs_.interval);
}

void Environment::react(Inputs& in, const Outputs& out) {
  if (resting_) return;
  if (out.pick_valid != 0 && Block::ready(in, out, params_)) {
    if (cycle_ >= next_grant_ && chance(knobs_.lane)) {
      in.pick_grant = 1;
      take(out);
    } else if (chance(knobs_.drop_found)) {
      if (unsigned* const from = source(out.pick_kind, out.pick_idx)) *from = 0;
      launches_ = std::accumulate(lists_.begin(), lists_.end(), 0U);
    }
  } else if (chance(knobs_.stray)) {
    in.pick_grant = 1;
  }
  if (chance(knobs_.rest)) rest_ = 1 + below(knobs_.rest_cycles);
}

}  // namespace castor::laperm_kmu::tb
