#include "workloads/cdp/evaluation.h"

#include <cstdio>
#include <utility>

namespace castor::workloads::cdp {

Figure cycles() { return count("cycles"); }
Figure warp_activity() { return quotient(count("thread_instructions"), count("lane_slots")); }
Figure dram_efficiency() { return quotient(count("dram_busy"), count("dram_n_activity")); }
Figure occupancy() { return quotient(count("occupancy_warps_sum"), count("warp_room")); }
Figure child_occupancy() { return quotient(count("occupancy_device_warps_sum"), count("warp_room")); }
Figure waiting() { return quotient(count("wait_sum"), count("launches")); }
Figure transactions() { return quotient(count("coalesced_lines"), count("global_instructions")); }
Figure replays() { return quotient(count("replays"), count("memory_instructions")); }
Figure child_threads() { return quotient(count("child_threads"), count("launches")); }

std::string flat_of(const std::string& system) {
  const std::size_t end = system.find(' ');
  return kFlat + (end == std::string::npos ? "" : system.substr(end));
}

double launch_share(const Evaluation& evaluation, const std::string& program, const std::string& ideal,
                    const std::string& real) {
  return 1 - evaluation.ratio({program}, ideal, real, cycles()).mean;
}

std::vector<std::pair<unsigned, double>> slopes(const LaunchPath::BySize& series) {
  std::vector<std::pair<unsigned, double>> out;
  for (auto at = series.begin(); at != series.end(); ++at) {
    const auto next = std::next(at);
    if (next == series.end()) break;
    out.emplace_back(next->first, (next->second.at("cycles") - at->second.at("cycles")) / (next->first - at->first));
  }
  return out;
}

std::vector<std::string> unbalanced(const Sample& sample) {
  std::vector<std::string> out;
  const auto value = [&](const char* name) {
    const auto found = sample.find(name);
    return found == sample.end() ? -1 : found->second;
  };
  const auto equal = [&](const char* a, double left, const char* b, double right) {
    if (left == right) return;
    char text[128];
    std::snprintf(text, sizeof text, "%s %.0f, %s %.0f", a, left, b, right);
    out.emplace_back(text);
  };
  const double launches = value("launches"), kernels = value("host_kernels") + launches,
               blocks = value("thread_blocks");
  if (sample.count("counted") != 0) equal("launches counted by the program", value("counted"), "admitted", launches);
  if (sample.count("failed") != 0) equal("launches that failed", value("failed"), "of none", 0);
  equal("launches admitted", launches, "granted", value("granted"));
  equal("launches admitted", launches, "completed", value("ended"));
  equal("launches dropped", value("dropped"), "of none", 0);
  equal("kernels launched", kernels, "started", value("kernels_parsed"));
  equal("kernels launched", kernels, "completed", value("kernels_completed"));
  equal("thread blocks launched", blocks, "placed", value("tb_placed"));
  equal("thread blocks launched", blocks, "retired", value("tb_retired"));
  equal("thread blocks placed", value("tb_placed"), "started by SMs", value("tb_started"));
  equal("thread blocks retired", value("tb_retired"), "retired by SMs", value("tb_left"));
  return out;
}

}  // namespace castor::workloads::cdp
