#include "tb/darsie/environment.h"

#include <algorithm>

#include "castor/base/error.h"
#include "tb/darsie/bits.h"

namespace castor::darsie::tb {
namespace {

constexpr base::Cycle kPatience = 40000;  // cycles without progress after which the run fails

/// Returns `style` limited to the parameters' capacities, with room for the kernel's prologue and epilogue.
Style fitting(Style style, const Params& params, bool litmus_always) {
  style.sources = std::min({style.sources, params.NumSrc, 8U});
  style.instructions = std::min<unsigned>(style.instructions, U64{1} << std::min(params.PcW - 3, 9U));
  const auto fixed = [&style] {
    return (style.registers + 1) / 2 + (style.registers + style.sources - 1) / style.sources;
  };
  while (style.registers > 2 && fixed() + 10 > style.instructions) --style.registers;
  style.instructions = std::max(style.instructions, fixed() + 4);
  style.marks.limit = std::min(style.marks.limit, params.NumSlots);
  if (params.StoreInv == 0 && !litmus_always) style.litmus = 0;
  return style;
}

}  // namespace

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params),
      knobs_(knobs),
      random_(seed ^ 0x6461727369654EULL),
      edges_(params, seed),
      warps_(params.NumWarps),
      tbs_(params.NumTbs) {}

U64 Environment::live(const Tb& tb) const {
  U64 live = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (contains(tb.warps, w) && warps_[w].does != Does::kExited) live |= bit(w);
  }
  return live;
}

Vector Environment::garbage() {
  Vector result;
  for (std::uint32_t& lane : result) lane = static_cast<std::uint32_t>(random_());
  return result;
}

void Environment::problem(const std::string& what) {
  if (!knobs_.check || !problem_.empty()) return;
  problem_ = "cycle " + std::to_string(cycle_) + ": " + what;
  throw base::Error("darsie: " + problem_);
}

void Environment::drive(Inputs& in) {
  ++cycle_;
  for (Warp& warp : warps_) warp.event = false;
  decoding_.reset();
  resting_ = rest_ > 0;
  if (resting_) {
    --rest_;
    levels(in);
    return;
  }
  if (knobs_.redraw != 0 && cycle_ - drawn_at_ > knobs_.redraw) {
    Knobs fresh = draw(params_, random_());
    fresh.redraw = knobs_.redraw;
    fresh.break_rule = knobs_.break_rule;
    fresh.check = knobs_.check;
    knobs_ = fresh;
    drawn_at_ = cycle_;
    edges_.draw();
  }
  controls(in);
  barriers(in);
  leave_from_outside(in);
  choose_writes(in);
  choose_issues(in);
  decode(in);
  retire(in);
  place(in);
  for (Warp& warp : warps_)
    warp.hidden = chance(cycle_ < warp.slow_until ? std::max(knobs_.hidden, 60000U) : knobs_.hidden);
  levels(in);
  if (chance(knobs_.scribble)) scribble(in);
  if (chance(knobs_.break_rule)) break_a_rule(in);
}

void Environment::react(Inputs& in, const Outputs& out) {
  settled_ = false;
  if (resting_) {
    skip_warps(out);
    settled_ = out.f_skip == 0;
    return;
  }
  accept(in, out);
  issue(in, out);
  skip_warps(out);
  for (unsigned w = 0; w < params_.NumWarps; ++w) collect(w);
  perform();
  fetch(out);
  copy(in, out);
  in.oc_idle = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    const auto& flights = warps_[w].flights;
    const bool idle = std::all_of(flights.begin(), flights.end(), [](const Flight& f) { return f.collected; });
    if (idle) in.oc_idle |= bit(w);
  }
  write();
  watch_progress();
  if (chance(knobs_.rest)) rest_ = 1 + below(knobs_.rest_cycles);
}

