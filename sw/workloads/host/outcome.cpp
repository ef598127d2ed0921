#include "workloads/host/outcome.h"

#include <algorithm>

namespace castor::workloads {

Metrics metrics(const JobStream& stream, const RunOutcome& outcome) {
  Metrics out;
  out.jobs = static_cast<unsigned>(stream.jobs.size());
  std::vector<Cycle> latencies;
  for (std::size_t i = 0; i < stream.jobs.size(); ++i) {
    const Job& job = stream.jobs[i];
    const JobOutcome& end = outcome.jobs[i];
    out.all_tbs += end.tbs;
    std::uint64_t left = end.tbs;
    for (const KernelCall& call : job.kernels) {
      const std::uint64_t tbs = std::min<std::uint64_t>(left, call.tbs);
      left -= tbs;
      const KernelType& type = stream.types[call.type];
      out.lane_cycles += tbs * type.threads * type.service;
    }
    if (end.end == JobOutcome::End::kRejected) ++out.rejected;
    if (end.end == JobOutcome::End::kOpen) ++out.open;
    if (!end.ran()) continue;
    latencies.push_back(end.finished - job.arrival);
    out.makespan = std::max(out.makespan, end.finished);
    if (end.met(job)) {
      ++out.met;
      out.useful_tbs += end.tbs;
    } else {
      ++out.late;
    }
  }
  if (latencies.empty()) return out;
  std::sort(latencies.begin(), latencies.end());
  out.longest = latencies.back();
  out.p99 = latencies[(latencies.size() * 99 + 99) / 100 - 1];
  return out;
}

}  // namespace castor::workloads
