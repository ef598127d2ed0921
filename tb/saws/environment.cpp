#include "tb/saws/environment.h"

#include <algorithm>

namespace castor::saws::tb {
namespace {

constexpr U64 bit(unsigned w) { return U64{1} << w; }

}  // namespace

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params),
      knobs_(knobs),
      random_(seed ^ 0x736177735F736DULL),
      edges_(params, seed),
      warps_(params.NumWarps),
      ctas_(params.MaxCta) {
  knobs_.most_warps = std::max(1U, std::min(knobs_.most_warps, params.NumWarps));
  knobs_.least_warps = std::min(knobs_.least_warps, knobs_.most_warps);
  start_pending_ = !chance(knobs_.before);
  kernel_left_ = start_pending_ ? 0 : 3;
}

bool Environment::empty() const {
  return std::none_of(ctas_.begin(), ctas_.end(), [](const Cta& cta) { return cta.used; });
}

void Environment::forget() {
  std::fill(warps_.begin(), warps_.end(), Warp{});
  std::fill(ctas_.begin(), ctas_.end(), Cta{});
  arrivals_.clear();
  touched_ = 0;
  burst_left_ = 0;
}

void Environment::begin_kernel(Inputs& in) {
  in.kernel_start = 1;
  in.mode_sel = static_cast<U8>(drawn(knobs_.mode, 8));
  // In more than half of the cases in which mode_sel is drawn, it is AUTO (1).
  if (in.mode_sel > 3) in.mode_sel = 1;
  in.toggle_en = static_cast<U8>(drawn(knobs_.toggle, 2));
  kernel_left_ = 1 + below(knobs_.kernel_ctas);
  start_pending_ = false;
}

void Environment::drive(Inputs& in) {
  ++cycle_;
  resting_ = rest_ > 0;
  if (resting_) {
    --rest_;
    return;
  }
  for (Cta& cta : ctas_) cta.event = cta.issued = false;
  arrivals_.clear();
  touched_ = 0;
  starting_ = start_pending_ && empty() && next_idle_ == 0;
  if (starting_) begin_kernel(in);
  U64 ready = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (warps_[w].does == Does::kRuns && warps_[w].ready_at <= cycle_) ready |= bit(w);
  }
  if (chance(knobs_.break_rule)) ready |= random_() & twin::mask(params_.NumWarps);
  in.w_ready = WarpBits(ready);
  // An idle period begins with one cycle that shows the levels after the last events.
  resting_ = next_idle_ > 0;
  rest_ = next_idle_;
  next_idle_ = 0;
}

void Environment::react(Inputs& in, const Outputs& out) {
  if (resting_) return;
  if (starting_) {
    // The block must ignore all other inputs in the cycle of kernel_start.
    if (chance(kAlways / 2)) {
      in.cta_valid = 1;
      in.wev_valid = static_cast<U8>(twin::mask(params_.NumSched));
      in.unblock = WarpBits(random_() & twin::mask(params_.NumWarps));
      in.issue_ack = in.wev_valid;
      scribble(in);
      in.cta_wmask = WarpBits(random_() & twin::mask(params_.NumWarps));
      in.cta_id = static_cast<U8>(below(params_.MaxCta));
    }
    return;
  }
  issue(in, out);
  complete_barriers(in);
  operate(in);
  if (chance(knobs_.break_rule)) break_a_rule(in, out);
  if (chance(kAlways / 4)) scribble(in);
  if (chance(knobs_.restart)) {
    forget();
    begin_kernel(in);
  }
  if (kernel_left_ == 0 && empty()) start_pending_ = true;
  if (chance(knobs_.rest)) next_idle_ = 1 + below(knobs_.rest_cycles);
}

// Programs of CTAs

void Environment::write_program(Cta& cta) {
  cta.program.clear();
  if (cta.sleeper) return;
  const auto some = [&] { return random_() & cta.warps; };
  for (unsigned left = below(knobs_.barriers + 1); left > 0; --left) {
    Step step;
    step.whole = true;
    step.waiters = cta.warps;
    if (chance(knobs_.early_exit)) {
      step = {};
      step.exit = true;
      step.waiters = cta.warps;
      if (!chance(kAlways / 16)) {
        step.waiters = some();
        step.waiters &= some();
      }
    } else if (chance(knobs_.named)) {
      // Two groups with a barrier each; some warps of a group may arrive without waiting.
      const U64 first = some();
      step.whole = false;
      step.waiters = first;
      step.arrivers = chance(knobs_.arrive) ? first & some() : 0;
      step.waiters &= ~step.arrivers;
      cta.program.push_back(step);
      step.waiters = cta.warps & ~first;
      step.arrivers = chance(knobs_.arrive) ? step.waiters & some() : 0;
      step.waiters &= ~step.arrivers;
    }
    cta.program.push_back(step);
  }
}

