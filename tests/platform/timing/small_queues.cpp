#include "platform/timing/small_queues.h"

#include <algorithm>

#include "castor/base/rng.h"
#include "platform/timing/predictions.h"
#include "platforms/machines.h"

namespace castor::gpu::timing_test {
namespace {

std::string set(const std::string& key, std::uint64_t value) { return key + "=" + std::to_string(value); }

/// Returns the smallest legal value of a key, before `above` is added.
std::uint64_t least(const Machine& m, const std::string& key) {
  if (key == "l1.miss_queue" || key == "l2.miss_queue") return 2;
  if (key == "xbar.fifo_flits") return static_cast<std::uint64_t>(flits(m, m.l1.line));
  if (key == "dram.queue") return m.l2.slices / m.dram.channels;
  return 1;
}

std::vector<std::string> overrides(const Machine& m, const std::string& key, std::uint64_t above) {
  const std::uint64_t value = least(m, key) + above;
  if (key == "rf.collectors" && m.rf.collectors == 0) return {};
  if (key == "l1.ways") return {set(key, value), "l1.sets=1"};
  if (key == "l2.ways") return {set("l2.ways", value), "l2.sets=1", set("l2.bytes", value * m.l2.line * m.l2.slices)};
  if (key == "icache.mshrs") return {set(key, value), "icache.ideal=0"};
  if (key == "sm.tb_slots") return {set(key, std::min<std::uint64_t>(value, m.sm.tb_slots))};
  return {set(key, value)};
}

}  // namespace

std::vector<std::string> smallest_key(const std::string& machine, const std::string& key) {
  return overrides(platforms::load_machine(machine).machine, key, 0);
}

std::vector<std::string> smallest_queues(const std::string& machine) {
  std::vector<std::string> all;
  for (const std::string& key : kQueueKeys) {
    for (const std::string& one : smallest_key(machine, key)) all.push_back(one);
  }
  return all;
}

std::vector<std::string> random_queues(const std::string& machine, std::uint64_t seed) {
  base::Xoshiro256 random(seed);
  const Machine m = platforms::load_machine(machine).machine;
  std::vector<std::string> all;
  for (const std::string& key : kQueueKeys) {
    for (const std::string& one : overrides(m, key, random.below(8))) all.push_back(one);
  }
  // Ways of working: the shipped one or another.
  struct Mode {
    const char* key;
    std::vector<const char*> values;
  };
  const std::vector<Mode> modes = {
      {"xbar.voq", {"0", "1"}},
      {"acquire.mode", {"stamp", "flush"}},
      {"ibuffer.refill", {"empty", "slot"}},
      {"issue.policy", {"gto", "lrr", "oldest"}},
      {"dispatch.search", {"rr_all", "rr_one"}},
      {"dispatch.bypass", {"off", "sticky"}},
      {"l1.sectored", {"0", "1"}},
      {"l1.caches_global", {"0", "1"}},
      {"l1.local_write_back", {"0", "1"}},
      {"l1.banks", {"1", "2", "3"}},
      {"l1.access_latency", {"1", "7", "35"}},
      {"map.hash", {"off", "xor"}},
      {"dram.trefi", {"0", "400"}},
      {"dram.faw", {"0", "50"}},
      {"map.bank_hash", {"off", "xor"}},
      {"l1.set_hash", {"off", "xor"}},
      {"l2.set_hash", {"off", "xor"}},
      {"tlb.l1_entries", {"0", "16", "32"}},
      {"tlb.page_bytes", {"4096", "65536", "2097152"}},
      {"tlb.l2_latency", {"1", "20"}},
      {"tlb.walk_latency", {"1", "300"}},
      {"tlb.walkers", {"1", "8"}},
  };
  for (const Mode& mode : modes) {
    const auto choice = random.below(2 * mode.values.size());
    if (choice < mode.values.size()) all.push_back(std::string(mode.key) + "=" + mode.values[choice]);
  }
  return all;
}

}  // namespace castor::gpu::timing_test
