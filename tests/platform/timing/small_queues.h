#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Machines with the smallest queues that are legal, for tests of order and of deadlock.
namespace castor::gpu::timing_test {

/// Keys of queues, tables and caches that `smallest_key` knows. "l1.ways" and "l2.ways" stand for a cache of one line
/// (per slice).
inline const std::vector<std::string> kQueueKeys = {
    "lsu.queue",       "l1.mshrs",          "l1.merges",     "l1.miss_queue", "l1.ways",
    "xbar.fifo_flits", "l2.mshrs",          "l2.merges",     "l2.miss_queue", "l2.ways",
    "dram.queue",      "dram.return_queue", "rf.collectors", "done_fifo",     "parse.lanes",
    "table.entries",   "icache.mshrs",      "sm.tb_slots",   "fetch.warps",   "fetch.insns"};

/// Returns overrides that set one key to its smallest legal value; empty if the machine does not have the part.
std::vector<std::string> smallest_key(const std::string& machine, const std::string& key);

/// Returns settings that give every queue its smallest legal size.
std::vector<std::string> smallest_queues(const std::string& machine);

/// Returns settings that give every queue its smallest legal size plus a random 0 to 7, and draw other modes (caches,
/// policies) at random.
std::vector<std::string> random_queues(const std::string& machine, std::uint64_t seed);

}  // namespace castor::gpu::timing_test