void Environment::resume(unsigned w) {
  Warp& warp = warps_[w];
  const Cta& cta = ctas_[warp.cta];
  while (warp.step < cta.program.size()) {
    const Step& step = cta.program[warp.step];
    if (in(step.waiters | step.arrivers, w)) break;
    ++warp.step;
  }
  warp.work = cta.sleeper ? 20 : below(knobs_.work + 1);
}

Environment::Next Environment::next(unsigned w) const {
  const Warp& warp = warps_[w];
  const Cta& cta = ctas_[warp.cta];
  if (warp.work > 0) return Next::kWork;
  if (warp.step == cta.program.size() || cta.program[warp.step].exit) return Next::kExit;
  return in(cta.program[warp.step].arrivers, w) ? Next::kArrive : Next::kBarrier;
}

U64 Environment::live(const Cta& cta) const {
  U64 live = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (in(cta.warps, w) && warps_[w].does != Does::kExited) live |= bit(w);
  }
  return live;
}

// Issue of instructions

void Environment::issue(Inputs& in, const Outputs& out) {
  const bool step_cycle = cycle_ % knobs_.in_step == 0;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    const bool room = (out.wev_ready >> s & 1U) != 0 || chance(knobs_.ignore_ready);
    const bool picked = (out.issue_valid >> s & 1U) != 0;
    const unsigned w = out.issue_idx[s] * params_.NumSched + s;
    bool reported = false;
    if (picked && w < params_.NumWarps && chance(knobs_.acknowledge)) {
      Warp& warp = warps_[w];
      const Next what = warp.does == Does::kRuns ? next(w) : Next::kWork;
      reported = what == Next::kBarrier || what == Next::kExit;
      if (!reported || (room && step_cycle)) {
        in.issue_ack = static_cast<U8>(in.issue_ack | 1U << s);
        if (warp.does == Does::kRuns) {
          ctas_[warp.cta].issued = true;
          if (what == Next::kWork) {
            --warp.work;
          } else {
            meet(w, in);
          }
          if (chance(knobs_.stall)) warp.ready_at = cycle_ + 1 + below(knobs_.stall_cycles);
          if (ctas_[warp.cta].sleeper) warp.ready_at = cycle_ + 200 + below(200);
        }
      } else {
        reported = false;
      }
    }
    if (!reported && room && step_cycle && chance(knobs_.late)) {
      if (const auto reporter = late_reporter(s)) {
        warps_[*reporter].work = 0;
        meet(*reporter, in);
      }
    }
  }
}

std::optional<unsigned> Environment::late_reporter(unsigned scheduler) {
  const unsigned count = params_.warps_per_scheduler(), from = number(count);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned w = (from + i) % count * params_.NumSched + scheduler;
    if (warps_[w].does == Does::kRuns && !ctas_[warps_[w].cta].sleeper) return w;
  }
  return std::nullopt;
}

/// Executes the warp's next step after its work: exit, arrival, or barrier.
void Environment::meet(unsigned w, Inputs& in) {
  Warp& warp = warps_[w];
  Cta& cta = ctas_[warp.cta];
  touched_ |= U32{1} << warp.cta;
  const Next what = next(w);
  if (what == Next::kExit) {
    exit(w, in);
    return;
  }
  cta.program[warp.step].arrived |= bit(w);
  if (what == Next::kArrive) {
    ++warp.step;
    resume(w);
  } else {
    warp.does = Does::kWaits;
    arrivals_.push_back(w);
  }
}

void Environment::exit(unsigned w, Inputs& in) {
  const unsigned s = w % params_.NumSched;
  warps_[w].does = Does::kExited;
  ctas_[warps_[w].cta].event = true;
  touched_ |= U32{1} << warps_[w].cta;
  in.wev_valid = static_cast<U8>(in.wev_valid | 1U << s);
  in.wev_exit = static_cast<U8>(in.wev_exit | 1U << s);
  in.wev_idx[s] = static_cast<U8>(w / params_.NumSched);
}

// Completes barriers. The waiting warps resume, as do the warps that arrived in this cycle; these arrivals are not
// reported. Arrivals at incomplete barriers are reported as events.
void Environment::complete_barriers(Inputs& in) {
  U64 came = 0, released = 0;
  for (const unsigned w : arrivals_) came |= bit(w);
  for (unsigned c = 0; c < params_.MaxCta; ++c) {
    if ((touched_ >> c & 1U) == 0 || !ctas_[c].used) continue;
    Cta& cta = ctas_[c];
    const U64 alive = live(cta);
    for (unsigned index = 0; index < cta.program.size(); ++index) {
      Step& step = cta.program[index];
      const U64 wanted = (step.waiters | step.arrivers) & alive;
      if (step.exit || step.arrived == 0 || (wanted & ~step.arrived) != 0) continue;
      for (unsigned w = 0; w < params_.NumWarps; ++w) {
        Warp& warp = warps_[w];
        if (!this->in(step.waiters, w) || warp.does != Does::kWaits || warp.step != index) continue;
        released |= bit(w);
        warp.does = Does::kRuns;
        warp.ready_at = cycle_ + 1 + below(4);
        ++warp.step;
        resume(w);
      }
      step.arrived = 0;
    }
  }
  in.unblock = WarpBits(released & ~came);
  for (const unsigned w : arrivals_) {
    if (this->in(released, w)) continue;
    const unsigned s = w % params_.NumSched;
    ctas_[warps_[w].cta].event = true;
    in.wev_valid = static_cast<U8>(in.wev_valid | 1U << s);
    in.wev_idx[s] = static_cast<U8>(w / params_.NumSched);
  }
}

