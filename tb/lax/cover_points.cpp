#include "tb/lax/cover_points.h"

#include <algorithm>
#include <utility>

#include "tb/lax/register_driver.h"

namespace castor::lax::tb {
namespace {

using M = MainState;
using S = SubmitState;
using J = JobState;

template <class E>
constexpr unsigned at(E state) {
  return static_cast<unsigned>(state);
}

constexpr const char* kErrors[] = {"underflow", "no job", "no slot", "in flight", "order",
                                   "time",      "beat",   "grant",   "read only", "done queue full"};
constexpr const char* kIrqs[] = {"refused", "done", "missed", "busy", "error", "limited", "overrun"};
constexpr const char* kSelections[] = {"parse", "dispatch"};

}  // namespace

CoverPoints::CoverPoints(const Params& params, Peek peek) : params_(params), peek_(std::move(peek)) {
  declare_arcs();
  declare_selection();
  declare_rest();
}

CoverPoints::Id CoverPoints::add(std::string name) {
  points_.push_back({std::move(name), 0, false});
  return static_cast<Id>(points_.size() - 1);
}

void CoverPoints::declare_arcs() {
  const bool types = params_.NumKt > 1, slots = params_.MaxKt > 1;
  const std::vector<std::pair<M, M>> main_arcs = {
      {M::kIdle, M::kIdle},  {M::kIdle, M::kKOpen}, {M::kIdle, M::kR1},     {M::kIdle, M::kVOpen},
      {M::kIdle, M::kANext}, {M::kKOpen, M::kKMul}, {M::kKOpen, M::kVOpen}, {M::kKMul, M::kKDiv},
      {M::kKDiv, M::kKDiv},  {M::kKDiv, M::kKWb},   {M::kKWb, M::kVOpen},   {M::kVOpen, M::kVOpen},
      {M::kVOpen, M::kVMac}, {M::kVOpen, M::kIdle}, {M::kVOpen, M::kANext}, {M::kVMac, M::kVAcc},
      {M::kVAcc, M::kVMac},  {M::kVAcc, M::kVKey},  {M::kVKey, M::kVOpen},  {M::kVKey, M::kIdle},
      {M::kVKey, M::kANext}, {M::kVKey, M::kVDiv},  {M::kVDiv, M::kVDiv},   {M::kVDiv, M::kVTok},
      {M::kVTok, M::kVOpen}, {M::kVTok, M::kIdle},  {M::kANext, M::kIdle},  {M::kANext, M::kVOpen},
      {M::kR1, M::kR1},      {M::kR1, M::kR2},      {M::kR2, M::kR2},       {M::kR2, M::kR3},
      {M::kR3, M::kIdle}};
  const std::vector<std::pair<S, S>> submit_arcs = {
      {S::kIdle, S::kIdle},       {S::kIdle, S::kList},     {S::kIdle, S::kCommit}, {S::kList, S::kList},
      {S::kList, S::kCommit},     {S::kCommit, S::kCommit}, {S::kCommit, S::kIdle}, {S::kCommit, S::kCheck},
      {S::kCheck, S::kCheck},     {S::kCheck, S::kMerge},   {S::kMerge, S::kMerge}, {S::kMerge, S::kVerdict},
      {S::kVerdict, S::kVerdict}, {S::kVerdict, S::kIdle}};
  // In one cycle a job may take several arrows: acknowledged and submitted, admitted and started, issued and ended.
  const std::vector<std::pair<J, J>> job_arcs = {
      {J::kFree, J::kInit},  {J::kInit, J::kReady},     {J::kInit, J::kRejected}, {J::kReady, J::kRunning},
      {J::kReady, J::kDone}, {J::kReady, J::kRejected}, {J::kRunning, J::kReady}, {J::kRunning, J::kDone},
      {J::kDone, J::kFree},  {J::kRejected, J::kFree}};
  for (auto& row : main_) row.fill(kNone);
  for (auto& row : submit_) row.fill(kNone);
  for (auto& row : job_) row.fill(kNone);
  const auto name = [](const char* const* names, auto from, auto to) {
    return std::string(names[at(from)]) + " -> " + names[at(to)];
  };
  for (const auto& [from, to] : main_arcs) main_[at(from)][at(to)] = add(name(kMainStateNames, from, to));
  if (types) {
    main_[at(M::kKOpen)][at(M::kKOpen)] = add(name(kMainStateNames, M::kKOpen, M::kKOpen));
    main_[at(M::kKWb)][at(M::kKOpen)] = add(name(kMainStateNames, M::kKWb, M::kKOpen));
  }
  // A list that does not fit needs more kernel types than a list has slots.
  if (params_.NumKt > params_.MaxKt) {
    submit_[at(S::kCheck)][at(S::kVerdict)] = add(name(kSubmitStateNames, S::kCheck, S::kVerdict));
  }
  if (slots) main_[at(M::kVMac)][at(M::kVMac)] = add(name(kMainStateNames, M::kVMac, M::kVMac));
  for (const auto& [from, to] : submit_arcs) submit_[at(from)][at(to)] = add(name(kSubmitStateNames, from, to));
  for (const auto& [from, to] : job_arcs) job_[at(from)][at(to)] = add(name(kJobStateNames, from, to));
  // By activity: states of one cycle are hit by chance only.
  static constexpr const char* kActivities[] = {"idle", "rates", "visits", "ranking"};
  static constexpr const char* kSubmitting[] = {"idle", "list", "commit", "append"};
  for (unsigned i = 0; i < 4; ++i) main_reset_[i] = add(std::string("soft reset, main machine: ") + kActivities[i]);
  for (unsigned i = 0; i < 4; ++i) submit_reset_[i] = add(std::string("soft reset, submit machine: ") + kSubmitting[i]);
}

void CoverPoints::declare_selection() {
  static constexpr const char* kMany[] = {"none", "one", "many"};
  for (unsigned which = 0; which < 2; ++which) {
    const std::string selection = kSelections[which];
    for (unsigned policy = 0; policy < 10; ++policy) {
      for (unsigned n = 0; n < 3; ++n) {
        eligible_[which][policy][n] =
            add(selection + ", policy " + std::to_string(policy) + ", " + kMany[n] + " eligible");
      }
    }
    for (unsigned c = 0; c < 4; ++c) {
      class_[which][c] = peek_ ? add(selection + " won by class " + std::to_string(c)) : kNone;
    }
    end_queue_[which][0] = add(selection + " won by the first queue");
    end_queue_[which][1] = add(selection + " won by the last queue");
  }
  for (unsigned g = 0; g < params_.groups(); ++g) {
    grant_in_group_.push_back(add("parse grant while group " + std::to_string(g) + " is compared"));
  }
}

void CoverPoints::declare_rest() {
  // Every kernel number of the port exists if there are 256.
  for (unsigned i = 0; i < 8; ++i) {
    reason_[i] = i == 5 && params_.NumKt == 256 ? kNone : add("verdict with reason " + std::to_string(i));
  }
  for (unsigned i = 0; i < 10; ++i) error_[i] = add(std::string("error: ") + kErrors[i]);
  // A tick is lost only if the longest update exceeds the shortest period clearly.
  const bool overruns = 43 * params_.NumKt + params_.NumQueues * (params_.MaxKt + 44) > 1200;
  for (unsigned i = 0; i < 7; ++i) irq_[i] = i == 6 && !overruns ? kNone : add(std::string("interrupt: ") + kIrqs[i]);
  static constexpr const char* kBorders[] = {"one below", "at", "one above"};
  for (unsigned i = 0; i < 3; ++i) border_[i] = add(std::string("estimate ") + kBorders[i] + " the deadline");
  static constexpr const char* kOpens[] = {"ks", "wgc", "kd"};
  for (unsigned i = 0; i < 3; ++i) event_at_open_[i] = add(std::string(kOpens[i]) + " while its counters are sampled");
  static constexpr const char* kVisits[] = {"VOpen", "VMac", "VKey"};
  for (unsigned i = 0; i < 3; ++i) kd_at_visit_[i] = add(std::string("kd of the visited queue in ") + kVisits[i]);
  static constexpr const char* kWaits[] = {"SCommit", "SChk", "SMrg"};
  for (unsigned i = 0; i < 3; ++i) wait_for_wgc_[i] = add(std::string(kWaits[i]) + " waits for a completion");
  const auto peeked = [this](const char* name) { return peek_ ? add(name) : kNone; };
  id_.all_in_one = add("ks, ki, wgc and kd of a queue in one cycle");
  id_.wgc_at_list_read = add("wgc of the visited queue while its list is read");
  id_.wait_for_key_commit = add("SCommit waits for VKey");
  id_.wait_for_key_verdict = add("SVer waits for VKey");
  id_.space = add("js_ready low for want of space");
  id_.verdicts_full = add("verdict queue one short of full");
  id_.done_full = add("done queue full");
  id_.pend_full = add("three jobs wait for admission");
  id_.pop_verdict = add("verdict popped by register");
  id_.pop_meets_port = add("pop while the port takes the verdict");
  id_.pop_done = add("ended job popped");
  id_.table_waits = add("table access waits for idle");
  id_.tick_meets_activity = add("update tick during an activity");
  id_.tick_meets_submit = add("update tick with a header");
  id_.tick_meets_stall = add("update tick while a verdict waits");
  id_.tick_meets_reset = add("update tick in the cycle of a soft reset");
  id_.preempt = add("preemption requested");
  id_.preempt_ends = add("preemption request ends");
  id_.reset_takes_verdict = add("soft reset withdraws a verdict");
  id_.now_wraps = add("now wraps");
  id_.first_rate = peeked("first rate of a kernel type");
  id_.rate_again = peeked("rate refreshed");
  id_.rate_held = peeked("rate held for want of completions");
  id_.rate_saturated = peeked("rate at its limit");
  id_.preloaded = add("rate written");
  id_.cleared = add("rate cleared");
  id_.clear_refused = add("clearing of a rate refused");
  id_.one_slot = add("list of one slot visited");
  id_.full_list = add("full list visited");
  id_.done_in_append = add("job ends while work is appended to it");
  id_.bypass = add("accepted against the prediction");
  id_.dropped = add("job dropped");
  id_.arrivals_wrap = add("arrival numbers wrap with jobs ready");
  points_[id_.arrivals_wrap].long_run = true;
  id_.offer_withdrawn = add("offer withdrawn without grant");
  id_.ack_and_submit = add("queue acknowledged while a header for it waits");
  id_.job_met = add("job meets its deadline");
  id_.job_missed = add("job misses its deadline");
  id_.best_effort = add("job without deadline accepted");
  id_.admission_in_turn = add("admission between two updates");
  id_.below_threshold = peeked("job below the threshold offered under PREMA");
  // Among 256 queues there is always a job that is not demoted and goes first.
  id_.demoted = params_.NumQueues <= 128 ? peeked("demoted job offered under MLFQ") : kNone;
  id_.starts_apart = add("live jobs whose starts are 2^32 cycles apart");
  id_.foreign = params_.MaxKt > 1 && params_.NumKt > 1 ? peeked("window opened by a completion") : kNone;
  id_.external = add("priority written for a live job under EXT");
}

std::vector<std::string> CoverPoints::missing(bool long_run) const {
  std::vector<std::string> names;
  for (const Point& point : points_) {
    if (point.hits == 0 && (long_run || !point.long_run)) names.push_back(point.name);
  }
  return names;
}

void CoverPoints::wrong(const std::string& what) {
  if (impossible_.size() < 20 && std::find(impossible_.begin(), impossible_.end(), what) == impossible_.end()) {
    impossible_.push_back(what);
  }
}

unsigned CoverPoints::job_state(const Probes& probes, unsigned queue) {
  return (probes.job_state0.test(queue) ? 1U : 0U) | (probes.job_state1.test(queue) ? 2U : 0U) |
         (probes.job_state2.test(queue) ? 4U : 0U);
}

void CoverPoints::sample(const Inputs& in, const Outputs& out, const Probes& probes) {
  if (started_) {
    if (was_reset_) {
      const M main = was_.main_state;
      hit(main_reset_[main == M::kIdle ? 0 : main <= M::kKWb ? 1 : main <= M::kANext ? 2 : 3]);
      hit(submit_reset_[std::min(at(was_.submit_state), 3U)]);
      if (at(probes.main_state) != 0 || at(probes.submit_state) != 0) wrong("a soft reset leaves a machine running");
    } else {
      arcs(probes);
      jobs(probes);
    }
    hit_if(in.now < in_.now, id_.now_wraps);
  }
  registers(in, out, probes);
  selection(in, out, probes);
  verdicts(in, out, probes);
  collisions(in, out, probes);
  rates(in, probes);
  const bool control = in.reg_req != 0 && out.reg_ack == 0 && in.reg_we != 0 && in.reg_addr == reg::kControl &&
                       legal_control(in.reg_wdata);
  was_reset_ = control && (in.reg_wdata & reg::kSoftReset) != 0;
  if (control) control_ = in.reg_wdata;
  started_ = true;
  in_ = in;
  out_ = out;
  was_ = probes;
}

void CoverPoints::arcs(const Probes& probes) {
  const unsigned from = at(was_.main_state), to = at(probes.main_state);
  if (to >= kMain || at(probes.submit_state) >= kSubmit) {
    wrong("a machine is in a state without name");
    return;
  }
  if (main_[from][to] == kNone) {
    wrong(std::string(kMainStateNames[from]) + " -> " + kMainStateNames[to]);
  }
  hit(main_[from][to]);
  const unsigned submit_from = at(was_.submit_state), submit_to = at(probes.submit_state);
  if (submit_[submit_from][submit_to] == kNone) {
    wrong(std::string(kSubmitStateNames[submit_from]) + " -> " + kSubmitStateNames[submit_to]);
  }
  hit(submit_[submit_from][submit_to]);
  if (from == at(M::kIdle) && to == at(M::kKOpen)) update_last_ = true;
  if (from == at(M::kIdle) && (to == at(M::kANext) || to == at(M::kVOpen))) {
    hit_if(update_last_, id_.admission_in_turn);
    update_last_ = false;
  }
}

void CoverPoints::jobs(const Probes& probes) {
  // Several arrows in one cycle that have no point of their own.
  static constexpr std::pair<J, J> kRare[] = {
      {J::kInit, J::kRunning}, {J::kInit, J::kDone}, {J::kDone, J::kInit}, {J::kRejected, J::kInit}};
  for (unsigned w = 0; w < QueueBits::kWords; ++w) {
    U64 changed = (probes.job_state0.word(w) ^ was_.job_state0.word(w)) |
                  (probes.job_state1.word(w) ^ was_.job_state1.word(w)) |
                  (probes.job_state2.word(w) ^ was_.job_state2.word(w));
    for (; changed != 0; changed &= changed - 1) {
      const unsigned q = w * 64 + static_cast<unsigned>(__builtin_ctzll(changed));
      const unsigned from = job_state(was_, q), to = job_state(probes, q);
      if (from >= kJob || to >= kJob) {
        wrong("a job is in a state without name");
        continue;
      }
      hit(job_[from][to]);
      const bool rare = std::any_of(std::begin(kRare), std::end(kRare),
                                    [&](const auto& arc) { return at(arc.first) == from && at(arc.second) == to; });
      if (job_[from][to] == kNone && !rare) {
        wrong(std::string(kJobStateNames[from]) + " -> " + kJobStateNames[to]);
      }
      if (to == at(J::kInit) && ++arrivals_ % 65536 == 0) {
        const QueueBits ready = (probes.job_state1 & QueueBits::ones(params_.NumQueues))
                                    .without(probes.job_state0)
                                    .without(probes.job_state2);
        hit_if(ready.count() >= 2, id_.arrivals_wrap);
      }
      hit_if(from == at(J::kReady) && to == at(J::kRejected), id_.dropped);
      if (to == at(J::kReady) && from == at(J::kInit) && points_[id_.starts_apart].hits == 0) {
        for (unsigned other = 0; other < params_.NumQueues; ++other) {
          const bool live = probes.job_state1.test(other) && !probes.job_state2.test(other);
          hit_if(live && (start_[other] >> 32U) != (start_[q] >> 32U), id_.starts_apart);
        }
      }
      const bool appending = at(was_.submit_state) >= at(S::kCheck);
      hit_if(to == at(J::kDone) && appending && in_.kd_valid != 0 && in_.kd_last != 0, id_.done_in_append);
    }
  }
}

void CoverPoints::selection(const Inputs& in, const Outputs& out, const Probes& probes) {
  const unsigned policy = (control_ >> 4U) & 15U;
  if (probes.group == 0) {
    const QueueBits live = probes.job_state1.without(probes.job_state2);
    const QueueBits ready = live.without(probes.job_state0);
    const QueueBits parse = in.pe_vec & ((control_ & reg::kPreparse) != 0 ? live : ready);
    const QueueBits dispatch = (in.de_vec & ready).without(probes.preempted);
    hit(eligible_[0][policy][std::min(parse.count(), 2U)]);
    hit(eligible_[1][policy][std::min(dispatch.count(), 2U)]);
  }
  const auto offer = [&](unsigned which, U8 valid, U8 qid, U8 was_valid, U8 was_qid) {
    if (valid == 0 || (was_valid != 0 && was_qid == qid)) return;
    if (peek_) {
      const unsigned rank = (look(reg::kQueueState + 4U * qid) >> 3U) & 3U;
      hit(class_[which][rank]);
      hit_if(rank == 1 && policy == 7, id_.below_threshold);
      hit_if(rank == 1 && policy == 6, id_.demoted);
    }
    hit_if(qid == 0, end_queue_[which][0]);
    hit_if(qid + 1U == params_.NumQueues, end_queue_[which][1]);
  };
  offer(0, out.psel_valid, out.psel_qid, out_.psel_valid, out_.psel_qid);
  offer(1, out.dsel_valid, out.dsel_qid, out_.dsel_valid, out_.dsel_qid);
  if (in.psel_grant != 0 && out.psel_valid != 0) hit(grant_in_group_[probes.group]);
  hit_if(started_ && out_.psel_valid != 0 && in_.psel_grant == 0 && out.psel_valid == 0, id_.offer_withdrawn);
  hit_if(out.pre_vec.any(), id_.preempt);
  hit_if(started_ && !was_reset_ && was_.preempted.any() && out.pre_vec.none(), id_.preempt_ends);
}

void CoverPoints::verdicts(const Inputs& in, const Outputs& out, const Probes& probes) {
  if (in.js_valid != 0 && out.js_ready != 0 && in.js_append == 0) {
    const unsigned state = job_state(probes, in.js_qid);
    if (state == at(J::kFree)) {
      deadline_[in.js_qid] = in.js_deadline;
      start_[in.js_qid] = in.js_start;
    }
  }
  if (out.adm_valid != 0 && in.adm_ready != 0) {
    hit(reason_[out.adm_reason]);
    const U64 estimate = out.adm_est, deadline = deadline_[out.adm_qid];
    const bool judged = out.adm_est != 0;
    hit_if(judged && out.adm_accept != 0 && estimate + 1 == deadline, border_[0]);
    hit_if(judged && out.adm_accept == 0 && estimate == deadline, border_[1]);
    hit_if(judged && out.adm_accept == 0 && estimate == deadline + 1, border_[2]);
    const bool judging = ((control_ >> 4U) & 15U) >= 8 && (control_ & 2U) != 0;
    const bool best_effort = deadline == 0xFFFFFFFF;
    hit_if(judged && out.adm_accept != 0 && best_effort, id_.best_effort);
    hit_if(
        judging && judged && out.adm_accept != 0 && !best_effort && estimate >= deadline && (control_ >> 15U & 1U) != 0,
        id_.bypass);
  }
  hit_if(out.jd_valid != 0 && out.jd_met != 0, id_.job_met);
  hit_if(out.jd_valid != 0 && out.jd_met == 0, id_.job_missed);
  hit_if(at(probes.submit_state) == 0 && out.js_ready == 0, id_.space);
  // Two places are kept free for verdicts on their way, so the queue fills up to one below its depth or more.
  hit_if(probes.verdict_count + 1U >= params_.VqDepth, id_.verdicts_full);
  hit_if(probes.done_count == params_.NumQueues, id_.done_full);
  hit_if(probes.pend_count >= 3, id_.pend_full);
  hit_if(started_ && was_reset_ && out_.adm_valid != 0 && in_.adm_ready == 0 && out.adm_valid == 0,
         id_.reset_takes_verdict);
}

void CoverPoints::collisions(const Inputs& in, const Outputs& out, const Probes& probes) {
  const bool one_queue = in.ks_qid == in.ki_qid && in.ki_qid == in.wgc_qid && in.wgc_qid == in.kd_qid;
  hit_if(in.ks_valid != 0 && in.ki_valid != 0 && in.wgc_valid != 0 && in.kd_valid != 0 && one_queue &&
             job_state(probes, in.ks_qid) == at(J::kReady),
         id_.all_in_one);
  const M main = probes.main_state;
  if (main == M::kKOpen) {
    hit_if(in.ks_valid != 0 && in.ks_kid == probes.kernel_type, event_at_open_[0]);
    hit_if(in.wgc_valid != 0 && in.wgc_kid == probes.kernel_type, event_at_open_[1]);
    hit_if(in.kd_valid != 0 && in.kd_kid == probes.kernel_type, event_at_open_[2]);
  }
  const bool ends = in.kd_valid != 0 && in.kd_qid == probes.queue && job_state(probes, in.kd_qid) == at(J::kRunning);
  hit_if(ends && main == M::kVOpen, kd_at_visit_[0]);
  hit_if(ends && main == M::kVMac, kd_at_visit_[1]);
  hit_if(ends && main == M::kVKey, kd_at_visit_[2]);
  hit_if(in.wgc_valid != 0 && in.wgc_qid == probes.queue && main == M::kVOpen, id_.wgc_at_list_read);
  const S submit = probes.submit_state;
  hit_if(in.wgc_valid != 0 && submit == S::kCommit, wait_for_wgc_[0]);
  hit_if(in.wgc_valid != 0 && submit == S::kCheck, wait_for_wgc_[1]);
  hit_if(in.wgc_valid != 0 && submit == S::kMerge, wait_for_wgc_[2]);
  hit_if(main == M::kVKey && submit == S::kCommit && in.wgc_valid == 0, id_.wait_for_key_commit);
  hit_if(main == M::kVKey && submit == S::kVerdict, id_.wait_for_key_verdict);
  const bool ticked = started_ && !was_reset_ && probes.update_timer == 0 && was_.update_timer != 0;
  if (ticked) {
    hit_if(main != M::kIdle && was_.main_state != M::kIdle, id_.tick_meets_activity);
    hit_if(in_.js_valid != 0 && out_.js_ready != 0, id_.tick_meets_submit);
    hit_if(out.adm_valid != 0 && in_.adm_ready == 0 && out_.adm_valid != 0, id_.tick_meets_stall);
  }
  // Slots of a list: the length of a stay in VMac.
  if (main == M::kVMac) {
    ++slots_;
  } else if (slots_ != 0) {
    hit_if(slots_ == 1, id_.one_slot);
    hit_if(slots_ == params_.MaxKt, id_.full_list);
    slots_ = 0;
  }
}

void CoverPoints::rates(const Inputs& in, const Probes& probes) {
  if (!peek_) return;
  if (was_reset_) begun_.reset();
  if (started_ && in_.wgc_valid != 0 && !begun_[in_.wgc_kid] && in_.wgc_kid < params_.NumKt) {
    hit_if(look(reg::kProfile + 32U * in_.wgc_kid + 4) == 1, id_.foreign);
  }
  if (started_ && in_.ks_valid != 0) begun_.set(in_.ks_kid);
  if (started_ && in_.wgc_valid != 0) begun_.set(in_.wgc_kid);
  if (in.ks_valid != 0) begun_.set(in.ks_kid);
  const unsigned entry = reg::kProfile + 32U * probes.kernel_type;
  if (probes.main_state == M::kKMul) {
    const bool valid = (look(entry + 0x18) >> 30U & 1U) != 0;
    hit(valid ? id_.rate_again : id_.first_rate);
  }
  // One register read per kernel type and update: cheap enough, and only while points are missing.
  if (probes.main_state == M::kKOpen && points_[id_.rate_held].hits == 0) {
    const U32 completed = look(entry + 4);
    const U32 minimum = look(reg::kMinGroups);
    hit_if(completed > 0 && completed < minimum, id_.rate_held);
  }
  if (started_ && was_.main_state == M::kKWb && points_[id_.rate_saturated].hits == 0) {
    hit_if(look(reg::kProfile + 32U * was_.kernel_type) == 0xFFFFFFFF, id_.rate_saturated);
  }
}

void CoverPoints::registers(const Inputs& in, const Outputs& out, const Probes& probes) {
  const bool asks = in.reg_req != 0 && out.reg_ack == 0;
  const bool table = in.reg_addr >= 0x0400;
  hit_if(asks && table && probes.main_state != M::kIdle, id_.table_waits);
  const U32 period = peek_ && asks && in.reg_we != 0 && in.reg_addr == reg::kControl ? look(reg::kUpdatePeriod) : 0;
  hit_if(period != 0 && (in.reg_wdata & reg::kSoftReset) != 0 && probes.update_timer + 1 >= period,
         id_.tick_meets_reset);
  if (asks && in.reg_we != 0 && table && in.reg_addr >= reg::kQueueState &&
      in.reg_addr < reg::kQueueState + 4 * params_.NumQueues && probes.main_state == M::kIdle) {
    const unsigned q = (in.reg_addr - reg::kQueueState) / 4U;
    hit_if((in.reg_wdata >> 31U) != 0 && job_state(probes, q) >= at(J::kDone) && in.js_valid != 0 && in.js_qid == q,
           id_.ack_and_submit);
  }
  hit_if(asks && in.reg_we == 0 && in.reg_addr == reg::kVerdictPop && out.adm_valid != 0 && in.adm_ready != 0,
         id_.pop_meets_port);
  if (!started_ || out.reg_ack == 0) return;
  const unsigned address = in_.reg_addr;
  const bool good = out.reg_err == 0;
  if (in_.reg_we == 0 && good) {
    if (address == reg::kErrStat) {
      for (unsigned i = 0; i < 10; ++i) hit_if((out.reg_rdata >> i & 1U) != 0, error_[i]);
    }
    if (address == reg::kIrqStat) {
      for (unsigned i = 0; i < 7; ++i) hit_if((out.reg_rdata >> i & 1U) != 0, irq_[i]);
    }
    hit_if(address == reg::kVerdictPop && (out.reg_rdata >> 31U) != 0, id_.pop_verdict);
    hit_if(address == reg::kDonePop && (out.reg_rdata >> 31U) != 0, id_.pop_done);
  }
  if (in_.reg_we == 0) return;
  const unsigned profile = address - reg::kProfile;
  if (address >= reg::kProfile && profile < 32U * params_.NumKt) {
    hit_if(profile % 32 == 0 && good, id_.preloaded);
    hit_if(profile % 32 == 0x18 && good, id_.cleared);
    if (profile % 32 == 0x18 && good) begun_.reset(profile / 32);
    hit_if(profile % 32 == 0x18 && !good && (in_.reg_wdata >> 30U & 1U) != 0, id_.clear_refused);
  }
  if (address >= reg::kExternal && address < reg::kExternal + 4 * params_.NumQueues && good) {
    const unsigned state = job_state(was_, (address - reg::kExternal) / 4U);
    hit_if(((control_ >> 4U) & 15U) == 9 && (state == at(J::kReady) || state == at(J::kRunning)), id_.external);
  }
}

}  // namespace castor::lax::tb
