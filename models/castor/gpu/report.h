#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Adds the provenance of a report: "versions" (of Castor, SystemC and the compiler) and "seeds".
void add_provenance(nlohmann::ordered_json& report, const Machine& machine);

/// Returns the shares and rates of a run of the timing GPU, with their operands (docs/gpu/counting.md, "Statistics"):
/// {name: {"value", "numerator", "denominator", "unit", "meaning"}}. "value" is null where the denominator is 0.
/// `picoseconds`: simulated time of the run. Statistics must be up to date.
[[nodiscard]] nlohmann::ordered_json ratios(const base::StatisticGroup& statistics, const Machine& machine,
                                            std::uint64_t picoseconds);

/// Description of one field of a kernel in a report; the documentation is generated from it.
struct ReportField {
  const char* name;
  const char* unit;
  const char* meaning;
  bool timing_only;
};
/// Returns the fields that `kernel_json` and `timed_kernel_json` write.
[[nodiscard]] const std::vector<ReportField>& kernel_fields();

/// Returns a kernel's report entry for any machine: launch, resources of its program, instruction counts.
[[nodiscard]] nlohmann::ordered_json kernel_json(const KernelStatistics& kernel, const Machine& machine);
/// Returns a kernel's report entry for the timing GPU: the entry of `kernel_json` with SM activity, traffic and counts
/// added.
[[nodiscard]] nlohmann::ordered_json timed_kernel_json(const KernelStatistics& kernel, const Machine& machine,
                                                       const base::Clock& clock);

/// Adds the counts of launches by device code beyond a limit, if there were any.
void add_launches_beyond(nlohmann::ordered_json& report, const LaunchesBeyond& beyond);
/// Returns lines that tell users about refused launches; empty if there were none.
[[nodiscard]] std::string lost_launches(const LaunchesBeyond& beyond);

/// Returns the reason of the end of a run after `kernels` kernels (run.stop_after), for users.
[[nodiscard]] std::string stopped_text(std::uint64_t kernels);

/// Returns a fault's report entry.
[[nodiscard]] nlohmann::ordered_json fault_json(const Fault& fault);

/// Counts that belong to no completed kernel.
struct BesideKernels {
  /// Time of SMs without a TB (`none`); with TBs of several kernels (`several`); with TBs of kernels that still run.
  SmTime none, several, incomplete;
  std::uint64_t l1_bytes = 0;  ///< L1 bytes of kernels that still run
  /// Bytes of kernels that still run, of copies and of the front end.
  std::uint64_t l2_bytes = 0, dram_read_bytes = 0, dram_write_bytes = 0;
};
[[nodiscard]] nlohmann::ordered_json beside_kernels_json(const BesideKernels& beside);

/// Returns a report (Device::report_json) as lines for users: kernels with cycles, time, thread blocks, instructions
/// and instructions per cycle. The lines for the timing GPU also show scheduler activity, caches, DRAM and copies.
/// Kernels of the same name share a line. If there are more than 20 names, only those with the most cycles get a line.
/// Errors: nlohmann::json::exception if the text is no report.
[[nodiscard]] std::string summary(const std::string& report_json);

}  // namespace castor::gpu