void Environment::levels(Inputs& in) {
  in.f_elig = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    const Warp& warp = warps_[w];
    const bool early = !resting_ && knobs_.early_eligible != 0 && chance(knobs_.early_eligible);
    if (warp.does != Does::kRuns || warp.fetching || warp.event || warp.hidden) continue;
    if (!warp.buffer.empty() && !early) continue;
    in.f_elig |= bit(w);
    in.f_pc[w] = pc_of(tbs_[warp.tb], warp.path.pc());
  }
}

void Environment::watch_progress() {
  const bool any = std::any_of(tbs_.begin(), tbs_.end(), [this](const Tb& tb) { return tb.used && live(tb) != 0; });
  if (!any) moved_ = cycle_;
  if (cycle_ - moved_ > kPatience) {
    problem("nothing moves");
    moved_ = cycle_;
  }
}

// Launch and retirement of thread blocks

Shape Environment::some_shape(unsigned warps) {
  static constexpr unsigned kX[] = {1, 2, 3, 4, 5, 8, 16, 24, 32, 33, 64}, kPromoting[] = {1, 2, 4, 8, 16, 32};
  const bool full = knobs_.full_warps != 0 && chance(knobs_.full_warps), plane = chance(knobs_.two_dimensional) || full;
  Shape shape;
  shape.x = plane ? kPromoting[below(6)] : kX[below(11)];
  shape.x = std::min(shape.x, kLanes * warps);
  unsigned threads = kLanes * warps;
  if (!full && chance(kAlways / 3)) threads -= below(kLanes);  // the last warp has fewer than 32 threads
  shape.y = std::max(1U, threads / shape.x);
  if (shape.y % 2 == 0 && chance(kAlways / 4)) {
    shape.y /= 2;
    shape.z = 2;
  }
  return shape;
}

std::optional<unsigned> Environment::some_base(unsigned rows) {
  const unsigned space = 1U << params_.RowW;
  if (rows == 0 || rows > space) return std::nullopt;
  for (unsigned tries = 0; tries < 16; ++tries) {
    const unsigned base = tries == 0 ? 0 : tries == 1 ? space - rows : below(space - rows + 1);
    const bool taken = std::any_of(tbs_.begin(), tbs_.end(), [&](const Tb& tb) {
      return tb.used && base < tb.base + tb.rows && tb.base < base + rows;
    });
    if (!taken) return base;
  }
  return std::nullopt;
}

void Environment::place(Inputs& in) {
  if (!chance(knobs_.place)) return;
  std::vector<unsigned> slots, free;
  for (unsigned t = 0; t < params_.NumTbs; ++t) {
    if (!tbs_[t].used) free.push_back(t);
  }
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (warps_[w].does == Does::kNothing) slots.push_back(w);
  }
  if (free.empty() || slots.empty() || params_.NumTbs - free.size() >= knobs_.most_tbs) return;
  const unsigned most = std::min(knobs_.most_warps, params_.NumWarps), least = std::min(knobs_.least_warps, most);
  if (slots.size() < least) return;
  const unsigned t =
      knobs_.lowest_tb != 0 && chance(knobs_.lowest_tb) ? free[0] : free[below(static_cast<unsigned>(free.size()))];
  tbs_[t] = {};
  tbs_[t].shape = some_shape(least + below(std::min<unsigned>(most, static_cast<unsigned>(slots.size())) - least + 1));
  if (chance(knobs_.scattered)) {
    for (unsigned i = 0; i + 1 < slots.size(); ++i) {
      std::swap(slots[i], slots[i + below(static_cast<unsigned>(slots.size()) - i)]);
    }
  }
  slots.resize(tbs_[t].shape.warps());
  start(t, slots, in);
}

