#include "castor/darsie/engine.h"

#include "castor/darsie/copies.h"
#include "castor/darsie/errors.h"
#include "castor/darsie/masks.h"
#include "castor/darsie/probes.h"

namespace castor::darsie {

namespace {

[[nodiscard]] bool any_event(const Inputs& in) {
  return (in.br | in.leave | in.exit | in.ev_store | in.bar | in.d_valid | in.i_valid | in.wb_valid | in.lnch_valid |
          in.retire_valid | in.ev_global | in.cp_ack) != 0;
}

}  // namespace

Engine::Engine(const Params& params) : params_((params.check(), params)), elections_(params) { reset(); }

void Engine::reset() {
  state_ = {};
  out_ = {};
  warps_ = {};
  rows_.reset(params_);
  tables_.reset();
  majority_.reset();
  groups_.reset();
  elections_.reset();
  operands_.reset();
  waiting_.reset();
  eligible_ = 0;
  moves_ = shown_ = false;
}

Probes Engine::probes() const { return probes_of(state_); }

void Engine::find_outputs(const Inputs& in) {
  const View view{params_, in, state_, warps_};
  out_.f_skip = groups_.find(view);
  elections_.find(view, rows_, out_);
  operands_.find(view, rows_, out_);
  shown_ = out_.f_skip != 0 || elections_.shown() || operands_.shown();
}

void Engine::clock(const Inputs& in) {
  waiting_.count(counters_, 1);
  eligible_ = in.f_elig;
  const bool idle = !moves_ && ((in.f_elig & groups_.candidates()) | (state_.miss & ~in.f_elig)) == 0 && !any_event(in);
  if (idle) return;
  find_outputs(in);
  const Before before{state_.live, state_.maj, state_.stop, state_.tk, state_.cpy, state_.sync, state_.en};
  const Edge edge{params_, in, warps_, before, state_, counters_};
  step(edge, errors_of({params_, in, state_, warps_}));
  end_edge(edge);
}

// Some values that earlier steps change are needed by later steps as of the start of the cycle. These are in the groups
// and the verdict, which are found first, in `copies` and in Edge::before.
void Engine::step(const Edge& edge, U8 errors) {
  const Inputs& in = edge.in;
  const bool memory = in.ev_store != 0 || in.ev_global != 0;
  const Copies copies = state_.cpy != 0 ? find_copies(state_) : Copies{};
  if (in.wb_valid != 0) step_write_backs(edge);
  if (memory) tables_.step_memory(edge);
  groups_.step(edge, rows_);
  if (in.d_valid != 0) elections_.step(edge, rows_, tables_);
  if (memory) step_drop(edge);
  if (in.i_valid != 0) {
    operands_.count(out_, counters_);
    rows_.step_issue(edge);
  }
  if (majority_.complete() != 0) majority_.step_completion(edge, tables_);
  if (in.br != 0) Majority::step_branches(edge);
  if (in.leave != 0) Majority::step_leaves(edge);
  if (in.bar != 0) Majority::step_barriers(edge, tables_);
  step_copies(edge, copies, rows_);
  if (in.exit != 0) step_exits(edge);
  rows_.step_linger(edge);
  if (in.retire_valid != 0 && (errors & kErrorRetire) == 0) step_retire(in);
  if (in.lnch_valid != 0 && (errors & kErrorLaunch) == 0) step_launch(in);
  state_.err = errors;
}

void Engine::step_exits(const Edge& edge) {
  const WarpMask warps = edge.in.exit & edge.before.live;
  for (WarpMask* mask : {&state_.live, &state_.maj, &state_.miss, &state_.lat, &state_.stop, &state_.cpy}) {
    *mask &= ~warps;
  }
  clear_pending(state_, warps);
  for_each_bit(warps, [this](unsigned w) {
    warps_[state_.tb[w]] &= ~warp_bit(w);
    state_.versions[w].ref = 0;
  });
}

void Engine::step_retire(const Inputs& in) {
  state_.tl &= ~tb_bit(in.retire_tb);
  state_.en &= ~tb_bit(in.retire_tb);
}

void Engine::step_launch(const Inputs& in) {
  const unsigned t = in.lnch_tb;
  const WarpMask warps = in.lnch_warps;
  const TbMask bit = tb_bit(t);
  TbState& tb = state_.tbs[t];
  state_.tl |= bit;
  assign(state_.en, bit, in.lnch_en != 0);
  assign(state_.prom, bit, in.lnch_promote != 0);
  state_.sync &= ~bit;
  tb.base = in.lnch_base;
  tb.rows = in.lnch_rows;
  tb.slots = in.lnch_slots;
  tb.ctr = tb.ptr = 0;
  tb.wb = static_cast<U32>(twin::mask(params_.NumRows));
  tb.ld = tb.gl = tb.inv = tb.nosk = 0;

  warps_[t] = warps;
  tables_.end_region(state_, t, warps);
  state_.live |= warps;
  if (in.lnch_en != 0) state_.maj |= in.lnch_full;
  rows_.launch(state_, warps);
  for_each_bit(warps, [&](unsigned w) { state_.tb[w] = static_cast<U8>(t); });
}

void Engine::end_edge(const Edge& edge) {
  rows_.end_edge(state_);
  majority_.end_edge(edge);
  waiting_.end_edge(state_);
  const WarpMask blocked = state_.stop | state_.cpy | state_.lat;
  const WarpMask probe = state_.maj & ~blocked & ~state_.miss & tables_.warps();
  groups_.end_edge(state_, probe);
  moves_ = (majority_.complete() | state_.cpy | rows_.lingering() | state_.err) != 0;

  out_.f_hold = blocked | probe;
  out_.maj = state_.maj;
  out_.err = state_.err;
  show_copy(params_, state_, out_);
}

}  // namespace castor::darsie
