#include "unit/lax/reference.h"

#include <algorithm>
#include <tuple>

namespace castor::lax::reference {
namespace {

constexpr unsigned kFraction = 256;

const Integer& most_groups() {
  static const Integer value = power(24) - 1;
  return value;
}

Integer limited(const Integer& value, const Integer& limit) { return value > limit ? limit : value; }

bool is_live(JobState state) { return state == JobState::Ready || state == JobState::Running; }

}  // namespace

Integer power(unsigned n) { return Integer(1) << n; }

const Integer& infinite() {
  static const Integer value = power(32) - 1;
  return value;
}

const Integer& longest() {
  static const Integer value = power(32) - 2;
  return value;
}

// ---- rates --------------------------------------------------------------------------------------------------------

const Integer& measured(RateMode mode, const Window& window) {
  switch (mode) {
    case RateMode::Wall:
      return window.wall;
    case RateMode::Instance:
      return window.instance;
    default:
      return window.active;
  }
}

Integer quotient(const Integer& time, const Integer& completed) {
  return limited(limited(time, infinite()) * kFraction / completed, infinite());
}

std::optional<Integer> refresh(const Rules& rules, const Window& window, const std::optional<Integer>& old,
                               std::optional<RateMode> taken) {
  if (window.completed < rules.min_groups) return std::nullopt;
  const Integer seen = quotient(measured(taken.value_or(rules.rate), window), window.completed);
  Integer next = seen;
  if (old && rules.rate == RateMode::PeakHold) {
    const Integer leaked = limited(*old + *old / power(rules.leak), infinite());
    next = std::min(seen, leaked);
  } else if (old) {
    // Moves a step towards the new value; rounding is downwards in both directions.
    const Integer distance = seen - *old;
    const Integer divisor = power(rules.ewma_shift);
    Integer step = distance / divisor;
    if (distance < 0 && step * divisor != distance) step -= 1;
    next = *old + step;
  }
  return std::max(next, Integer(1));
}

Rational exact_time_per_group(RateMode mode, const Window& window) {
  return Rational(measured(mode, window), window.completed);
}

// ---- remaining time and laxity ------------------------------------------------------------------------------------

Launches aggregated(const Launches& launches) {
  Launches result;
  for (const Launch& launch : launches) {
    const auto same =
        std::find_if(result.begin(), result.end(), [&](const Launch& other) { return other.kernel == launch.kernel; });
    if (same == result.end()) {
      result.push_back({launch.kernel, limited(launch.groups, most_groups())});
    } else {
      same->groups = limited(same->groups + launch.groups, most_groups());
    }
  }
  return result;
}

Integer remaining(const Launches& launches, const Table& time_per_group) {
  Integer sum = 0;
  for (const Launch& launch : launches) {
    const auto entry = time_per_group.find(launch.kernel);
    if (entry != time_per_group.end()) sum += launch.groups * entry->second;
  }
  return limited(sum / kFraction, longest());
}

Rational exact_remaining(const Launches& launches, const ExactTable& time_per_group) {
  Rational sum = 0;
  for (const Launch& launch : launches) {
    const auto entry = time_per_group.find(launch.kernel);
    if (entry != time_per_group.end()) sum += Rational(launch.groups) * entry->second;
  }
  return sum;
}

bool unprofiled(const Launches& launches, const Table& time_per_group) {
  return std::any_of(launches.begin(), launches.end(), [&](const Launch& launch) {
    return launch.groups > 0 && time_per_group.count(launch.kernel) == 0;
  });
}

Integer groups(const Launches& launches) {
  Integer sum = 0;
  for (const Launch& launch : launches) sum += launch.groups;
  return sum;
}

Integer duration(const Integer& now, const Integer& start, bool* future) {
  Integer elapsed = now - start;
  if (elapsed < 0) elapsed += power(48);
  const bool ahead = elapsed >= power(47);  // a difference of more than half the range means a time in the future
  if (future != nullptr) *future = ahead;
  return ahead ? Integer(0) : limited(elapsed, longest());
}

Integer laxity(const Integer& deadline, const Integer& remaining, const Integer& duration) {
  if (deadline == infinite()) return power(31) - 1;
  const Integer completion = limited(remaining + duration, longest());
  const Integer value = deadline - completion;
  return std::max(Integer(-power(31)), std::min(Integer(power(31) - 1), value));
}

// ---- priority -----------------------------------------------------------------------------------------------------

namespace {

Rank lax_rank(const Rules& rules, const Job& job, const Integer& remaining, const Integer& duration, bool fresh) {
  const bool best_effort = job.deadline == infinite();
  if (best_effort) return rules.classes ? Rank(2, job.start) : Rank(0, infinite());
  if (fresh && rules.initial == Initial::Highest) return {0, 0};
  std::optional<Integer> priority;
  const Integer completion = limited(remaining + duration, longest());
  const bool lowest = fresh && rules.initial == Initial::Lowest;
  if (!lowest) priority = literal_priority<Integer>(job.deadline, completion - duration, duration);
  if (!rules.classes) return {0, priority.value_or(infinite())};
  if (!priority) return {3, infinite()};
  return {job.deadline > completion ? 0 : 1, *priority};
}

}  // namespace

Rank rank(const Rules& rules, const Job& job, const Integer& remaining, const Integer& duration, bool fresh,
          unsigned threshold) {
  const Integer last = power(48) - 1;
  switch (rules.policy) {
    case Policy::Rr:
      return {0, 0};
    case Policy::Fcfs:
      return {0, job.start};
    case Policy::Edf:
      return {0, (job.start + job.deadline) % power(48)};
    case Policy::Sjf:
      return {0, job.isolated};
    case Policy::Ljf:
      return {0, last - job.isolated};
    case Policy::Srf:
      return {0, remaining};
    case Policy::Mlfq: {
      // The level is low between one third and two thirds of the deadline.
      const Rational age(duration), third(job.deadline, 3);
      return {age > third && age <= 2 * third ? 1 : 0, 0};
    }
    case Policy::Prema:
      return job.token >= threshold * kFraction ? Rank(0, remaining) : Rank(1, last - job.token);
    case Policy::Lax:
      return lax_rank(rules, job, remaining, duration, fresh);
    case Policy::Ext:
      return {0, job.external};
  }
  return {0, 0};
}

ExactRank exact_rank(const Integer& deadline, const Rational& remaining, const Integer& duration) {
  const auto priority = literal_priority<Rational>(Rational(deadline), remaining, Rational(duration));
  if (!priority) return {3, 0};
  return {Rational(deadline) > remaining + Rational(duration) ? 0 : 1, *priority};
}

namespace {

template <class Tie>
std::optional<unsigned> first_by(const std::vector<Ranked>& jobs, Tie tie) {
  const auto order = [&](const Ranked& entry) {
    return std::make_tuple(entry.rank.first, entry.rank.second, tie(entry.job), entry.job.queue);
  };
  const auto found =
      std::min_element(jobs.begin(), jobs.end(), [&](const Ranked& a, const Ranked& b) { return order(a) < order(b); });
  if (found == jobs.end()) return std::nullopt;
  return found->job.queue;
}

bool takes_turns(Policy policy) { return policy == Policy::Rr || policy == Policy::Mlfq; }

}  // namespace

std::optional<unsigned> first_to_parse(Policy policy, const std::vector<Ranked>& jobs, unsigned last_granted,
                                       unsigned queues) {
  return first_by(jobs, [&](const Job& job) -> std::uint64_t {
    if (!takes_turns(policy)) return job.arrival;
    unsigned steps = 0;  // distance from the queue after the last one granted
    for (unsigned q = (last_granted + 1) % queues; q != job.queue; q = (q + 1) % queues) ++steps;
    return steps;
  });
}

std::optional<unsigned> first_to_dispatch(Policy policy, const std::vector<Ranked>& jobs) {
  return first_by(jobs, [&](const Job& job) { return takes_turns(policy) ? job.parse_grant : job.arrival; });
}

// ---- admission ----------------------------------------------------------------------------------------------------

Integer work_ahead(const Rules& rules, const Job& job, const Table& table) {
  if (!is_live(job.state) || job.deadline == infinite()) return 0;
  if (rules.warm == Warm::DeadlineAhead && unprofiled(job.launches, table)) return job.deadline;
  return remaining(job.launches, table);
}

Verdict admit(const Rules& rules, const Job& job, const Integer& ahead, const Integer& now, const Table& table,
              bool someone_waits) {
  Verdict verdict;
  verdict.work = remaining(job.launches, table);
  verdict.duration = duration(now, job.start);
  verdict.work_ahead = ahead;
  const Integer alone = verdict.work + verdict.duration;
  const Integer total = ahead + alone;
  verdict.estimate = limited(total, infinite());
  const bool judged = rules.admit && (rules.policy == Policy::Lax || rules.policy == Policy::Ext);
  const bool best_effort = job.deadline == infinite();
  const bool bypassed = rules.bypass && job.fits && !someone_waits && alone < job.deadline;
  if (!judged || best_effort) {
    verdict.accept = true;
  } else if (verdict.duration >= job.deadline) {
    verdict.reason = Reason::Expired;
  } else if (total < job.deadline || bypassed) {
    verdict.accept = true;
  } else {
    verdict.reason = Reason::PredictMiss;
  }
  return verdict;
}

// ---- PREMA --------------------------------------------------------------------------------------------------------

Integer token_after(const Rules& rules, const Job& job, const Integer& since_last_update, const Integer& duration) {
  const bool executing = job.open && !job.preempted;
  if (executing) return job.token;
  const Integer waited = std::min(limited(since_last_update, infinite()), duration);
  const Integer gain = limited(rules.prema_priority * waited, infinite()) * kFraction / job.isolated;
  return limited(job.token + gain, power(24) - 1);
}

unsigned prema_threshold(const std::vector<Job>& live) {
  unsigned threshold = 1;
  for (const Job& job : live) {
    for (const unsigned level : {3U, 9U}) {
      if (job.token >= level * kFraction) threshold = std::max(threshold, level);
    }
  }
  return threshold;
}

PremaRanking prema_rank(const std::vector<Job>& live, const std::map<unsigned, Integer>& remaining,
                        const std::map<unsigned, bool>& blocked, unsigned threshold) {
  PremaRanking result;
  result.threshold = threshold != 0 ? threshold : prema_threshold(live);
  std::vector<const Job*> candidates, rest;
  for (const Job& job : live) {
    (job.token >= result.threshold * kFraction ? candidates : rest).push_back(&job);
  }
  const auto older = [](const Job* a, const Job* b) { return a->arrival < b->arrival; };
  std::sort(candidates.begin(), candidates.end(), older);
  std::sort(rest.begin(), rest.end(), older);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Job* a, const Job* b) { return remaining.at(a->queue) < remaining.at(b->queue); });
  std::stable_sort(rest.begin(), rest.end(), [](const Job* a, const Job* b) { return a->token > b->token; });
  bool stuck = false;
  for (const Job* job : candidates) {
    result.order.push_back(job->queue);
    const auto found = blocked.find(job->queue);
    stuck = stuck || (found != blocked.end() && found->second);
  }
  const Job* victim = nullptr;
  for (const Job* job : rest) {
    result.order.push_back(job->queue);
    if (!job->open || job->preempted) continue;
    const bool better =
        victim == nullptr || job->token < victim->token || (job->token == victim->token && job->queue > victim->queue);
    if (better) victim = job;
  }
  if (stuck && victim != nullptr) result.victim = victim->queue;
  return result;
}

