#include "castor/laperm_kmu/engine.h"

namespace castor::laperm_kmu {
namespace {

// Returns the lowest set bit of `mask` at or above `from`, else the lowest set bit; mask is not 0.
unsigned first_from(U32 mask, unsigned from) {
  const U32 above = mask & (~U32{0} << from);
  return static_cast<unsigned>(__builtin_ctz(above != 0 ? above : mask));
}

}  // namespace

Engine::Engine(const Params& params) : params_(params) {
  params_.check();
  reset();
}

void Engine::reset() {
  state_ = State::kIdle;
  next_sm_ = next_hq_ = sm_ = level_ = 0;
  rests_ = true;
  out_ = {};
}

void Engine::clock(const Inputs& in) {
  switch (state_) {
    case State::kIdle:
      visit(in);
      break;
    case State::kSearch:
      search(in);
      break;
    case State::kOffer:
      stand(in);
      break;
  }
  rests_ = state_ == State::kOffer || (state_ == State::kIdle && !Block::any_ready(in, params_));
}

void Engine::visit(const Inputs& in) {
  if (in.susp_rdy != 0) return offer(kSuspended, 0);
  U32 sms = 0;
  for (unsigned sm = 0; sm < params_.NumSm; ++sm) sms |= U32{in.list_rdy[sm] != 0} << sm;
  if (sms != 0) {
    sm_ = static_cast<U8>(first_from(sms, next_sm_));
    level_ = static_cast<U8>(params_.LvlMax);
    state_ = State::kSearch;
    return;
  }
  if (in.host_rdy.none()) return;
  const unsigned above = in.host_rdy.next(next_hq_);
  offer(kHost, above < params_.NumHq ? above : in.host_rdy.next());
}

void Engine::search(const Inputs& in) {
  if ((in.list_rdy[sm_] >> (level_ - 1U) & 1U) != 0) return offer(kList, sm_ * params_.LvlMax + level_ - 1U);
  if (--level_ == 0) state_ = State::kIdle;
}

void Engine::stand(const Inputs& in) {
  if (in.pick_grant != 0) {
    if (out_.pick_kind == kList) next_sm_ = static_cast<U8>(sm_ + 1U == params_.NumSm ? 0 : sm_ + 1U);
    if (out_.pick_kind == kHost) {
      next_hq_ = static_cast<U8>(out_.pick_idx + 1U == params_.NumHq ? 0 : out_.pick_idx + 1U);
    }
    return withdraw();
  }
  if (!Block::ready(in, out_, params_)) withdraw();
}

void Engine::offer(Kind kind, unsigned index) {
  state_ = State::kOffer;
  out_.pick_valid = 1;
  out_.pick_kind = kind;
  out_.pick_idx = static_cast<U16>(index);
}

void Engine::withdraw() {
  state_ = State::kIdle;
  out_ = {};
}

Probes Engine::probes() const {
  Probes probes;
  probes.state = state_;
  probes.next_sm = next_sm_;
  probes.next_hq = next_hq_;
  if (state_ == State::kSearch) probes.level = level_;
  if (state_ == State::kSearch || out_.pick_kind == kList) probes.sm = sm_;
  probes.kind = out_.pick_kind;
  probes.index = out_.pick_idx;
  return probes;
}

}  // namespace castor::laperm_kmu