// Placing and freeing of CTAs

void Environment::operate(Inputs& in) {
  if (burst_left_ == 0 && chance(knobs_.burst)) burst_left_ = knobs_.burst_cycles;
  const bool burst = burst_left_ > 0;
  if (burst) --burst_left_;
  if (burst && chance(kAlways / 2) && place(in)) return;
  if (const auto cta = leaver()) {
    free(*cta, in);
    return;
  }
  if (kernel_left_ > 0 && (burst || chance(knobs_.place))) static_cast<void>(place(in));
}

/// Returns the CTA that is freed in this cycle, if any.
std::optional<unsigned> Environment::leaver() {
  const unsigned from = number(params_.MaxCta);
  const bool exited = chance(knobs_.free), swap = chance(knobs_.swap) || burst_left_ > 0,
             swap_issuing = chance(knobs_.swap_issuing), with_event = chance(knobs_.free_with_event);
  if (!exited && !swap && !swap_issuing && !with_event) return std::nullopt;
  for (unsigned i = 0; i < params_.MaxCta; ++i) {
    const unsigned c = (from + i) % params_.MaxCta;
    const Cta& cta = ctas_[c];
    if (!cta.used) continue;
    if (cta.event ? with_event : swap || (swap_issuing && cta.issued) || (exited && live(cta) == 0)) return c;
  }
  return std::nullopt;
}

bool Environment::place(Inputs& in) {
  std::vector<unsigned> slots, room;
  for (unsigned c = 0; c < params_.MaxCta; ++c) {
    if (!ctas_[c].used) slots.push_back(c);
  }
  // The slot of a CTA freed by this cycle's operation is still in use.
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (warps_[w].does == Does::kNothing) room.push_back(w);
  }
  const unsigned count = knobs_.least_warps + number(knobs_.most_warps - knobs_.least_warps + 1);
  if (slots.empty() || room.size() < count || kernel_left_ == 0) return false;
  if (params_.MaxCta - slots.size() >= knobs_.ctas) return false;
  const unsigned c = slots[number(static_cast<unsigned>(slots.size()))];
  Cta& cta = ctas_[c];
  cta = {};
  cta.used = true;
  cta.sleeper = chance(knobs_.sleeper);
  if (chance(knobs_.scattered)) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned other = i + below(static_cast<unsigned>(room.size()) - i);
      std::swap(room[i], room[other]);
    }
  }
  for (unsigned i = 0; i < count; ++i) cta.warps |= bit(room[i]);
  write_program(cta);
  for (unsigned i = 0; i < count; ++i) {
    warps_[room[i]] = {Does::kRuns, c, 0, 0, cycle_ + 1 + below(4)};
    resume(room[i]);
  }
  if (count > 1 && knobs_.absent != 0 && chance(knobs_.absent))
    warps_[room[count - 1]].ready_at = cycle_ + 1500 + below(1000);
  in.cta_valid = 1;
  in.cta_free = 0;
  in.cta_id = static_cast<U8>(c);
  in.cta_wmask = WarpBits(cta.warps);
  --kernel_left_;
  return true;
}

void Environment::free(unsigned c, Inputs& in) {
  if (live(ctas_[c]) != 0) ++kernel_left_;  // the CTA is placed again later
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (Environment::in(ctas_[c].warps, w)) warps_[w] = {};
  }
  ctas_[c] = {};
  in.cta_valid = 1;
  in.cta_free = 1;
  in.cta_id = static_cast<U8>(c);
}

// Draws random payloads for inputs whose valid is 0.
void Environment::scribble(Inputs& in) {
  if (in.cta_valid == 0) {
    in.cta_free = static_cast<U8>(below(2));
    in.cta_id = static_cast<U8>(edges_.any(&Inputs::cta_id, random_()));
    in.cta_wmask = edges_.any(&Inputs::cta_wmask, WarpBits(random_()));
  }
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((in.wev_valid >> s & 1U) != 0) continue;
    in.wev_idx[s] = static_cast<U8>(random_() & twin::mask(params_.index_bits()));
    in.wev_exit = static_cast<U8>((in.wev_exit & ~(1U << s)) | below(2) << s);
  }
  if (in.kernel_start == 0) {
    in.mode_sel = static_cast<U8>(below(4));
    in.toggle_en = static_cast<U8>(below(2));
  }
}

}  // namespace castor::saws::tb
