#include "tb/lax/chaos.h"

#include <algorithm>

namespace castor::lax::tb {
namespace {

Knobs chaos_knobs() {
  Knobs knobs;
  knobs.kernel_types = 0;
  knobs.access = 30000;
  knobs.write = 30000;
  knobs.reconfigure = 6000;
  knobs.soft_reset = 300;
  knobs.update_period = 1000;
  knobs.prema_period = 1100;
  return knobs;
}

}  // namespace

Chaos::Chaos(const Params& params, std::uint64_t seed)
    : params_(params), rng_(seed), knobs_(chaos_knobs()), registers_(params_, knobs_, rng_) {
  // Constant during a run, since type_of depends on it
  types_ = 1 + draw(rng_.below(2) == 0 ? std::min(3U, params_.NumKt) : params_.NumKt);
  base_ = rng_.below(2) == 0 ? rng_.below(1000) : twin::mask(48) - rng_.below(5000);
}

// Draws the chances of a new phase.
void Chaos::new_phase() {
  const auto some = [this] { return static_cast<Chance>(kAlways >> rng_.below(8)); };
  header_ = some();
  beat_ = some();
  event_ = some();
  grant_ = some();
  ready_ = some();
  toggle_ = some();
  queues_ = 1 + draw(rng_.below(2) == 0 ? std::min(4U, params_.NumQueues) : params_.NumQueues);
}

void Chaos::toggle(QueueBits& bits) {
  if (!chance(toggle_)) return;
  const unsigned q = queue();
  bits.assign(q, !bits.test(q));
  if (rng_.below(64) == 0) bits = rng_.below(2) == 0 ? QueueBits{} : QueueBits::ones(params_.NumQueues);
}

void Chaos::drive(Inputs& in) {
  const base::Cycle cycle = cycle_++;
  if (cycle >= phase_ends_) {
    new_phase();
    phase_ends_ = cycle + 50 + draw(4000);
  }
  if (held_.js_valid == 0 && chance(header_)) {
    held_.js_valid = 1;
    held_.js_qid = queue();
    held_.js_deadline = rng_.below(8) == 0 ? ~U32{0} : static_cast<U32>(rng_.below(U64{1} << rng_.below(33)));
    held_.js_start =
        (base_ + cycle - rng_.below(U64{1} << rng_.below(20)) + (rng_.below(8) == 0 ? rng_.below(1U << 20U) : 0)) &
        twin::mask(48);
    held_.js_nkt = static_cast<U8>(rng_.below(4) == 0 ? rng_.below(32) : 1 + rng_.below(params_.MaxKt));
    held_.js_append = rng_.below(3) == 0 ? 1 : 0;
    held_.js_fits = rng_.below(2) == 0 ? 1 : 0;
    if (rng_.below(2) == 0) held_.js_nkt = 1;
    last_queue_ = held_.js_qid;
  }
  if (held_.wl_valid == 0 && chance(beat_)) {
    held_.wl_valid = 1;
    const unsigned kind = draw(8);
    held_.wl_kid = kind == 0 ? static_cast<U8>(rng_()) : kind < 3 ? type_of(draw(256)) : type_of(last_queue_);
    held_.wl_numwg = static_cast<U32>(rng_.below(U64{1} << rng_.below(rng_.below(8) == 0 ? 25 : 5)));
    held_.wl_last = rng_.below(3) != 0 ? 1 : 0;
  }
  in = held_;
  in.now = (base_ + cycle) & twin::mask(48);
  in.adm_ready = chance(ready_) ? 1 : 0;
  toggle(pe_);
  toggle(de_);
  toggle(df_);
  in.pe_vec = pe_;
  in.de_vec = de_;
  in.df_vec = df_;
  // Events of all types. Half of the time an event uses the queue of the previous event.
  U8 q = queue();
  const auto next = [&] { return rng_.below(2) == 0 ? q : (q = queue()); };
  if (chance(event_)) {
    in.ks_valid = 1;
    in.ks_qid = next();
    in.ks_kid = rng_.below(64) == 0 && params_.NumKt < 256 ? U8{255} : type_of(in.ks_qid);
  }
  if (chance(event_)) {
    in.ki_valid = 1;
    in.ki_qid = next();
  }
  if (chance(event_)) {
    in.wgc_valid = 1;
    in.wgc_qid = next();
    in.wgc_kid = rng_.below(8) == 0 ? static_cast<U8>(rng_()) : type_of(in.wgc_qid);
  }
  if (chance(event_ / 2)) {
    in.kd_valid = 1;
    in.kd_qid = next();
    in.kd_kid = rng_.below(64) == 0 && params_.NumKt < 256 ? U8{255} : type_of(in.kd_qid);
    in.kd_last = rng_.below(2) == 0 ? 1 : 0;
  }
  registers_.drive(in, queue());
}

void Chaos::react(Inputs& in, const Outputs& out) {
  if (in.js_valid != 0 && out.js_ready != 0) {
    held_.js_valid = 0;
    held_.js_qid = 0;
    held_.js_deadline = 0;
    held_.js_start = 0;
    held_.js_nkt = held_.js_append = held_.js_fits = 0;
  }
  if (in.wl_valid != 0 && out.wl_ready != 0) {
    held_.wl_valid = 0;
    held_.wl_kid = held_.wl_last = 0;
    held_.wl_numwg = 0;
  }
  in.psel_grant = chance(grant_) && (out.psel_valid != 0 || rng_.below(64) == 0) ? 1 : 0;
  in.dsel_grant = chance(grant_) && (out.dsel_valid != 0 || rng_.below(64) == 0) ? 1 : 0;
  static_cast<void>(registers_.observe(out, in));
}

}  // namespace castor::lax::tb