void Environment::start(unsigned t, const std::vector<unsigned>& slots, Inputs& in) {
  Tb& tb = tbs_[t];
  const bool room = kernels_.size() < knobs_.kernels;
  if (room || chance(knobs_.new_kernel)) {
    Kernel fresh = make_kernel(fitting(knobs_.style, params_, knobs_.litmus_always != 0), random_);
    if (room) {
      kernels_.push_back(std::move(fresh));
    } else {
      kernels_[below(static_cast<unsigned>(kernels_.size()))] = std::move(fresh);
    }
  }
  tb.kernel = kernels_[below(static_cast<unsigned>(kernels_.size()))];
  const unsigned most = std::min(knobs_.most_rows, params_.NumRows), least = std::min(knobs_.least_rows, most);
  tb.rows = least + below(most - least + 1);
  const auto base = some_base(tb.rows);
  if (!base) tb.rows = 0;
  tb.base = base.value_or(0);
  tb.pool.assign(tb.rows, Vector{});
  tb.used = true;
  tb.enabled = chance(knobs_.enabled);
  tb.slots = chance(knobs_.fewer_slots) ? below(tb.kernel.renamed + 1) : tb.kernel.renamed;
  tb.first_pc = 0;
  if (!chance(knobs_.one_base)) {
    const U64 length = U64{kInstructionBytes} * tb.kernel.code.size();
    tb.first_pc = edges_.start(params_.PcW, length, random_()) & twin::mask(params_.PcW) & ~U64{kInstructionBytes - 1};
  }
  tb.memory.emplace(tb.shape);
  in.lnch_valid = 1;
  in.lnch_tb = static_cast<U8>(t);
  in.lnch_en = tb.enabled ? 1 : 0;
  in.lnch_promote = tb.shape.promotes() || chance(knobs_.force_promote) ? 1 : 0;
  in.lnch_base = static_cast<U16>(tb.base);
  in.lnch_rows = static_cast<U8>(tb.rows);
  in.lnch_slots = static_cast<U8>(tb.slots);
  const bool stragglers = knobs_.stragglers != 0 && chance(knobs_.stragglers);
  const unsigned other = stragglers || chance(knobs_.laggard) ? below(static_cast<unsigned>(slots.size())) : ~0U;
  for (unsigned i = 0; i < slots.size(); ++i) {
    Warp& warp = warps_[slots[i]];
    warp = {};
    warp.does = Does::kRuns;
    warp.event = true;
    warp.tb = t;
    warp.number = i;
    if ((i == other) != stragglers) {
      warp.slow_until = stragglers ? cycle_ + 700 + below(500) : base::kForever;
    }
    warp.full = tb.shape.lanes(i) == ~LaneMask{0};
    warp.path = Path(0, tb.shape.lanes(i));
    warp.registers.resize(tb.kernel.registers);
    warp.pending.resize(tb.kernel.registers);
    tb.warps |= bit(slots[i]);
    if (warp.full) in.lnch_full |= bit(slots[i]);
  }
  in.lnch_warps = tb.warps;
  moved_ = cycle_;
}

void Environment::retire(Inputs& in) {
  if (!chance(knobs_.retire)) return;
  const unsigned from = below(params_.NumTbs);
  for (unsigned i = 0; i < params_.NumTbs; ++i) {
    const unsigned t = (from + i) % params_.NumTbs;
    Tb& tb = tbs_[t];
    const auto leaves_now = [&](unsigned w) { return contains(tb.warps, w) && warps_[w].event; };
    bool now = false;
    for (unsigned w = 0; w < params_.NumWarps; ++w) now = now || leaves_now(w);
    if (!tb.used || live(tb) != 0 || now) continue;
    in.retire_valid = 1;
    in.retire_tb = static_cast<U8>(t);
    finish(tb);
    for (unsigned w = 0; w < params_.NumWarps; ++w) {
      if (contains(tb.warps, w)) warps_[w] = {};
    }
    tb = {};
    return;
  }
}

void Environment::finish(Tb& tb) {
  ++seen_.thread_blocks;
  if (!knobs_.check || *tb.memory == run_alone(tb.kernel, tb.shape)) return;
  problem("a thread block of " + std::to_string(tb.shape.x) + " x " + std::to_string(tb.shape.y) + " x " +
          std::to_string(tb.shape.z) + " threads leaves other values than without the block");
}

// Events of warps

