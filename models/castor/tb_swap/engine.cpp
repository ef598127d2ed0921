#include "castor/tb_swap/engine.h"

#include "castor/twin/block.h"

namespace castor::tb_swap {
namespace {

constexpr unsigned kHysteresis = 4;  // requests below the threshold at which accesses to memory resume
constexpr U16 kLoadsMask = 0x3fff;

}  // namespace

Engine::Engine(const Params& params) : params_(twin::checked<Block>(params)) { reset(); }

void Engine::reset() {
  state_.kernel = {};
  state_.storage.reset(params_);
  clear();
}

// Empties all registers but those of the kernel and of the storage.
void Engine::clear() {
  state_.jobs.reset(params_);
  state_.hand = {};
  state_.sites.reset(state_.kernel, params_);
  state_.segments.reset(params_);
  state_.out = {};
  state_.out.job_ready = 1;
  state_.counters = {};
  out_machine_ = {};
  in_machine_ = {};
  loads_ = 0;
  stopped_ = false;
}

void Engine::configure(const Inputs& in) {
  state_.kernel.load(in);
  state_.storage.configure(in);
  clear();
}

void Engine::clock(const Inputs& in) {
  if (in.cfg_valid != 0) return configure(in);
  const bool was_busy = busy();
  const bool accepted = in.job_valid != 0 && state_.out.job_ready != 0;
  if (was_busy) step(in);
  if (accepted) state_.jobs.push(in);
  state_.out.job_ready = state_.jobs.full() ? 0 : 1;
  loads_ = static_cast<U16>((loads_ - (in.load_done != 0 ? 1U : 0U)) & kLoadsMask);
  throttle(in, was_busy);
  if (in.site_valid != 0) state_.sites.write(in);
  if (in.ro_valid != 0) state_.segments.write(in);
}

void Engine::step(const Inputs& in) {
  Outputs& offered = state_.out;
  Turn out_turn, in_turn;
  out_turn.handed = in_turn.handed = state_.hand.valid;
  out_turn.storing = offered.access_valid != 0 && offered.access_store != 0;
  const Want out_want = out_machine_.want(state_);
  const Want in_want = in_machine_.want(state_);
  out_turn.segment = out_want.segment;
  in_turn.segment = in_want.segment;
  if (offered.access_valid != 0 && in.access_ready != 0) state_.withdraw();
  if (offered.access_valid == 0) {
    out_turn.granted = out_want.valid && (out_want.local || !stopped_);
    in_turn.granted = !out_turn.granted && in_want.valid && (in_want.local || !stopped_);
    if (stopped_ && !out_turn.granted && !in_turn.granted) count_throttled(out_want, in_want);
  }
  out_machine_.clock(in, out_turn, state_);
  const bool homes_changed = in_machine_.clock(in, in_turn, loads_, state_);
  if (homes_changed) out_machine_.change_homes(in, state_);
  if (in_turn.granted) loads_ = static_cast<U16>((loads_ + 1U) & kLoadsMask);
}

void Engine::count_throttled(const Want& out, const Want& in) {
  if ((out.valid && !out.local) || (in.valid && !in.local)) Counters::add(state_.counters.throttled);
}

void Engine::throttle(const Inputs& in, bool busy) {
  const unsigned threshold = state_.kernel.threshold;
  if (!busy || in.outstanding + kHysteresis <= threshold) {
    stopped_ = false;
  } else if (in.outstanding >= threshold) {
    stopped_ = true;
  }
}

Probes Engine::probes() const {
  Probes probes;
  state_.kernel.probes(probes);
  state_.storage.probes(probes);
  state_.segments.probes(probes);
  probes.sites = state_.sites.valid();
  probes.jobs = static_cast<U8>(state_.jobs.count());
  probes.hand_valid = state_.hand.valid ? 1 : 0;
  probes.hand_slot = state_.hand.slot;
  probes.hand_rhome = state_.hand.rhome;
  probes.hand_shome = state_.hand.shome;
  out_machine_.probes(probes);
  in_machine_.probes(probes);
  probes.loads = loads_;
  probes.stopped = stopped_ ? 1 : 0;
  return probes;
}

}  // namespace castor::tb_swap
