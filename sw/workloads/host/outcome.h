#pragma once

#include <cstdint>
#include <vector>

#include "workloads/host/host.h"

namespace castor::workloads {

/// How a job went. Times in core cycles.
struct JobOutcome {
  enum class End : std::uint8_t { kOpen, kRejected, kDone };
  End end = End::kOpen;   ///< kOpen: it was never finished, nor refused
  Cycle started = 0;      ///< cycle in which its first TB was placed; of jobs with `tbs` > 0
  Cycle finished = 0;     ///< cycle in which its last kernel was complete
  std::uint64_t tbs = 0;  ///< of its kernels that ran

  [[nodiscard]] bool ran() const { return end == End::kDone; }
  [[nodiscard]] bool met(const Job& job) const {
    return ran() && (job.deadline == Job::kNoDeadline || finished - job.arrival <= job.deadline);
  }
};

/// A whole run.
struct RunOutcome {
  std::vector<JobOutcome> jobs;  ///< by JobIndex
  Cycle cycles = 0;              ///< until the device had nothing to do any more
};

/// Figures of a run (docs/results/lax.md, "Metrics").
struct Metrics {
  unsigned jobs = 0, met = 0, late = 0, rejected = 0, open = 0;
  std::uint64_t useful_tbs = 0;     ///< of jobs that met their deadline
  std::uint64_t all_tbs = 0;        ///< that ran
  Cycle p99 = 0;                    ///< latency of jobs that ran, nearest rank; 0 if none did
  Cycle longest = 0, makespan = 0;  ///< latency; last completion
  std::uint64_t lane_cycles = 0;    ///< of all TBs that ran, at full speed: what energy is proportional to
};
[[nodiscard]] Metrics metrics(const JobStream& stream, const RunOutcome& outcome);

}  // namespace castor::workloads