void Environment::controls(Inputs& in) {
  all_exit_ = std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) {
    return warp.does == Does::kNothing || warp.does == Does::kExited || warp.exit_from != 0;
  });
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    Warp& warp = warps_[w];
    if (warp.does == Does::kNamed && cycle_ >= warp.go_at) {
      warp.path.go(warp.path.pc() + 1);
      warp.does = Does::kRuns;
    }
    if (warp.does != Does::kControl || !warp.buffer.empty() || warp.flights.empty()) continue;
    const Flight& last = warp.flights.back();
    if (last.what.control() && last.collected && last.performed && cycle_ >= last.done_at) resolve(w, in);
  }
}

void Environment::resolve(unsigned w, Inputs& in) {
  Warp& warp = warps_[w];
  const Flight last = warp.flights.back();
  const auto rest_performed = [&] {
    return std::all_of(warp.flights.begin(), warp.flights.end(), [](const Flight& f) { return f.performed; });
  };
  const unsigned pc = warp.path.pc();
  switch (last.what.op) {
    case Op::kBranch: {
      const LaneMask taken = taken_lanes(last.what, last.sources[0], last.lanes);
      const unsigned meets = tbs_[warp.tb].kernel.reconverges[pc];
      if (warp.path.branch(taken, last.what.target, meets)) {
        in.leave |= bit(w);
      } else {
        in.br |= bit(w);
        if (taken != 0) in.br_taken |= bit(w);
        ++seen_.meetings;
      }
      break;
    }
    case Op::kJump:
      warp.path.go(last.what.target);
      break;
    case Op::kBarrier:
      if (!rest_performed()) return;
      warp.does = Does::kBarrier;
      break;
    case Op::kNamed:
      in.leave |= bit(w);
      warp.does = Does::kNamed;
      warp.go_at = cycle_ + 1 + below(knobs_.named_cycles + 1);
      break;
    case Op::kFence:
      in.ev_global = 1;
      warp.path.go(pc + 1);
      break;
    default:
      if (warp.flights.size() > 1) return;
      if (warp.exit_from == 0) warp.exit_from = cycle_;
      if (!all_exit_ && cycle_ - warp.exit_from < knobs_.together) return;
      in.exit |= bit(w);
      warp.does = Does::kExited;
  }
  warp.flights.pop_back();
  if (warp.does == Does::kControl) warp.does = Does::kRuns;
  warp.event = true;
  moved_ = cycle_;
}

bool Environment::at_barrier(const Tb& tb) const {
  const U64 alive = tb.used ? live(tb) : 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (contains(alive, w) && warps_[w].does != Does::kBarrier) return false;
  }
  return alive != 0;
}

void Environment::barriers(Inputs& in) {
  const bool all = knobs_.together == 0 || std::all_of(tbs_.begin(), tbs_.end(), [this](const Tb& tb) {
                     const bool complete = tb.barrier_at != 0 && tb.barrier_at <= cycle_ && at_barrier(tb);
                     return complete || !tb.used || live(tb) == 0;
                   });
  for (unsigned t = 0; t < params_.NumTbs; ++t) {
    Tb& tb = tbs_[t];
    if (!at_barrier(tb)) continue;
    if (tb.barrier_at == 0) tb.barrier_at = cycle_ + below(knobs_.barrier_cycles + 1);
    if (cycle_ >= tb.barrier_at + (all ? 0 : knobs_.together)) complete_barrier(t, in);
  }
}

void Environment::complete_barrier(unsigned t, Inputs& in) {
  Tb& tb = tbs_[t];
  tb.barrier_at = 0;
  ++seen_.barriers;
  in.bar |= U32{1} << t;
  std::optional<unsigned> where;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    Warp& warp = warps_[w];
    if (!contains(live(tb), w)) continue;
    warp.path.go(warp.path.pc() + 1);
    warp.does = Does::kRuns;
    warp.event = true;
    if (!warp.full || !warp.path.at_base()) continue;
    if (!where) where = warp.path.pc();
    if (*where == warp.path.pc()) in.bar_join |= bit(w);
  }
  moved_ = cycle_;
}

