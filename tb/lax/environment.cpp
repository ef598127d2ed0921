#include "tb/lax/environment.h"

#include <algorithm>

namespace castor::lax::tb {

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params),
      knobs_(knobs),
      rng_(seed),
      edges_(params, seed),
      registers_(params_, knobs_, rng_),
      queues_(knobs.queues == 0 ? params.NumQueues : std::min<unsigned>(knobs.queues, params.NumQueues)),
      types_(knobs.kernel_types == 0 ? params.NumKt : std::min<unsigned>(knobs.kernel_types, params.NumKt)),
      queue_mask_(params.NumQueues - 1),
      lanes_used_(std::clamp(knobs.parse_lanes, 1U, 8U)),
      free_slots_(knobs.slots) {
  const bool foresees = knobs.aim_at != Aim::kNothing || knobs.end_in_time || knobs.end_in_visit || knobs.early;
  if (foresees) foresight_.emplace(params, knobs.aim_at, rng_);
}

void Environment::drive(Inputs& in) {
  in = Inputs{};
  cycle_ = next_++;
  if (knobs_.leap != 0 && chance(knobs_.leap)) {
    leapt_ += leap(knobs_.now + cycle_ + leapt_);
  }
  now_ = (knobs_.now + cycle_ + leapt_) & kTimeMask;
  if (cycle_ < idle_until_) {
    in.adm_ready = resting_.adm_ready;
    in.pe_vec = resting_.pe_vec;
    in.de_vec = resting_.de_vec;
    in.df_vec = resting_.df_vec;
    in.now = now_;
    return;
  }
  in.now = now_;
  drive_submission(in);
  if (cycle_ >= stall_until_) {
    if (chance(knobs_.adm_stall)) stall_until_ = cycle_ + knobs_.adm_stall_cycles;
    in.adm_ready = chance(knobs_.adm_ready) ? 1 : 0;
  }
  drive_device(in);
  // Chooses an ended job to acknowledge: half of the time the most recent one.
  acknowledging_ = ended_.empty() ? -1 : draw(2) == 0 ? ended_.back() : ended_[draw(ended_.size())];
  const base::Cycle running = cycle_ - timer_zero_;
  const bool ticks = knobs_.reset_at_tick && running != 0 && running % knobs_.update_period == 0 && draw(2) == 0;
  if ((ticks || cycle_ >= reset_at_) && registers_.configured() && !registers_.active()) {
    registers_.ask({true, reg::kControl, registers_.control() | reg::kSoftReset});
    reset_at_ = base::kForever;
  }
  // While the main machine works, a table access would occupy the register port and block the aimed access.
  const bool reserved = knobs_.aim_at != Aim::kNothing && registers_.configured() && foresight_->busy();
  if (!reserved || registers_.active()) registers_.drive(in, acknowledging_);
}

// Returns the number of cycles by which `now` jumps ahead from `from`.
U64 Environment::leap(U64 from) {
  switch (knobs_.leap_kind) {
    case Leap::kAny:
      return rng_.below(U64{1} << (1 + rng_.below(knobs_.leap_bits)));
    case Leap::kPower:
      return U64{1} << rng_.below(knobs_.leap_bits);
    case Leap::kHighPower:
      return U64{1} << (knobs_.leap_bits - 1 - rng_.below(4));
    case Leap::kBorder: {
      // The target time is an odd multiple of 2^n: bit n rises, and all lower bits fall. Each call uses the next n, so
      // that a run covers all bits.
      const U64 border = U64{1} << (12 + border_);
      border_ = (border_ + 1) % (knobs_.leap_bits - 12);
      const U64 ahead = (border - from) & (2 * border - 1);
      return ahead - std::min(ahead, rng_.below(128));
    }
    default:
      return rng_.below(U64{1} << knobs_.leap_bits);
  }
}

// Schedules a soft reset shortly after an update starts or ends; start and end are visible at the outputs.
void Environment::aim_resets(const Outputs& out) {
  const bool busy = out.upd_busy != 0;
  if (busy != update_seen_ && chance(knobs_.reset_after_update)) {
    reset_at_ = cycle_ + draw(draw(2) == 0 ? 60 : 2 * params_.NumQueues);
  }
  update_seen_ = busy;
}

void Environment::react(Inputs& in, const Outputs& out) {
  if (out.adm_valid != 0 && in.adm_ready != 0) verdict(out.adm_qid, out.adm_accept != 0, out.adm_reason);
  if (cycle_ < idle_until_) return;
  observe_submission(out, in);
  observe_device(out, in);
  const RegisterDriver::Done done = registers_.observe(out, in);
  if (done.valid && done.error == 0) {
    const unsigned address = done.access.address;
    if (!done.access.write && address == reg::kVerdictPop && (done.data >> 31U) != 0) {
      verdict(done.data & queue_mask_, ((done.data >> 8U) & 1U) != 0, (done.data >> 9U) & 7U);
    }
    if (done.access.write && address >= reg::kQueueState && address < reg::kQueueState + 4 * params_.NumQueues) {
      const unsigned q = (address - reg::kQueueState) / 4;
      ended_.erase(std::remove(ended_.begin(), ended_.end(), q), ended_.end());
      if (queue_[q].host == Host::kEnded) queue_[q].host = Host::kFree;
    }
  }
  if (knobs_.break_rule != 0 && chance(knobs_.break_rule)) break_a_rule(out, in);
  if (knobs_.foreign != 0 && in.wgc_valid == 0 && chance(knobs_.foreign)) complete_foreign(in);
  if (knobs_.early) start_early(in);
  // Runs last, so that it sees all events of this cycle.
  if (knobs_.aim_at != Aim::kNothing) aim(in, out);
  const bool reset = registers_.resets(out, in);
  if (knobs_.reset_after_update != 0) aim_resets(out);
  if (in.reg_req != 0 && out.reg_ack == 0 && in.reg_we != 0 && in.reg_addr == reg::kControl) timer_zero_ = cycle_;
  if (reset) forget_all();
  if (foresight_) foresight_->clock(in);
  if (knobs_.rest != 0 && chance(knobs_.rest)) fall_asleep(out, in);
}

// Starts a register access in the cycle of the targeted internal event.
void Environment::aim(Inputs& in, const Outputs& out) {
  if (!registers_.configured() || registers_.active() || out.reg_ack != 0) return;
  const std::optional<Access> access = foresight_->wants(in, out, registers_.control());
  if (access) registers_.interrupt(*access, in);
}

// Begins an idle period. Pending events, completions and parses wait until its end.
void Environment::fall_asleep(const Outputs& out, const Inputs& in) {
  const bool asks = registers_.active() || (in.reg_req != 0 && out.reg_ack == 0);
  if (port_ != Port::kIdle || asks || !registers_.configured()) return;
  idle_until_ = cycle_ + 1 + draw(knobs_.rest_cycles);
  resting_ = in;
}

}  // namespace castor::lax::tb
