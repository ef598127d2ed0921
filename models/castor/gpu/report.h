#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// What every report says about where it comes from: "versions" (of Castor, SystemC and the compiler) and "seeds".
void add_provenance(nlohmann::ordered_json& report, const Machine& machine);

/// The shares and rates of a run of the timing GPU, each with what it is made of (docs/gpu/counting.md, "Statistics"):
/// {name: {"value", "numerator", "denominator", "unit", "meaning"}}; "value" is null where the denominator is 0.
/// `picoseconds`: simulated time of the run. Statistics must be up to date.
[[nodiscard]] nlohmann::ordered_json ratios(const base::StatisticGroup& statistics, const Machine& machine,
                                            std::uint64_t picoseconds);

/// A value of a kernel in a report, for its document.
struct ReportField {
  const char* name;
  const char* unit;
  const char* meaning;
  bool timing_only;
};
/// Those of `kernel_json` and `timed_kernel_json`.
[[nodiscard]] const std::vector<ReportField>& kernel_fields();

/// A kernel in a report of any machine: its launch, what its program takes, instructions.
[[nodiscard]] nlohmann::ordered_json kernel_json(const KernelStatistics& kernel, const Machine& machine);
/// The same of the timing GPU, with what SMs did, traffic and counts.
[[nodiscard]] nlohmann::ordered_json timed_kernel_json(const KernelStatistics& kernel, const Machine& machine,
                                                       const base::Clock& clock);

/// Adds what has become of launches by device code beyond a limit, if there were any.
void add_launches_beyond(nlohmann::ordered_json& report, const LaunchesBeyond& beyond);
/// Lines for people about those that got lost; empty without.
[[nodiscard]] std::string lost_launches(const LaunchesBeyond& beyond);

/// A fault in a report.
[[nodiscard]] nlohmann::ordered_json fault_json(const Fault& fault);

/// What belongs to no kernel that is complete.
struct BesideKernels {
  SmTime none, several, incomplete;  ///< SMs without a thread block, with those of several kernels, of kernels that run
  std::uint64_t l1_bytes = 0;        ///< of kernels that run
  std::uint64_t l2_bytes = 0, dram_read_bytes = 0, dram_write_bytes = 0;  ///< and of copies and the front end
};
[[nodiscard]] nlohmann::ordered_json beside_kernels_json(const BesideKernels& beside);

/// A report (Device::report_json) as lines for people: kernels with cycles, time, thread blocks, instructions and
/// instructions per cycle, and of the timing GPU what the schedulers did, caches, DRAM and copies. Kernels of one name
/// share a line; of more than 20 names those with the most cycles have one. Errors: nlohmann::json::exception for a
/// text that is no report.
[[nodiscard]] std::string summary(const std::string& report_json);

}  // namespace castor::gpu
