#include "workloads/children/figures.h"

#include <cstdio>
#include <utility>

namespace castor::workloads::children {

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
  const auto or_none = [&](const char* name) { return sample.count(name) != 0 ? sample.at(name) : 0; };
  const double launches = value("launches"), attached = or_none("attached"), own = launches - attached,
               kernels = value("host_kernels") + or_none("warm_kernels") + own, blocks = value("thread_blocks");
  if (sample.count("counted") != 0) equal("launches counted by the program", value("counted"), "admitted", launches);
  if (sample.count("failed") != 0) equal("launches that failed", value("failed"), "of none", 0);
  if (sample.count("groups") != 0) {
    equal("groups launched", value("groups"), "attached or fallen back", attached + value("fallbacks"));
    equal("launches that are groups", value("groups"), "all or none", value("groups") == 0 ? 0 : launches);
  }
  if (sample.count("kde_hits") != 0) {
    equal("groups that found a kernel", value("kde_hits"), "attached", attached);
    equal("groups that found none", value("kde_misses"), "fallen back", value("fallbacks"));
    equal("groups in the table or in memory", value("agt_hits") + value("agt_misses"), "attached", attached);
  }
  equal("launches that are kernels", own, "granted", value("granted"));
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

}  // namespace castor::workloads::children
