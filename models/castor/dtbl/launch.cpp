#include "castor/dtbl/engine.h"

namespace castor::dtbl {

U16 Engine::age_of(const Inputs& in) const {
  U32 thread = U32{in.agg_warp} << 5U | in.agg_lane;
  if (params_.HashMode == 1) thread ^= 79U * in.agg_sm;
  return static_cast<U16>(thread & (params_.AgtSize - 1));
}

bool Engine::accepts(const Inputs& in) const {
  if (in.agg_valid == 0 || launch_.st == LaunchState::kSearch || in.agg_key != launch_.rk) return false;
  if (launch_.o.valid && !taken(in)) return false;
  // The count bank has one write port, and completions have priority.
  return launch_.st != LaunchState::kGrant || !launch_.cq_valid || launch_.busy.test(age_of(in));
}

void Engine::settle_beat(const Inputs& in) {
  const bool match = matches(in);
  out_.agg_ready = accepts(in) ? 1 : 0;
  const bool attaching = launch_.o.valid && !launch_.o.fallback && launch_.o.kd == launch_.ptr;
  out_.launch_hold.assign(launch_.ptr, match || attaching || launch_.st == LaunchState::kGrant);
  beat_shown_ = match || out_.agg_ready != 0;
}

void Engine::clock_launch(const Inputs& in) {
  const bool match = matches(in);
  const bool accept = accepts(in);
  const bool entry_free = accept && launch_.st == LaunchState::kGrant && !launch_.busy.test(age_of(in));
  launch_.err = 0;
  launch_.rel_valid = false;
  launch_.rel_age = 0;
  step_count();
  if (taken(in)) launch_.o.valid = false;
  if (accept) {
    step_accept(in, entry_free);
  } else if (in.agg_valid != 0) {
    step_search(in, match);
  }
  step_completion(in);
  show_launch();
}

void Engine::step_count() {
  if (!launch_.cq_valid) return;
  const U16 i = launch_.cq_age;
  if (!launch_.busy.test(i)) {
    launch_.err |= kErrorDone;
  } else if (--launch_.left[i] == 0) {
    launch_.busy.clear(i);
    --launch_.used;
    launch_.rel_valid = true;
    launch_.rel_age = i;
  }
}

void Engine::step_search(const Inputs& in, bool match) {
  if (launch_.st != LaunchState::kSearch) {
    if (in.agg_key != launch_.rk) {
      launch_.st = LaunchState::kSearch;
      launch_.ptr = 0;
    }
  } else if (match) {
    launch_.st = LaunchState::kGrant;
    launch_.rk = in.agg_key;
  } else if (launch_.ptr == params_.NumKde - 1) {
    launch_.st = LaunchState::kFall;
    launch_.rk = in.agg_key;
    launch_.ptr = 0;
  } else {
    ++launch_.ptr;
  }
}

void Engine::step_accept(const Inputs& in, bool entry_free) {
  const bool fall = launch_.st == LaunchState::kFall;
  if ((in.agg_first != 0) == launch_.mid) launch_.err |= kErrorFrame;
  const U8 before = in.agg_first != 0 ? U8{0} : launch_.ford;
  const auto after = static_cast<U8>((before + 1U) & 63U);

  Output& o = launch_.o;
  o.valid = true;
  o.fallback = fall;
  o.kd = fall ? U8{0} : launch_.ptr;
  o.dim = in.agg_dim;
  o.cnt = in.agg_cnt;
  o.param = in.agg_param;
  o.level = in.agg_level;
  o.sm = in.agg_sm;
  o.ord = fall ? after : U8{0};
  if (entry_free) {
    const U16 i = age_of(in);
    o.agei = i;
    launch_.busy.set(i);
    launch_.left[i] = in.agg_cnt;
    ++launch_.used;
  } else {
    o.agei = kOffChip | (in.agg_param - 4);
  }

  if (in.agg_last != 0) {
    launch_.st = LaunchState::kSearch;
    launch_.ptr = 0;
    launch_.mid = false;
    launch_.ford = 0;
  } else {
    launch_.mid = true;
    launch_.ford = fall ? after : before;
  }
}

void Engine::step_completion(const Inputs& in) {
  const bool on_chip = in.done_valid != 0 && (in.done_agei & kOffChip) == 0;
  const bool exists = in.done_agei < params_.AgtSize;
  launch_.cq_valid = on_chip && exists;
  launch_.cq_age = launch_.cq_valid ? static_cast<U16>(in.done_agei) : U16{0};
  if (on_chip && !exists) launch_.err |= kErrorDone;
}

void Engine::show_launch() {
  const Output& o = launch_.o;
  const bool att = o.valid && !o.fallback;
  const bool fb = o.valid && o.fallback;
  out_.agg_ready = 0;
  out_.key_idx = launch_.ptr;
  out_.launch_hold.reset();
  if (launch_.st == LaunchState::kGrant) out_.launch_hold.set(launch_.ptr);
  if (att) out_.launch_hold.set(o.kd);
  out_.att_valid = att ? 1 : 0;
  out_.att_kd = att ? o.kd : U8{0};
  out_.att_agei = att ? o.agei : 0;
  out_.att_dim = att ? o.dim : 0;
  out_.att_cnt = att ? o.cnt : 0;
  out_.att_param = att ? o.param : 0;
  out_.att_level = att ? o.level : U8{0};
  out_.att_sm = att ? o.sm : U8{0};
  out_.fb_valid = fb ? 1 : 0;
  out_.fb_rec = fb ? o.agei & ~kOffChip : 0;
  out_.fb_ord = fb ? o.ord : U8{0};
  out_.fb_level = fb ? o.level : U8{0};
  out_.fb_sm = fb ? o.sm : U8{0};
  out_.rel_valid = launch_.rel_valid ? 1 : 0;
  out_.rel_idx = launch_.rel_age;
  out_.agt_used = launch_.used;
  out_.launch_err = launch_.err;
  beat_shown_ = false;
}

}  // namespace castor::dtbl