bool Environment::may_leave(const Warp& warp) const {
  return (warp.does == Does::kRuns || warp.does == Does::kBarrier) && warp.buffer.empty() && !warp.fetching &&
         !warp.event;
}

/// Removes warps from the majority, as before a context switch of a warp or of the whole SM, regardless of what they
/// wait for in the block.
void Environment::leave_from_outside(Inputs& in) {
  if (knobs_.leave_all != 0 && chance(knobs_.leave_all) &&
      std::all_of(warps_.begin(), warps_.end(), [this](const Warp& warp) {
        return warp.does == Does::kNothing || warp.does == Does::kExited || may_leave(warp);
      })) {
    for (unsigned w = 0; w < params_.NumWarps; ++w) {
      if (!may_leave(warps_[w])) continue;
      in.leave |= bit(w);
      warps_[w].event = true;
    }
  }
  if (!chance(knobs_.leave)) return;
  const unsigned w = below(params_.NumWarps);
  if (!may_leave(warps_[w])) return;
  in.leave |= bit(w);
  warps_[w].event = true;
}

/// Draws random payloads for inputs whose valid is 0.
void Environment::scribble(Inputs& in) {
  const auto numbers = [this](unsigned bits) { return static_cast<U8>(random_() & twin::mask(bits)); };
  if (in.lnch_valid == 0) {
    in.lnch_tb = numbers(params_.tb_bits());
    in.lnch_warps = random_() & twin::mask(params_.NumWarps);
    in.lnch_full = random_() & in.lnch_warps;
    in.lnch_en = in.lnch_promote = numbers(1);
    in.lnch_base = static_cast<U16>(random_() & twin::mask(params_.RowW));
    in.lnch_rows = numbers(params_.row_bits() + 1);
    in.lnch_slots = numbers(params_.slot_bits() + 1);
  }
  if (in.retire_valid == 0) in.retire_tb = numbers(params_.tb_bits());
  if (in.d_valid == 0) {
    in.d_warp = numbers(params_.warp_bits());
    in.d_pc = random_() & twin::mask(params_.PcW);
  }
  for (unsigned s = 0; s < params_.DecW; ++s) {
    if ((in.d_valid >> s & 1U) != 0) continue;
    in.d_mark[s] = numbers(2);
    in.d_ndst[s] = numbers(2);
    in.d_ldkind[s] = numbers(2);
    in.d_dst[2 * s] = numbers(params_.slot_bits());
    in.d_dst[2 * s + 1] = numbers(params_.slot_bits());
  }
  for (unsigned p = 0; p < params_.NumIss; ++p) {
    if ((in.i_valid >> p & 1U) != 0) continue;
    in.i_warp[p] = numbers(params_.warp_bits());
    in.i_lead = static_cast<U16>((in.i_lead & ~(1U << p)) | unsigned{numbers(1)} << p);
    in.i_dv[p] = numbers(2);
    in.i_sv[p] = numbers(params_.NumSrc);
    for (unsigned a = 0; a < 2; ++a) {
      in.i_tag[2 * p + a] = numbers(params_.row_bits());
      in.i_dst[2 * p + a] = numbers(params_.slot_bits());
    }
    for (unsigned a = 0; a < params_.NumSrc; ++a) in.i_src[p * params_.NumSrc + a] = numbers(params_.slot_bits());
  }
  for (unsigned p = 0; p < params_.NumWb; ++p) {
    if ((in.wb_valid >> p & 1U) != 0) continue;
    in.wb_tb[p] = numbers(params_.tb_bits());
    in.wb_tag[p] = numbers(params_.row_bits());
  }
  in.br_taken |= random_() & twin::mask(params_.NumWarps) & ~in.br;
  U64 meeting = 0;
  for (unsigned t = 0; t < params_.NumTbs; ++t) meeting |= contains(in.bar, t) ? tbs_[t].warps : 0;
  in.bar_join |= random_() & twin::mask(params_.NumWarps) & ~meeting;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (!contains(in.f_elig, w)) in.f_pc[w] = random_() & twin::mask(params_.PcW);
  }
}

}  // namespace castor::darsie::tb
