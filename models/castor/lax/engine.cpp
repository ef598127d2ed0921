#include "castor/lax/engine.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/lax/event_step.h"
#include "castor/lax/main_machine.h"
#include "castor/lax/probes.h"
#include "castor/lax/registers.h"
#include "castor/lax/submit_machine.h"

namespace castor::lax {

Engine::Engine(const Params& params) : params_(params), selection_((params.check(), params)) { reset(); }

void Engine::reset() {
  state_ = State{};
  state_.rrptr = static_cast<U8>(params_.NumQueues - 1);
  state_.thr = 1;
  levels_ = Inputs{};
  steady_ = 0;
}

void Engine::soft_reset(const Edge& edge) {
  State& s = state_;
  const Config config = edge.config_written ? edge.config : s.config;
  const U32 irq_en = s.irq_en;
  const Response response = s.response;
  // Queue tables and isolated rates keep their values. Registers that are reset here mark the valid entries.
  const auto tables = std::pair{s.queue, s.type};
  s = State{};
  s.config = config;
  s.irq_en = irq_en;
  s.response = response;
  s.queue = tables.first;
  for (unsigned k = 0; k < params_.NumKt; ++k) s.type[k].tpw_iso = tables.second[k].tpw_iso;
  s.rrptr = static_cast<U8>(params_.NumQueues - 1);
  s.thr = 1;
}

const Outputs& Engine::settle(const Inputs& in) {
  const State& s = state_;
  Outputs& o = out_;
  o.js_ready = s.sub == SubmitState::kIdle && space();
  o.wl_ready = s.sub == SubmitState::kList;
  o.adm_valid = !s.verdicts.empty();
  const Verdict verdict = s.verdicts.empty() ? Verdict{} : s.verdicts.front();
  o.adm_qid = verdict.qid;
  o.adm_accept = verdict.accept;
  o.adm_reason = verdict.reason;
  o.adm_est = verdict.est;
  o.psel_valid = Selection::offers_parse(s, in.pe_vec);
  o.psel_qid = o.psel_valid != 0 ? s.p.q : U8{0};
  o.dsel_valid = Selection::offers_dispatch(s, in.de_vec);
  o.dsel_qid = o.dsel_valid != 0 ? s.d.q : U8{0};
  o.pre_vec = s.pre;
  o.jd_valid = s.jd.valid;
  o.jd_qid = s.jd.qid;
  o.jd_met = s.jd.met;
  o.jd_lat = s.jd.lat;
  o.upd_busy = s.updates();
  o.irq = (s.irq_stat & s.irq_en) != 0;
  o.reg_ack = s.response.ack;
  o.reg_err = s.response.err;
  o.reg_rdata = s.response.rdata;
  return o;
}

void Engine::clock(const Inputs& in) {
  State& s = state_;
  const bool events = (in.ks_valid | in.ki_valid | in.wgc_valid | in.kd_valid) != 0;
  const bool submit = (in.js_valid | in.wl_valid) != 0 || s.sub > SubmitState::kList;
  const bool registers = in.reg_req != 0 || s.response.ack != 0;
  const bool levels = in.pe_vec != levels_.pe_vec || in.de_vec != levels_.de_vec;
  const bool moves =
      events || submit || registers || levels || s.f != MainState::kIdle || (in.psel_grant | in.dsel_grant) != 0;
  steady_ = moves ? 0 : steady_ + 1;
  if (levels) {
    levels_.pe_vec = in.pe_vec;
    levels_.de_vec = in.de_vec;
  }
  levels_.now = in.now;
  levels_.df_vec = in.df_vec;
  levels_.adm_ready = in.adm_ready;

  Edge edge;
  edge.f = s.f;
  edge.space = space();
  edge.had_verdict = !s.verdicts.empty();
  // The selection compares register values of the start of the cycle, so it comes first. No other step reads a register
  // that the selection writes.
  selection_.step(s, in, steady_, edge);
  s.jd = JobDone{};
  if (registers) step_registers(params_, s, in, edge);
  if (edge.soft_reset) {
    soft_reset(edge);
    return;
  }
  MainMachine(params_, s).step(in, edge);
  step_timers(edge);
  if (events) EventStep(params_, s).step(in, edge);
  if (submit) SubmitMachine(params_, s).step(in, edge);
  finish(in, edge);
}

void Engine::step_timers(Edge& edge) {
  State& s = state_;
  if (s.config.enable == 0) {
    s.utmr = 0;
    s.ptmr = 0;
    return;
  }
  if (++s.utmr >= s.config.upd_period) {
    s.utmr = 0;
    if (s.config.freeze == 0) {
      if (s.upd_pend != 0) edge.irq |= irq::kOverrun;
      s.upd_pend = 1;
    }
  }
  if (++s.ptmr >= s.config.prema_period) {
    s.ptmr = 0;
    if (s.config.policy == Policy::kPrema) s.prema_pend = 1;
  }
}

void Engine::finish(const Inputs& in, Edge& edge) {
  State& s = state_;
  if (edge.parse_granted) s.count(Count::kParse);
  if (s.config.policy != Policy::kPrema) s.pre.reset();
  if (edge.err != 0) edge.irq |= irq::kProtocol;
  s.irq_stat = (s.irq_stat & ~edge.irq_clear) | edge.irq;
  s.err_stat = (s.err_stat & ~edge.err_clear) | edge.err;
  if (edge.had_verdict && (in.adm_ready != 0 || edge.pop_verdict)) s.verdicts.pop();
  if (edge.config_written) s.config = edge.config;
}

Probes Engine::probes() const { return probes_of(params_, state_, steady_); }

std::optional<U32> Engine::peek(U16 address) const {
  return RegisterReader(params_, state_).read(address, levels_.now);
}

base::Cycle Engine::quiet() const {
  const State& s = state_;
  if (steady_ < 2U * selection_.groups()) return 0;
  if (s.f != MainState::kIdle || s.sub > SubmitState::kList || s.response.ack != 0 || s.jd.valid != 0) return 0;
  if (!s.verdicts.empty() && levels_.adm_ready != 0) return 0;
  if (s.config.enable == 0) return base::kForever;
  if (s.upd_pend != 0 || s.prema_pend != 0 || !s.pend.empty()) return 0;
  // The edge of a timer tick is not skipped. Software may set a period below the current value of its timer.
  const auto before = [](U32 period, U32 timer) { return timer + 1 < period ? period - timer - 1 : 0; };
  return std::min(before(s.config.upd_period, s.utmr), before(s.config.prema_period, s.ptmr));
}

void Engine::idle(base::Cycle n) {
  CASTOR_ASSERT(n <= quiet(), "lax: idle(%llu) after quiet() = %llu", static_cast<unsigned long long>(n),
                static_cast<unsigned long long>(quiet()));
  State& s = state_;
  // Only the timers, the group and the running best change; the group and the best repeat with every pass.
  const base::Cycle rest = n % selection_.groups();
  if (s.config.enable != 0) {
    s.utmr += static_cast<U32>(n - rest);
    s.ptmr += static_cast<U32>(n - rest);
  }
  levels_.now = wrap48(levels_.now + n - rest);
  steady_ += n - rest;
  for (base::Cycle i = 0; i < rest; ++i) {
    Inputs in = levels_;
    in.now = wrap48(in.now + 1);
    clock(in);
  }
}

}  // namespace castor::lax
