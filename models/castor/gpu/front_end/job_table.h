#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/job_record.h"

namespace castor::gpu {

/// The jobs that were accepted, at most one per queue, and the records of all that were judged (docs/gpu/jobs.md,
/// "Jobs"): which job a queue's kernels belong to, when it ends, and what its signal word says of it.
///
/// In a cycle: `placed` in F5, `completed` in F7, all else in F8. Where nobody judges, the end of a job is told by
/// `tell_ends` in the cycle after its last kernel.
class JobTable {
 public:
  /// `judged`: a job scheduler judges jobs and tells their ends; no kernel may be granted without one. Otherwise every
  /// job is accepted.
  JobTable(unsigned queues, bool judged, CompletionPort& host, base::StatisticGroup& statistics);

  [[nodiscard]] bool judged() const { return judged_; }
  /// The queue has a job.
  [[nodiscard]] bool has(unsigned queue) const { return jobs_[queue].has_value(); }
  /// The last kernel of the queue's job is all that is left of it.
  [[nodiscard]] bool one_left(unsigned queue) const { return jobs_[queue] && jobs_[queue]->left == 1; }
  /// Queues without a job.
  [[nodiscard]] const QueueMask& jobless() const { return jobless_; }
  /// Queues whose kernels may not be granted, because no job covers them.
  [[nodiscard]] const QueueMask& uncovered() const { return uncovered_; }
  /// In the order in which they were judged.
  [[nodiscard]] const std::vector<JobRecord>& records() const { return records_; }

  /// The verdict on a JOB packet, or, with ticket 0, on kernels that the front end announced itself. An append that is
  /// accepted has a job that it adds to.
  void judge(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now);
  /// The scheduler drops the queue's job before any of its TBs was placed. Returns its kernels that are not complete.
  [[nodiscard]] std::uint32_t give_up(const Verdict& verdict, Cycle now);
  /// A TB of a queue's kernel was placed; `last`: its kernel has no other.
  void placed(unsigned queue, bool last, Cycle now) {
    if (jobs_[queue]) note_placed(*jobs_[queue], last, now);
  }
  /// A kernel of the queue's job is complete. True if it was the last.
  [[nodiscard]] bool completed(unsigned queue, Cycle now);
  /// A job has ended, as its scheduler says.
  void end(const JobEnd& end, Cycle now);
  /// Ends of earlier cycles that nobody judges.
  void tell_ends(Cycle now);
  /// The same of one queue, before another job takes its place.
  void tell_end(unsigned queue, Cycle now);
  /// `tell_ends` has something to do in the next cycle.
  [[nodiscard]] bool ending() const { return !ended_.empty(); }

  /// All jobs are forgotten; their records stay.
  void abandon();

 private:
  /// The job whose kernels may enter the table.
  struct Job {
    Ticket ticket = 0;  ///< of its JOB packet; 0: announced by the front end
    std::uint64_t signal = 0;
    std::uint32_t deadline = JobPacket::kNoDeadline;
    std::uint64_t start = 0;
    std::uint32_t left = 0;  ///< kernel packets announced and not complete
    std::size_t record = 0;
    Cycle issued = 0;  ///< last TB of the kernel under way was placed; 0 = not yet
  };
  struct Ended {
    std::uint16_t queue = 0;
    Cycle kernel = 0;  ///< in which its last kernel completed
  };

  void begin(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now);
  void note_placed(Job& job, bool last, Cycle now);
  [[nodiscard]] JobEnd end_of(const Ended& ended) const;
  void update(unsigned queue);

  bool judged_;
  CompletionPort& host_;
  std::vector<std::optional<Job>> jobs_;
  QueueMask jobless_, uncovered_;
  std::deque<Ended> ended_;  // where nobody judges: to be told
  std::vector<JobRecord> records_;
  base::Counter jobs_ended_, jobs_met_, jobs_accepted_, jobs_rejected_;
};

}  // namespace castor::gpu