// ---- submissions --------------------------------------------------------------------------------------------------

Reason check(const Submission& submission, bool enabled, JobState state, unsigned kernel_types, unsigned max_types) {
  if (!enabled) return Reason::NoJob;
  if (submission.append) {
    if (state == JobState::Init) return Reason::BusyQid;
    if (!is_live(state)) return Reason::NoJob;
  } else if (state != JobState::Free) {
    return Reason::BusyQid;
  }
  const auto known = [&](const Launch& beat) { return beat.kernel < kernel_types; };
  Launches known_beats;
  std::copy_if(submission.beats.begin(), submission.beats.end(), std::back_inserter(known_beats), known);
  const bool bad_list = submission.beats.size() != submission.announced || submission.announced == 0 ||
                        submission.announced > max_types || aggregated(known_beats).size() > max_types ||
                        groups(submission.beats) == 0;
  if (bad_list) return Reason::BadList;
  if (known_beats.size() != submission.beats.size()) return Reason::BadKid;
  if (!submission.append && submission.deadline == 0) return Reason::BadDeadline;
  return Reason::Ok;
}

std::optional<Launches> appended(const Launches& list, const Launches& beats, unsigned max_types) {
  Launches all = list;
  all.insert(all.end(), beats.begin(), beats.end());
  Launches result = aggregated(all);
  if (result.size() > max_types) return std::nullopt;
  return result;
}

}  // namespace castor::lax::reference
