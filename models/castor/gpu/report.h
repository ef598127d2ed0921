#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// What every report says about where it comes from: "versions" (of Castor, SystemC and the compiler) and "seeds".
void add_provenance(nlohmann::ordered_json& report, const Machine& machine);

/// The shares and rates of a run of the timing GPU, each with what it is made of (docs/gpu.md, "Statistics"):
/// {name: {"value", "numerator", "denominator", "unit", "meaning"}}; "value" is null where the denominator is 0.
/// `picoseconds`: simulated time of the run. Statistics must be up to date.
[[nodiscard]] nlohmann::ordered_json ratios(const base::StatisticGroup& statistics, const Machine& machine,
                                            std::uint64_t picoseconds);

/// A report (Device::report_json) as lines for people: kernels with cycles, time, thread blocks, instructions and
/// instructions per cycle, and of the timing GPU what the schedulers did, caches, DRAM and copies. Kernels of one name
/// share a line; of more than 20 names those with the most cycles have one. Errors: nlohmann::json::exception for a
/// text that is no report.
[[nodiscard]] std::string summary(const std::string& report_json);

}  // namespace castor::gpu
