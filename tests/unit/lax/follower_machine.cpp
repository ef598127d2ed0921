#include <algorithm>

#include "unit/lax/follower.h"

// Checks of the main machine: rates, keys, verdicts, ranking.

namespace castor::lax::reference {
namespace {

enum Counter : unsigned { kSubmit, kAccept, kReject, kDone, kMet, kLate, kUpd, kWg, kUseful, kParse, kPreempt, kDrop };
constexpr unsigned kTimeError = 5;
constexpr std::uint64_t kTimes = std::uint64_t{1} << 48U;

std::uint64_t since(std::uint64_t now, std::uint64_t then) { return (now - then) & (kTimes - 1); }
std::uint64_t number(const Integer& value) { return value.convert_to<std::uint64_t>(); }

}  // namespace

void Follower::machine(const Probes& probes) {
  if (out_.upd_busy != 0) ++length_;
  const MainState next = probes.main_state;
  switch (was_.main_state) {
    case MainState::kIdle:
      if (next == MainState::kKOpen) {
        update_interval_ = std::min(since(in_.now, last_update_), number(infinite()));
        last_update_ = in_.now;
        expected_length_ = length_ = 0;
      } else if (next == MainState::kVOpen || next == MainState::kANext) {
        total_ = 0;
        judging_ = rules_.admit && (rules_.policy == Policy::Lax || rules_.policy == Policy::Ext);
        if (judging_ != (next == MainState::kVOpen)) problem("scan before admission");
        phase_ = PhaseOf::kScan;
      } else if (next == MainState::kR1) {
        ranked_.clear();
        ranked_first_.clear();
        ranked_rem_.clear();
        ranked_blocked_.clear();
      }
      break;
    case MainState::kKOpen:
      open_kernel_type(probes);
      phase_ = PhaseOf::kUpdate;
      break;
    case MainState::kKWb:
      write_rate();
      break;
    case MainState::kVOpen:
      open_visit(probes);
      break;
    case MainState::kVKey:
      key_of_visit(probes);
      break;
    case MainState::kVTok: {
      Slot& job = jobs_[visit_.queue];
      expected_length_ += 41;
      job.token = token_after(rules_, visit_.job, update_interval_, visit_.duration);
      visit_.job.token = job.token;
      visit_.job.external = external_[visit_.queue];
      if (live(job)) {
        set_key(visit_.queue, rank(rules_, visit_.job, visit_.work, visit_.duration, false, threshold_));
      }
      break;
    }
    case MainState::kANext:
      if (next == MainState::kVOpen) {
        expect(probes.queue, pending_.front(), "next job to judge");
        pending_.pop_front();
        phase_ = PhaseOf::kAdmission;
      } else if (!pending_.empty()) {
        problem("admission ends with jobs waiting");
      }
      break;
    case MainState::kR1:
    case MainState::kR2:
    case MainState::kR3:
      prema(probes);
      break;
    default:
      break;
  }
  const bool ends = out_.upd_busy != 0 && next == MainState::kIdle;
  if (ends) {
    ++seen_.lengths;
    ++counters_[kUpd];
    expect(length_, expected_length_, "cycles of the update");
  }
  expect(probes.total, total_, "work ahead");
}

void Follower::open_kernel_type(const Probes& probes) {
  KernelType& type = types_[was_.kernel_type];
  const bool refreshes = type.used && type.completed >= rules_.min_groups;
  expected_length_ += refreshes ? 43 : 1;
  if (refreshes != (probes.main_state == MainState::kKMul)) problem("whether a kernel type is refreshed");
  if (!refreshes) return;
  const std::uint64_t wall = since(in_.now, type.since);
  if (type.active > wall || type.active > type.instance) problem("active time beyond wall or instance time");
  sample_ = Sample{was_.kernel_type, Window{type.completed, wall, type.active, type.instance}, rules_.rate};
  type.completed = type.active = type.instance = 0;
  type.since = in_.now;
}

void Follower::write_rate() {
  if (!sample_) {
    problem("a rate is written without a sample");
    return;
  }
  const auto& [k, window, taken] = *sample_;
  KernelType& type = types_[k];
  // Modes that replace the estimate by the measurement have an exact value beside the rounded one.
  const bool takes_over = !type.rate || (rules_.rate != RateMode::PeakHold && rules_.ewma_shift == 0);
  type.rate = refresh(rules_, window, type.rate, taken);
  type.exact = takes_over ? exact_time_per_group(taken, window) : Rational(*type.rate, 256);
  type.exact = std::max(type.exact, Rational(1, 256));
  const auto clipped = [](const Integer& value) { return number(std::min(value, infinite())); };
  type.snapshot = {number(window.completed), clipped(window.active), clipped(window.instance), clipped(window.wall)};
  expect(look(0x4000 + 32 * k), *type.rate, "rate of kernel type " + std::to_string(k));
  sample_.reset();
  ++seen_.rates;
}

void Follower::open_visit(const Probes& probes) {
  const unsigned q = was_.queue;
  const Slot& job = jobs_[q];
  const bool visits =
      phase_ == PhaseOf::kAdmission || (live(job) && (phase_ == PhaseOf::kUpdate || job.deadline != infinite()));
  if (visits != (probes.main_state == MainState::kVMac)) problem("whether queue " + std::to_string(q) + " is visited");
  if (phase_ == PhaseOf::kUpdate) {
    expected_length_ += visits ? aggregated(job.launches).size() + 3 : 1;
  }
  if (!visits) return;
  visit_.queue = q;
  visit_.job = job;
  bool future = false;
  visit_.duration = duration(in_.now, job.start, &future);
  if (future && phase_ != PhaseOf::kScan) error(kTimeError);
}

void Follower::key_of_visit(const Probes& probes) {
  const unsigned q = visit_.queue;
  visit_.work = remaining(visit_.job.launches, rates());
  // One cycle of rounding, and 1/256 per thread block: never more than the exact value.
  const Rational exact = exact_remaining(visit_.job.launches, exact_rates());
  if (visit_.work < longest()) {
    const Rational difference = exact - Rational(visit_.work);
    const Rational bound = 1 + Rational(groups(visit_.job.launches), 256);
    if (difference < 0 || difference >= bound) problem("error of the remaining time of queue " + std::to_string(q));
  }
  if (phase_ == PhaseOf::kScan) {
    total_ += work_ahead(rules_, visit_.job, rates());
  } else if (phase_ == PhaseOf::kAdmission) {
    judge();
  } else {
    key_of_update(probes);
  }
}

void Follower::key_of_update(const Probes& probes) {
  const unsigned q = visit_.queue;
  Slot& job = jobs_[q];
  if (!live(job)) return;
  ++seen_.updates;
  job.rem = visit_.work;
  job.dur = visit_.duration;
  job.lax = laxity(job.deadline, job.rem, job.dur);
  job.recorded = true;
  const bool may_drop = (control_ >> 16U & 1U) != 0 && rules_.policy == Policy::Lax;
  const bool space = verdicts_.size() + pending_.size() + 2 <= params_.VqDepth;
  if (may_drop && job.state == JobState::Ready && !job.open && job.deadline != infinite() && job.dur > job.deadline &&
      space) {
    set_state(q, JobState::Rejected);
    verdicts_.push_back({q, false, static_cast<unsigned>(Reason::Expired), 0});
    ++counters_[kDrop];
    ++seen_.drops;
    return;
  }
  const bool waits = rules_.policy == Policy::Prema && !(job.open && !job.preempted);
  if (waits != (probes.main_state == MainState::kVDiv)) problem("whether tokens grow");
  visit_.job.open = job.open;
  visit_.job.preempted = job.preempted;
  visit_.job.token = job.token;
  visit_.job.external = external_[q];
  if (waits) return;
  const Rank key = rank(rules_, visit_.job, job.rem, job.dur, false, threshold_);
  set_key(q, key);
  if (rules_.policy == Policy::Lax && !rules_.classes && job.deadline != infinite() && job.rem + job.dur <= longest()) {
    // Without classes the key is the published priority.
    const auto priority = literal_priority<Integer>(job.deadline, job.rem, job.dur);
    expect(key.second, priority.value_or(infinite()), "published priority");
    ++seen_.literal;
  }
}

void Follower::judge() {
  const unsigned q = visit_.queue;
  Slot& job = jobs_[q];
  bool someone_waits = false;
  for (const Slot& other : jobs_) someone_waits = someone_waits || (other.state == JobState::Ready && !other.open);
  Rules rules = rules_;
  rules.admit = judging_;  // `admit` at the begin of the pass
  if (judging_) rules.policy = Policy::Lax;
  const Verdict verdict =
      admit(rules, visit_.job, total_, (visit_.job.start + visit_.duration) % power(48), rates(), someone_waits);
  ++seen_.verdicts;
  job.rem = verdict.work;
  job.dur = visit_.duration;
  job.lax = laxity(job.deadline, job.rem, job.dur);
  job.isolated = std::max(Integer(1), remaining(visit_.job.launches, isolated()));
  job.token = rules_.prema_priority * 256;
  verdicts_.push_back({q, verdict.accept, static_cast<unsigned>(verdict.reason), number(verdict.estimate)});
  const bool best_effort = job.deadline == infinite();
  if (judging_ && !best_effort && !rules_.bypass) {
    // The published walk over what is ahead and this job.
    std::vector<LiteralJob<Integer>> walk = {{reference::JobState::Ready, infinite(), total_, 0},
                                             {reference::JobState::Init, job.deadline, job.rem, job.dur}};
    literal_admission(walk, false);
    expect(verdict.accept ? 1 : 0, walk[1].state == JobState::Ready ? 1 : 0, "published admission");
  }
  ++counters_[verdict.accept ? kAccept : kReject];
  if (!verdict.accept) {
    set_state(q, JobState::Rejected);
    return;
  }
  set_state(q, JobState::Ready);
  visit_.job.isolated = job.isolated;
  visit_.job.token = job.token;
  visit_.job.external = external_[q];
  set_key(q, rank(rules_, visit_.job, job.rem, job.dur, true, threshold_));
  visit_.job.state = JobState::Ready;
  if (!best_effort) total_ += work_ahead(rules_, visit_.job, rates());
}

void Follower::prema(const Probes& probes) {
  const unsigned q = was_.queue;
  Slot& job = jobs_[q];
  if (was_.main_state == MainState::kR1) {
    if (live(job)) ranked_first_.push_back(job);
    if (probes.main_state == MainState::kR2) threshold_ = prema_threshold(ranked_first_);
    return;
  }
  if (was_.main_state == MainState::kR2) {
    if (!live(job)) return;
    ranked_.push_back(job);
    ranked_rem_[q] = job.rem;
    ranked_blocked_[q] = in_.df_vec.test(q);
    if (job.token >= threshold_ * 256) {
      job.preempted = false;
      preempted_.clear(q);
      set_key(q, {0, job.rem});
    } else {
      set_key(q, {1, power(48) - 1 - job.token});
    }
    return;
  }
  // R3: the whole ranking must be the order of the keys, and its victim must be the queue that is preempted.
  ++seen_.rankings;
  const PremaRanking ranking = prema_rank(ranked_, ranked_rem_, ranked_blocked_, threshold_);
  for (std::size_t i = 1; i < ranking.order.size(); ++i) {
    if (jobs_[ranking.order[i]].key < jobs_[ranking.order[i - 1]].key) problem("PREMA order");
  }
  bool blocked = false;
  for (const Job& candidate : ranked_) {
    blocked = blocked || (candidate.token >= threshold_ * 256 && ranked_blocked_[candidate.queue]);
  }
  if (!blocked) {
    preempted_.reset();
    for (Slot& other : jobs_) other.preempted = false;
  } else if (ranking.victim && live(jobs_[*ranking.victim]) && jobs_[*ranking.victim].open) {
    preempted_.set(*ranking.victim);
    jobs_[*ranking.victim].preempted = true;
    ++counters_[kPreempt];
  }
}

}  // namespace castor::lax::reference
