#include "tb/lax/foresight.h"

#include <algorithm>

namespace castor::lax::tb {
namespace {

/// Condition for an event that random soft resets hit too seldom. kMoments: events of any traffic. kRankings: events
/// around PREMA rankings.
using Moment = bool (*)(const Edge&);
const std::vector<Moment> kMoments = {
    [](const Edge& e) { return e.update_is_accepted(); },
    [](const Edge& e) { return e.admission_begins(); },
    [](const Edge& e) { return e.decides(Phase::kAdmit); },
    [](const Edge& e) { return e.job_is_dropped(); },
    [](const Edge& e) { return e.append_is_judged(); },
    [](const Edge& e) { return e.header_is_refused(); },
    [](const Edge& e) { return e.job_arrives(); },
    [](const Edge& e) { return e.job_is_judged(); },
    [](const Edge& e) { return e.window_is_sampled(); },
    [](const Edge& e) { return e.rate_is_written(); },
    [](const Edge& e) { return e.update_ends(); },
    [](const Edge& e) { return e.update_timer_wraps(); },
    [](const Edge& e) { return e.parse_is_granted() && e.pass_ends(); },
    [](const Edge& e) { return e.job_ends(); },
    [](const Edge& e) { return e.kernel_starts(); },
    [](const Edge& e) { return e.out.adm_valid != 0 && e.in.adm_ready != 0; },
    [](const Edge& e) { return e.kernel_is_issued(); },
    [](const Edge& e) { return e.event_is_refused(); },
    [](const Edge& e) { return e.was.now_high != 0; },
};
const std::vector<Moment> kRankings = {
    [](const Edge& e) { return e.prema_ticks(); },
    [](const Edge& e) { return e.ranking_is_accepted(); },
    [](const Edge& e) { return e.threshold_is_found(); },
    [](const Edge& e) { return e.request_is_ranked(); },
    [](const Edge& e) { return e.ranking_ends(); },
    [](const Edge& e) { return e.ranking_ends() && e.was.preempted.any(); },
    [](const Edge& e) { return e.kernel_ends() && e.was.preempted.test(e.in.kd_qid); },
};

constexpr U32 kLeast = 1000, kLong = 20000;  // update and ranking periods
// A preemption request is made in one ranking and examined in the next
constexpr base::Cycle kPatience = 2500, kRankingPatience = 5000;

/// Returns whether the main machine is idle in the next cycle.
bool rests(const Edge& edge) {
  return edge.update_ends() || edge.ranking_ends() || (edge.main() == MainState::kANext && edge.was.pend_count == 0);
}

/// Returns the period to write so that the next tick coincides with the start of the activity for the waiting tick. The
/// period is long while a tick waits, and is shortened in the last cycle before this start. Returns 0 to leave the
/// period unchanged.
U32 changed(bool waits, U32 period, U32 timer, bool rests) {
  if (!waits) return period >= kLong / 2 ? kLeast : 0;
  if (period < kLong / 2) return kLong;
  return rests && timer + 2 >= kLeast ? timer + 2 : 0;
}

}  // namespace

Foresight::Foresight(const Params& params, Aim aim, base::Xoshiro256& rng)
    : aim_(aim),
      rng_(rng),
      engine_(params),
      probes_(engine_.probes()),
      moments_(aim == Aim::kRankings ? kRankings : kMoments),
      met_(moments_.size()) {
  choose();
}

Edge Foresight::edge(const Inputs& in, const Outputs& out) const { return {in, out, probes_, engine_.params(), late_}; }

void Foresight::clock(const Inputs& in) {
  static const Outputs out;
  late_ = is_late(edge(in, out), late_);
  engine_.clock(in);
  probes_ = engine_.probes();
  ++cycle_;
}

bool Foresight::wants_end(unsigned queue, unsigned type) const {
  static const Inputs in;
  static const Outputs out;
  const Edge now = edge(in, out);
  if (now.window_is_sampled() && probes_.kernel_type == type) return true;
  // Aims alternately at the ranking of the queue itself and at the end of the ranking.
  const bool ranked = now.request_is_ranked() && probes_.queue == queue;
  return probes_.preempted.test(queue) && ((cycle_ >> 12U & 1U) == 0 ? ranked : now.ranking_ends());
}

bool Foresight::visits(unsigned queue) const {
  const MainState state = probes_.main_state;
  const bool visit = state == MainState::kVMac || state == MainState::kVAcc || state == MainState::kVKey;
  return visit && probes_.phase == Phase::kUpdate && probes_.queue == queue;
}

bool Foresight::asked(unsigned queue) const { return probes_.preempted.test(queue); }

std::optional<unsigned> Foresight::admitted() const {
  if (probes_.main_state != MainState::kVKey || probes_.phase != Phase::kAdmit) return std::nullopt;
  return probes_.queue;
}

std::optional<Access> Foresight::wants(const Inputs& in, const Outputs& out, U32 control) {
  const Edge now = edge(in, out);
  return aim_ == Aim::kTicks ? tick(now) : reset(now, control);
}

// Chooses one of the moments that were hit least, and the cycles in which to wait for that moment.
void Foresight::choose() {
  const unsigned least = *std::min_element(met_.begin(), met_.end());
  do {
    target_ = rng_.below(met_.size());
  } while (met_[target_] != least);
  begins_ = cycle_ + 200 + rng_.below(400);
  ends_ = begins_ + (aim_ == Aim::kRankings ? kRankingPatience : kPatience);
}

std::optional<Access> Foresight::reset(const Edge& edge, U32 control) {
  if (cycle_ < begins_) return std::nullopt;
  const bool meets = moments_[target_](edge);
  if (!meets && cycle_ < ends_) return std::nullopt;
  ++met_[target_];
  choose();
  if (!meets) return std::nullopt;
  return Access{true, reg::kControl, control | reg::kSoftReset};
}

// Aims alternately at update ticks and at ranking ticks. A waiting update has priority over a ranking, so the update
// timer is kept from ticking during other updates.
std::optional<Access> Foresight::tick(const Edge& edge) const {
  const Probes& was = edge.was;
  U32 update = 0;
  if ((cycle_ >> 13U & 1U) == 0) {
    update = changed(was.update_waits != 0, was.update_period, was.update_timer,
                     rests(edge) && (was.turn == 0 || was.pend_count == 0));
  } else if ((edge.out.upd_busy != 0) != (was.update_period >= kLong / 2)) {
    update = edge.out.upd_busy != 0 ? kLong : kLeast;
  }
  if (update != 0) return Access{true, reg::kUpdatePeriod, update};
  const U32 prema = changed(was.prema_waits != 0, was.prema_period, was.prema_timer, rests(edge));
  if (prema != 0) return Access{true, reg::kPremaPeriod, prema};
  return std::nullopt;
}

}  // namespace castor::lax::tb
