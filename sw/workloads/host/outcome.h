#pragma once

#include <cstdint>
#include <vector>

#include "workloads/host/host.h"

namespace castor::workloads {

/// Result of a job. Times are core cycles.
struct JobOutcome {
  enum class End : std::uint8_t { kOpen, kRejected, kDone };
  End end = End::kOpen;   ///< kOpen: neither finished nor rejected
  Cycle started = 0;      ///< cycle in which the job's first TB was placed; valid if `tbs` > 0
  Cycle finished = 0;     ///< cycle in which the job's last kernel completed
  std::uint64_t tbs = 0;  ///< TBs of the job's kernels that ran

  [[nodiscard]] bool ran() const { return end == End::kDone; }
  /// Returns whether the job ran and met its deadline, if it has one.
  [[nodiscard]] bool met(const Job& job) const {
    return ran() && (job.deadline == Job::kNoDeadline || finished - job.arrival <= job.deadline);
  }
};

/// Result of a run.
struct RunOutcome {
  std::vector<JobOutcome> jobs;  ///< result of each job, indexed by JobIndex
  Cycle cycles = 0;              ///< cycle in which the device became idle for good
};

/// Figures of a run (docs/results/lax.md, "Metrics").
struct Metrics {
  unsigned jobs = 0, met = 0, late = 0, rejected = 0, open = 0;
  std::uint64_t useful_tbs = 0;     ///< TBs of jobs that met their deadline
  std::uint64_t all_tbs = 0;        ///< TBs of all kernels that ran
  Cycle p99 = 0;                    ///< 99th percentile of the latency of jobs that ran, by nearest rank; 0 if none ran
  Cycle longest = 0, makespan = 0;  ///< longest latency of a job; and cycle of the last completion
  std::uint64_t lane_cycles = 0;  ///< threads x cycles at full speed of all TBs that ran; energy is proportional to it
};
/// Computes the figures of a run.
[[nodiscard]] Metrics metrics(const JobStream& stream, const RunOutcome& outcome);

}  // namespace castor::workloads
