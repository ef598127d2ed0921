#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The algorithms of the laxity engine in their plain, untimed form: what is computed, not in which cycle. Everything
/// exists twice: over whole numbers of any size, rounded and limited as the block does (docs/blocks/lax.md,
/// "Arithmetic"), and over fractions, without rounding and without limits. Shares no code with the engine.
///
/// Limits: knows no cycle, port or register; callers say what was counted and when.
namespace castor::lax::reference {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

/// 2^n.
[[nodiscard]] Integer power(unsigned n);

/// Returns 2^32-1 cycles, which means "none" as a deadline and "never" as a priority.
[[nodiscard]] const Integer& infinite();
/// Returns the longest time that can be represented: 2^32-2 cycles.
[[nodiscard]] const Integer& longest();

/// Policies, with the numbers of the control register.
enum class Policy : unsigned { Rr, Fcfs, Edf, Sjf, Ljf, Srf, Mlfq, Prema, Lax, Ext };
enum class RateMode : unsigned { Wall, Active, Instance, PeakHold };
/// Estimated cost, for later jobs, of a kernel type without a measured rate.
enum class Warm : unsigned { Optimistic, DeadlineAhead, Preload };
/// Priority of a job from its admission to the next update.
enum class Initial : unsigned { Highest, Lowest, Computed };
enum class JobState : unsigned { Free, Init, Ready, Running, Done, Rejected };
enum class Reason : unsigned { Ok, PredictMiss, Expired, BusyQid, BadList, BadKid, BadDeadline, NoJob };

/// Settings that affect results. Defaults are those after reset.
struct Rules {
  Policy policy = Policy::Lax;
  RateMode rate = RateMode::Active;
  Warm warm = Warm::DeadlineAhead;
  Initial initial = Initial::Highest;
  bool admit = true;
  bool classes = true;  ///< false: one number per job, as published
  bool bypass = false;
  unsigned min_groups = 1;
  unsigned ewma_shift = 0;
  unsigned leak = 3;
  unsigned prema_priority = 1;
};

// ---- rates (docs/blocks/lax.md, "Rates") --------------------------------------------------------------------------

/// Measurements of one kernel type since its window opened. Times are in cycles, not limited.
struct Window {
  Integer completed;  ///< thread blocks completed
  Integer wall;       ///< length of the window
  Integer active;     ///< cycles with at least one instance in flight
  Integer instance;   ///< sum over the cycles of the instances in flight
};

/// Returns the time, in cycles, that the mode divides by the completions.
[[nodiscard]] const Integer& measured(RateMode mode, const Window& window);

/// Returns the time per thread block in units of 1/256 cycle: `floor(256 * time / completed)`, limited to 32 bits.
/// `time` must already be limited. `completed` must be at least 1.
[[nodiscard]] Integer quotient(const Integer& time, const Integer& completed);

/// Returns the estimate after a refresh, in 1/256 cycle, at least 1. Returns nothing if too few thread blocks
/// completed: the window then stays open, and the old estimate holds. `taken`: the mode by which the time was measured,
/// if another mode was set when the window ended.
[[nodiscard]] std::optional<Integer> refresh(const Rules& rules, const Window& window,
                                             const std::optional<Integer>& old,
                                             std::optional<RateMode> taken = std::nullopt);

/// Returns the cycles per thread block without rounding, for the modes that replace the old estimate.
[[nodiscard]] Rational exact_time_per_group(RateMode mode, const Window& window);

/// Estimates by kernel type: 1/256 cycles, or cycles as a fraction. Absent: never measured.
using Table = std::map<unsigned, Integer>;
using ExactTable = std::map<unsigned, Rational>;

// ---- remaining time and laxity (docs/blocks/lax.md, "Remaining time and laxity") ----------------------------------

/// One launch of a kernel: the source's list has one element for each, also if the kernel was launched before.
struct Launch {
  unsigned kernel = 0;
  Integer groups;  ///< thread blocks not yet completed
};
using Launches = std::vector<Launch>;

/// Returns one element per kernel type, in the order of first appearance. Counts saturate at 2^24-1.
[[nodiscard]] Launches aggregated(const Launches& launches);

/// Returns the remaining time in cycles: the sum of products in 1/256 cycle, rounded down once, then limited. Kernel
/// types without an estimate add nothing.
[[nodiscard]] Integer remaining(const Launches& launches, const Table& time_per_group);
[[nodiscard]] Rational exact_remaining(const Launches& launches, const ExactTable& time_per_group);

/// Whether thread blocks of a kernel type without estimate are left.
[[nodiscard]] bool unprofiled(const Launches& launches, const Table& time_per_group);

/// Returns the number of remaining thread blocks, over all kernel types.
[[nodiscard]] Integer groups(const Launches& launches);

/// Cycles since `start`, limited; times are 48 bits and wrap. 0 and `future` set if `start` lies ahead of `now`.
[[nodiscard]] Integer duration(const Integer& now, const Integer& start, bool* future = nullptr);

/// Returns the predicted time between the job's completion and its deadline, limited to signed 32 bits. It is negative
/// if the job is predicted to miss. Without a deadline it is the largest number.
[[nodiscard]] Integer laxity(const Integer& deadline, const Integer& remaining, const Integer& duration);

// ---- priority (docs/blocks/lax.md, "Policies") --------------------------------------------------------------------

/// Inputs of a policy.
struct Job {
  unsigned queue = 0;
  JobState state = JobState::Free;
  Integer start;         ///< cycle of its arrival, 48 bits
  Integer deadline;      ///< cycles after `start`, or infinite()
  Launches launches;     ///< work left
  Integer isolated = 1;  ///< predicted time alone at arrival, at least 1
  Integer token;         ///< PREMA, 1/256
  Integer external;      ///< priority written by the host
  bool open = false;     ///< a kernel instance has started and is not complete
  bool preempted = false;
  bool fits = false;              ///< the dispatcher reported that the first kernel fits at once
  std::uint64_t arrival = 0;      ///< number of the arrival
  std::uint64_t parse_grant = 0;  ///< number of the latest parse grant
};

/// Ranks are compared by level, then by value; the smaller one comes first.
using Rank = std::pair<Integer, Integer>;
using ExactRank = std::pair<int, Rational>;

/// Returns the rank of a job by the policy. `fresh`: no update has visited the job since its admission. `threshold`:
/// PREMA's threshold in whole tokens.
[[nodiscard]] Rank rank(const Rules& rules, const Job& job, const Integer& remaining, const Integer& duration,
                        bool fresh, unsigned threshold = 1);

/// Returns the rank by laxity without rounding and without limits.
[[nodiscard]] ExactRank exact_rank(const Integer& deadline, const Rational& remaining, const Integer& duration);

/// The second published algorithm, word for word. Returns one number per job; nothing for INF, which ranks behind all
/// others.
template <class Number>
[[nodiscard]] std::optional<Number> literal_priority(const Number& deadline, const Number& remaining,
                                                     const Number& duration) {
  const Number completion = remaining + duration;
  if (duration > deadline) return std::nullopt;
  if (deadline > completion) return Number(deadline - completion);
  return completion;
}

/// True if priority `a` is strictly before `b`.
template <class Number>
[[nodiscard]] bool literal_before(const std::optional<Number>& a, const std::optional<Number>& b) {
  if (!a) return false;
  return !b || *a < *b;
}

/// The queue that comes first among `jobs` (all eligible): by rank, then by the policy's tie, then by queue number.
/// Nothing if there are none.
struct Ranked {
  Job job;
  Rank rank;
};
/// Returns the first job to be parsed. `last_granted`: queue of the latest parse grant; `queues`: number of queues.
[[nodiscard]] std::optional<unsigned> first_to_parse(Policy policy, const std::vector<Ranked>& jobs,
                                                     unsigned last_granted, unsigned queues);
[[nodiscard]] std::optional<unsigned> first_to_dispatch(Policy policy, const std::vector<Ranked>& jobs);

// ---- admission (docs/blocks/lax.md, "Admission") ------------------------------------------------------------------

struct Verdict {
  bool accept = false;
  Reason reason = Reason::Ok;
  Integer estimate;    ///< cycles from arrival to the predicted completion, limited to 32 bits
  Integer work;        ///< remaining time of the job itself
  Integer duration;    ///< age at admission
  Integer work_ahead;  ///< remaining time of the jobs ahead of it
};

/// Returns the work of a live job that counts ahead of a new job: its remaining time, or its whole deadline while its
/// rate is unknown. Returns 0 for a job without deadline and for a job that is not live.
[[nodiscard]] Integer work_ahead(const Rules& rules, const Job& job, const Table& table);

/// Returns the verdict on one job behind `ahead` cycles of work. `someone_waits`: an admitted job has no kernel open.
[[nodiscard]] Verdict admit(const Rules& rules, const Job& job, const Integer& ahead, const Integer& now,
                            const Table& table, bool someone_waits);

/// The first published algorithm over jobs in order of arrival, new ones marked `Init`: the states that it leaves.
/// `retest`: judge those too that were admitted before, as printed.
template <class Number>
struct LiteralJob {
  JobState state = JobState::Init;
  Number deadline, remaining, duration;
};
template <class Number>
void literal_admission(std::vector<LiteralJob<Number>>& jobs, bool retest) {
  Number total = 0;
  for (LiteralJob<Number>& job : jobs) {
    if (job.state == JobState::Free || job.state == JobState::Done || job.state == JobState::Rejected) continue;
    if (retest || job.state == JobState::Init) {
      if (total + job.remaining + job.duration < job.deadline) {
        job.state = JobState::Ready;
        total += job.remaining;
      } else {
        job.state = JobState::Rejected;
      }
    } else {
      total += job.remaining;
    }
  }
}

// ---- PREMA (docs/blocks/lax.md, "Policies") -----------------------------------------------------------------------

/// Tokens (1/256) after an update: a job that waits gains the time it waited over its isolated time.
[[nodiscard]] Integer token_after(const Rules& rules, const Job& job, const Integer& since_last_update,
                                  const Integer& duration);

/// Returns the largest of 1, 3 and 9 that does not exceed the largest token; 1 if there is none.
[[nodiscard]] unsigned prema_threshold(const std::vector<Job>& live);

struct PremaRanking {
  unsigned threshold = 1;
  std::vector<unsigned> order;  ///< queues: candidates by remaining time, then the others by tokens
  std::optional<unsigned> victim;
};
/// Ranks the live jobs. `blocked[q]`: a parsed kernel of queue q does not fit. `remaining[q]`: as of the last update.
/// `threshold`: if not 0, the threshold found before.
[[nodiscard]] PremaRanking prema_rank(const std::vector<Job>& live, const std::map<unsigned, Integer>& remaining,
                                      const std::map<unsigned, bool>& blocked, unsigned threshold = 0);

// ---- submissions (docs/blocks/lax.md, "Submission") ---------------------------------------------------------------

struct Submission {
  unsigned queue = 0;
  unsigned announced = 0;  ///< number of beats in the header
  bool append = false;
  Integer deadline, start;
  bool fits = false;
  Launches beats;  ///< as sent
};

/// Returns the first reason to reject a submission that needs no prediction; `Ok` if there is none. `state`: state of
/// the queue.
[[nodiscard]] Reason check(const Submission& submission, bool enabled, JobState state, unsigned kernel_types,
                           unsigned max_types);

/// Adds work to a job: the new list, or nothing if it needs more than `max_types` kernel types.
[[nodiscard]] std::optional<Launches> appended(const Launches& list, const Launches& beats, unsigned max_types);

}  // namespace castor::lax::reference
