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

/// Table of accepted jobs, at most one per queue, and the records of all judged (accepted or rejected) jobs
/// (docs/gpu/jobs.md, "Jobs"). It knows to which job a queue's kernels belong, when a job ends, and the value of its
/// signal word. The front end owns the table.
///
/// In a cycle: `placed` in F5 (placement), `completed` in F7 (release), all other calls in F8 (parse). Without a job
/// scheduler that judges, `report_ends` reports the end of a job in the cycle after its last kernel.
class JobTable {
 public:
  /// `judged`: a job scheduler accepts or rejects jobs and reports their ends, and a kernel may be granted only as part
  /// of an accepted job. Otherwise every job is accepted.
  JobTable(unsigned queues, bool judged, CompletionPort& host, base::StatisticGroup& statistics);

  [[nodiscard]] bool judged() const { return judged_; }
  /// Returns whether the queue has a job.
  [[nodiscard]] bool has(unsigned queue) const { return jobs_[queue].has_value(); }
  /// Returns whether exactly one kernel of the queue's job is not complete.
  [[nodiscard]] bool one_left(unsigned queue) const { return jobs_[queue] && jobs_[queue]->left == 1; }
  /// Returns the queues without a job.
  [[nodiscard]] const QueueMask& jobless() const { return jobless_; }
  /// Returns the queues whose kernels may not be granted because they belong to no accepted job.
  [[nodiscard]] const QueueMask& uncovered() const { return uncovered_; }
  /// Returns the job records in the order in which the jobs were judged.
  [[nodiscard]] const std::vector<JobRecord>& records() const { return records_; }

  /// Records the verdict on a JOB packet. Ticket 0: the verdict on kernels that the front end announced itself. An
  /// accepted append must have a job to add to.
  void judge(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now);
  /// Drops the queue's job on the scheduler's request, before any of its TBs was placed. Returns the number of its
  /// kernels that are not complete.
  [[nodiscard]] std::uint32_t drop_job(const Verdict& verdict, Cycle now);
  /// Records that a TB of a queue's kernel was placed; `last`: it is the kernel's last TB.
  void placed(unsigned queue, bool last, Cycle now) {
    if (jobs_[queue]) note_placed(*jobs_[queue], last, now);
  }
  /// Records that a kernel of the queue's job is complete. Returns whether it was the job's last kernel.
  [[nodiscard]] bool completed(unsigned queue, Cycle now);
  /// Ends a job that its scheduler has declared ended.
  void end(const JobEnd& end, Cycle now);
  /// Reports the jobs that ended in earlier cycles to the host. Used without a job scheduler that judges.
  void report_ends(Cycle now);
  /// Reports the end of one queue's job, before the queue's next job replaces it.
  void report_end(unsigned queue, Cycle now);
  /// Returns whether `report_ends` has a job to report in the next cycle.
  [[nodiscard]] bool ending() const { return !ended_.empty(); }

  /// Forgets all jobs but keeps their records.
  void abandon();

 private:
  /// Job whose kernels may enter the kernel table.
  struct Job {
    Ticket ticket = 0;         ///< ticket of the JOB packet; 0: the front end announced the job itself
    std::uint64_t signal = 0;  ///< device address of the signal word; 0 without a JOB packet
    std::uint32_t deadline = JobPacket::kNoDeadline;
    std::uint64_t start = 0;  ///< cycle from which on latency is counted
    std::uint32_t left = 0;   ///< kernel packets announced and not complete
    std::size_t record = 0;   ///< index of the job's record
    Cycle issued = 0;         ///< cycle in which the current kernel's last TB was placed; 0 = not yet
  };
  struct Ended {
    std::uint16_t queue = 0;
    Cycle kernel = 0;  ///< completion cycle of the job's last kernel
  };

  void begin(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now);
  void note_placed(Job& job, bool last, Cycle now);
  [[nodiscard]] JobEnd end_of(const Ended& ended) const;
  void update(unsigned queue);

  bool judged_;
  CompletionPort& host_;
  std::vector<std::optional<Job>> jobs_;
  QueueMask jobless_, uncovered_;
  std::deque<Ended> ended_;  // ended jobs that are not reported yet; used without a scheduler that judges
  std::vector<JobRecord> records_;
  base::Counter jobs_ended_, jobs_met_, jobs_accepted_, jobs_rejected_;
};

}  // namespace castor::gpu
