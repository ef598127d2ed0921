#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/time.h"

namespace castor::workloads {

using base::Cycle;

/// A kernel type of a job stream.
struct KernelType {
  std::string name;
  std::uint32_t threads = 0;    ///< threads per TB
  std::uint32_t registers = 0;  ///< registers per thread
  std::uint32_t shared = 0;     ///< bytes of shared memory per TB
  std::uint32_t tbs = 0;        ///< TBs of the usual launch
  std::uint32_t service = 0;    ///< core cycles per TB at full speed
};

/// One launch of a kernel.
struct KernelCall {
  unsigned type = 0;      ///< index in JobStream::types
  std::uint32_t tbs = 0;  ///< thread blocks
};

/// A chain of dependent kernels with a deadline.
struct Job {
  static constexpr Cycle kNoDeadline = base::kForever;

  Cycle arrival = 0;                ///< core cycle in which the host receives the job
  Cycle deadline = kNoDeadline;     ///< core cycles after the arrival
  unsigned variant = 0;             ///< number of the job's variant in the workload
  std::vector<KernelCall> kernels;  ///< in order of execution, at least one

  /// Returns the number of TBs of the kernels from index `from` on.
  [[nodiscard]] std::uint64_t tbs(std::size_t from = 0) const;
};

/// Jobs that arrive at a host, open loop: arrival times do not depend on the device.
///
/// As a file (YAML, and therefore JSON):
///
///     job-stream: 1
///     name: pipeline
///     w0: 220                     # resident warps from which on all TBs slow down; left out: never
///     kernels:
///       - {name: gemm, threads: 256, registers: 128, shared: 0, tbs: 4, service: 191220}
///       - {name: act, threads: 64, registers: 23, tbs: 2, service: 13305}
///     jobs:
///       - {arrival: 0, deadline: 10500000, kernels: [gemm, act, {kernel: act, tbs: 1, times: 3}]}
///       - {arrival: 1000, kernels: [gemm]}             # no deadline: best effort
///
/// Times are core cycles. Instead of kernels and jobs a file can name a workload of the laxity engine's evaluation:
///
///     job-stream: 1
///     generate: {workload: LSTM, rate: high, jobs: 128, seed: 1}     # rate: low, medium, high, or jobs per second
struct JobStream {
  std::string name;
  std::uint64_t w0 = 0;  ///< number of resident warps above which TBs slow down; 0 = TBs never slow each other down
  std::vector<KernelType> types;
  std::vector<Job> jobs;  ///< jobs in ascending order of arrival

  /// Returns the job's cycles at full speed from kernel `from` on, on an otherwise idle device without overhead between
  /// kernels. A kernel with more TBs than fit (`slots` per type; 0: no limit) takes several rounds.
  [[nodiscard]] Cycle isolated(const Job& job, const std::vector<std::uint64_t>& slots = {},
                               std::size_t from = 0) const;
  /// Returns the kernel types as a file of the replay tier (docs/gpu/replay.md, "Replay tier").
  [[nodiscard]] std::string replay_text() const;
  /// Returns the stream as a file; parsing the file gives the same stream.
  [[nodiscard]] std::string to_yaml() const;
};

/// Parses a job stream. `file`: name for messages. Throws InputError with file and line for anything that is not a job
/// stream: unknown or missing keys, values out of range, kernels without a definition, arrivals out of order.
[[nodiscard]] JobStream parse_job_stream(std::string_view text, const std::string& file);
/// Reads a job stream from a file of at most 64 MiB. Throws InputError like parse_job_stream().
[[nodiscard]] JobStream read_job_stream(const std::string& path);

}  // namespace castor::workloads
