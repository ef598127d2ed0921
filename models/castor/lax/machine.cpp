// The main machine without its decisions about a visited queue: idle, refresh of rates, visits, PREMA ranking
// (docs/blocks/lax.md, "Cycle", step F).

#include <algorithm>

#include "castor/lax/main_machine.h"

namespace castor::lax {
namespace {

constexpr U8 kDivisionCycles = 40;

}  // namespace

void MainMachine::step(const Inputs& in, Edge& edge) {
  switch (state_.f) {
    case MainState::kIdle:
      return run_idle(in, edge);
    case MainState::kKOpen:
    case MainState::kKMul:
    case MainState::kKDiv:
    case MainState::kKWb:
      return run_refresh(in, edge);
    case MainState::kR1:
    case MainState::kR2:
    case MainState::kR3:
      return run_ranking(in);
    default:
      return run_visit(in, edge);
  }
}

void MainMachine::run_idle(const Inputs& in, const Edge& edge) {
  State& s = state_;
  if (edge.table_access || s.config.enable == 0) return;
  if (s.upd_pend != 0 && !(s.turn != 0 && !s.pend.empty())) {
    s.upd_pend = 0;
    s.turn = 1;
    s.upd_dt = clip(elapsed(in.now, s.upd_t));
    s.upd_t = in.now;
    s.k = 0;
    s.f = MainState::kKOpen;
  } else if (s.prema_pend != 0) {
    s.prema_pend = 0;
    s.q = 0;
    s.mx = 0;
    s.f = MainState::kR1;
  } else if (!s.pend.empty()) {
    s.turn = 0;
    s.tot = 0;
    s.q = 0;
    s.act = s.config.admit_en != 0 && s.config.policy >= Policy::kLax;
    if (s.act != 0) {
      s.ph = Phase::kScan;
      s.f = MainState::kVOpen;
    } else {
      s.f = MainState::kANext;
    }
  }
}

void MainMachine::run_refresh(const Inputs& in, Edge& edge) {
  switch (state_.f) {
    case MainState::kKOpen:
      return open_kernel_type(in);
    case MainState::kKMul:
      return measure_kernel_type(edge);
    case MainState::kKDiv:
      return divide(MainState::kKWb);
    default:
      return write_rate();
  }
}

void MainMachine::next_kernel_type() {
  State& s = state_;
  if (s.k + 1U == params_.NumKt) {
    s.q = 0;
    s.ph = Phase::kUpdate;
    s.f = MainState::kVOpen;
  } else {
    ++s.k;
    s.f = MainState::kKOpen;
  }
}

void MainMachine::open_kernel_type(const Inputs& in) {
  State& s = state_;
  KernelType& type = s.type[s.k];
  if (type.kt == 0 || type.cnt < s.config.min_wg) return next_kernel_type();
  s.kc = type.cnt;
  s.kw = elapsed(in.now, type.t_ref);
  s.ka = type.kact;
  s.ki = type.kins;
  s.kf = type.inflight;
  // Events of this cycle are added afterwards, because they belong to the new window.
  type.cnt = 0;
  type.kact = 0;
  type.kins = 0;
  type.t_ref = in.now;
  s.f = MainState::kKMul;
}

void MainMachine::measure_kernel_type(Edge& edge) {
  State& s = state_;
  s.ka = wrap48(s.ka + (s.kf > 0 ? s.kw : 0));
  s.ki = wrap48(s.ki + std::uint64_t{s.kf} * clip(s.kw));
  std::uint64_t time = s.ka;
  if (s.config.rate_mode == RateMode::kWall) time = s.kw;
  if (s.config.rate_mode == RateMode::kInstance) time = s.ki;
  if (time > kNone) edge.irq |= irq::kClipped;
  start_division(std::uint64_t{clip(time)} << 8U, s.kc, MainState::kKDiv);
}

void MainMachine::write_rate() {
  State& s = state_;
  KernelType& type = s.type[s.k];
  const std::uint32_t measured = clip(s.div_num / s.div_den);
  type.tpw =
      refreshed_rate(measured, type.tpw, type.valid != 0, s.config.rate_mode, s.config.leak, s.config.ewma_shift);
  type.valid = 1;
  type.snap = Snapshot{s.kc, clip(s.ka), clip(s.ki), clip(s.kw)};
  type.snv = 1;
  next_kernel_type();
}

void MainMachine::start_division(U64 numerator, U32 denominator, MainState state) {
  state_.div_num = numerator;
  state_.div_den = denominator;
  state_.div_left = kDivisionCycles;
  state_.f = state;
}

void MainMachine::divide(MainState then) {
  // The quotient is computed at the end; until then the state only models the latency of the divider.
  if (--state_.div_left == 0) state_.f = then;
}

void MainMachine::run_visit(const Inputs& in, Edge& edge) {
  State& s = state_;
  switch (s.f) {
    case MainState::kVOpen:
      return open_queue(in, edge);
    case MainState::kVMac:
      return multiply();
    case MainState::kVAcc:
      if (s.ph == Phase::kAdmit && s.vpass == 0) {
        s.vwork = saturate(s.acc >> 8U);
        s.vpass = 1;
        s.vs = 0;
        s.acc = 0;
        s.f = MainState::kVMac;
      } else {
        s.f = MainState::kVKey;
      }
      return;
    case MainState::kVKey:
      return decide(edge);
    case MainState::kVDiv:
      return divide(MainState::kVTok);
    case MainState::kVTok:
      return update_token();
    default:  // the state is kANext
      if (s.pend.empty()) {
        s.f = MainState::kIdle;
      } else {
        s.q = s.pend.front();
        s.pend.pop();
        s.ph = Phase::kAdmit;
        s.f = MainState::kVOpen;
      }
      return;
  }
}

void MainMachine::next_queue() {
  State& s = state_;
  if (s.ph != Phase::kAdmit && s.q + 1U < params_.NumQueues) {
    ++s.q;
    s.f = MainState::kVOpen;
  } else if (s.ph == Phase::kUpdate) {
    state_.count(Count::kUpdate);
    s.f = MainState::kIdle;
  } else {
    s.f = MainState::kANext;
  }
}

void MainMachine::open_queue(const Inputs& in, Edge& edge) {
  State& s = state_;
  const Queue& queue = s.queue[s.q];
  const bool visit = s.ph == Phase::kAdmit || (s.live(s.q) && (s.ph == Phase::kUpdate || queue.job.deadline != kNone));
  if (!visit) return next_queue();
  s.vl.nl = queue.list.nl;
  std::copy_n(queue.list.slot.begin(), queue.list.nl, s.vl.slot.begin());
  s.vj = queue.job;
  s.vdur = duration(in.now, queue.job.start);
  if (s.ph != Phase::kScan && is_future(elapsed(in.now, queue.job.start))) edge.err |= err::kTime;
  s.acc = 0;
  s.vunprof = 0;
  s.vpass = 0;
  s.vs = 0;
  s.f = MainState::kVMac;
}

void MainMachine::multiply() {
  State& s = state_;
  const Slot& slot = s.vl.slot[s.vs];
  const KernelType& type = s.type[slot.kid];
  if (s.vpass != 0) {
    s.acc += std::uint64_t{slot.n} * type.tpw_iso;
  } else if (type.valid != 0) {
    s.acc += std::uint64_t{slot.n} * type.tpw;
  } else if (slot.n > 0) {
    s.vunprof = 1;
  }
  if (++s.vs >= s.vl.nl) s.f = MainState::kVAcc;
}

void MainMachine::run_ranking(const Inputs& in) {
  switch (state_.f) {
    case MainState::kR1:
      return rank_token();
    case MainState::kR2:
      return rank_queue(in);
    default:
      return rank_end();
  }
}

void MainMachine::rank_token() {
  State& s = state_;
  if (s.live(s.q)) s.mx = std::max(s.mx, s.queue[s.q].token);
  if (s.q + 1U < params_.NumQueues) {
    ++s.q;
    return;
  }
  s.thr = s.mx >= 9 * 256 ? 9 : (s.mx >= 3 * 256 ? 3 : 1);
  s.q = 0;
  s.blocked = 0;
  s.victim_v = 0;
  s.victim = 0;
  s.f = MainState::kR2;
}

void MainMachine::rank_queue(const Inputs& in) {
  State& s = state_;
  if (s.live(s.q)) {
    const std::uint32_t token = s.queue[s.q].token;
    if (token >= s.thr * 256U) {
      s.key[s.q] = make_key(0, s.queue[s.q].rec.rem);
      s.pre.clear(s.q);
      if (in.df_vec[s.q]) s.blocked = 1;
    } else {
      s.key[s.q] = make_key(1, kTimeMask - token);
      const bool runs = s.open[s.q] && !s.pre[s.q];
      if (runs && (s.victim_v == 0 || token <= s.queue[s.victim].token)) {
        s.victim_v = 1;
        s.victim = s.q;
      }
    }
  }
  if (s.q + 1U < params_.NumQueues) {
    ++s.q;
  } else {
    s.f = MainState::kR3;
  }
}

void MainMachine::rank_end() {
  State& s = state_;
  if (s.blocked == 0) {
    s.pre.reset();
  } else if (s.victim_v != 0 && s.live(s.victim) && s.open[s.victim]) {
    s.pre.set(s.victim);
    state_.count(Count::kPreempt);
  }
  s.f = MainState::kIdle;
}

}  // namespace castor::lax
