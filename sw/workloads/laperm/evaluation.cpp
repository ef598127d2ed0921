#include "workloads/laperm/evaluation.h"

#include <cstdio>

namespace castor::workloads::laperm {

const std::vector<Latency>& latencies() {
  static const std::vector<Latency> kLatencies = {
      {0, {"cdp_rr_0", "cdp_adaptive_bind_0"}},
      {25, {"cdp_rr_25", "cdp_adaptive_bind_25"}},
      {50, {"cdp_rr_50", "cdp_adaptive_bind_50"}},
      {100, {kCdp.rr, kCdp.adaptive_bind}},
  };
  return kLatencies;
}

std::vector<std::string> of_studies() {
  return {"amr", "bht", "bfs_citation", "clr_citation", "pre", "regx_packets", "join_gaussian", "sssp_balanced"};
}

Figure l1_hits() { return quotient(count("l1_read_hit"), sum({"l1_read_hit", "l1_read_miss"})); }
Figure child_l1_hits() { return quotient(count("child_l1_hit"), sum({"child_l1_hit", "child_l1_miss"})); }
Figure l2_hits() {
  return quotient(count("kernel_l2_hit"), sum({"kernel_l2_hit", "kernel_l2_miss", "kernel_l2_merged"}));
}
Figure ipc() { return quotient(count("warp_instructions"), count("cycles")); }
Figure balance() { return quotient(count("occupancy_warps_sum"), count("fullest_sm_room")); }
Figure at_home() { return quotient(count("at_home"), count("child_blocks")); }
Figure stage(const char* name) { return quotient(count(name), count("tb_placed")); }
Figure in_memory() { return quotient(count("memory_writes"), count("pushes")); }

std::vector<std::string> misplaced(const Sample& sample, bool bound, bool steals) {
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
  equal("thread blocks seen", value("blocks_seen"), "started by SMs", value("tb_started"));
  equal("launches seen", value("launches_seen"), "admitted", value("launches"));
  equal("launches with a thread block", value("launches_placed"), "admitted", value("launches"));
  if (sample.count("pushes") == 0) return out;
  const double attached = sample.count("attached") != 0 ? sample.at("attached") : 0;
  equal("thread blocks of all stages", value("own") + value("host") + value("stolen"), "placed", value("tb_placed"));
  equal("kernels and groups pushed", value("pushes"), "that entered", value("kernels_parsed") + attached);
  equal("items written to memory", value("memory_writes"), "read back", value("memory_reads"));
  if (!steals) equal("thread blocks stolen", value("stolen"), "of none", 0);
  if (bound) equal("thread blocks on their parent's SM", value("at_home"), "of launches", value("child_blocks"));
  return out;
}

}  // namespace castor::workloads::laperm
