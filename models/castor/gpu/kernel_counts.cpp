#include "castor/gpu/kernel_counts.h"

#include <array>
#include <string>

namespace castor::gpu {
namespace {

enum Count : std::size_t {
  kCoalescedLines,
  kSectors,
  kL1ReadHit,
  kL1ReadMiss,
  kL1WriteHit,
  kL1WriteMiss,
  kPrimaryMisses,
  kMerged,
  kStaleRefetch,
  kStaleHit,
  kReservationFail,
  kOutsideReads,
  kL2Hit,
  kL2Miss,
  kL2Merged,
  kL2EvictDirty,
  kMemoryReadBytes,
  kMemoryWriteBytes,
  kCounts
};

constexpr std::array<base::StatisticInfo, kCounts> kInfos = {{
    {"coalesced_lines", "transactions", "line accesses of global and local instructions"},
    {"sectors", "sectors", "32-byte sectors that those touch"},
    {"l1_read_hit", "accesses", "line accesses of cached loads that found all bytes"},
    {"l1_read_miss", "accesses", "line accesses of cached loads that did not"},
    {"l1_write_hit", "accesses", "line accesses of cached stores that found their bytes"},
    {"l1_write_miss", "accesses", "line accesses of cached stores that did not"},
    {"primary_misses", "accesses", "read misses that created a request"},
    {"merged", "accesses", "read misses that joined a request under way"},
    {"stale_refetch", "accesses", "loads that found their line older than the acquire cycle of their thread block"},
    {"stale_hit", "accesses", "hits whose bytes differed from memory (check.stale)"},
    {"reservation_fail", "ticks", "its access stood still at the head of the L1 pipe"},
    {"outside_reads", "", "loads of single threads outside every allocation (memory.check page)"},
    {"l2_hit", "", "requests performed at their decision"},
    {"l2_miss", "", "requests that opened an MSHR"},
    {"l2_merged", "", "requests that joined an MSHR"},
    {"l2_evict_dirty", "", "lines written back because of them"},
    {"memory_read_bytes", "bytes", "sectors that L2 read from DRAM for them"},
    {"memory_write_bytes", "bytes", "sectors that L2 wrote to DRAM because of them, whoever stored them"},
}};

// Names of instruction counts, made once: "warp_instructions.int", "lane_instructions.int".
struct ClassNames {
  std::array<std::string, kInstructionClasses> warps, lanes;
  ClassNames() {
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      const std::string label(name(static_cast<InstructionClass>(i)));
      warps[i] = "warp_instructions." + label;
      lanes[i] = "lane_instructions." + label;
    }
  }
};

}  // namespace

const std::vector<base::StatisticInfo>& kernel_count_infos() {
  static const std::vector<base::StatisticInfo> infos(kInfos.begin(), kInfos.end());
  return infos;
}

OutsideReads collect_kernel_counts(const std::vector<Sm*>& cores, MemorySystem& memory, KernelStatistics& kernel) {
  // Never destroyed: reports are also written at the end of the process.
  static const ClassNames& names = *new ClassNames;
  const unsigned entry = kernel.entry;
  std::array<std::uint64_t, kCounts> counts{};
  InstructionCounts instructions;
  OutsideReads outside;
  for (Sm* const sm : cores) {
    const InstructionCounts& mine = sm->entry_instructions(entry);
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      instructions.warps[i] += mine.warps[i];
      instructions.lanes[i] += mine.lanes[i];
    }
    const SmMemory::Traffic& traffic = sm->entry_traffic(entry);
    counts[kCoalescedLines] += traffic.coalesced_lines;
    counts[kSectors] += traffic.sectors;
    counts[kL1ReadHit] += traffic.l1_read_hit;
    counts[kL1ReadMiss] += traffic.l1_read_miss;
    counts[kL1WriteHit] += traffic.l1_write_hit;
    counts[kL1WriteMiss] += traffic.l1_write_miss;
    counts[kPrimaryMisses] += traffic.primary_misses;
    counts[kMerged] += traffic.merged;
    counts[kStaleRefetch] += traffic.stale_refetch;
    counts[kStaleHit] += traffic.stale_hit;
    counts[kReservationFail] += traffic.reservation_fail;
    outside.add(traffic.outside_reads);
    sm->clear_entry(entry);
  }
  for (unsigned k = 0; k < memory.slices(); ++k) {
    L2Slice& slice = memory.slice(k);
    const L2Slice::Traffic& traffic = slice.traffic(entry);
    counts[kL2Hit] += traffic.hits;
    counts[kL2Miss] += traffic.misses;
    counts[kL2Merged] += traffic.merged;
    counts[kL2EvictDirty] += traffic.evictions;
    counts[kMemoryReadBytes] += traffic.bytes_read;
    counts[kMemoryWriteBytes] += traffic.bytes_written;
    slice.clear_traffic(entry);
  }
  counts[kOutsideReads] = outside.lanes;
  const auto put = [&kernel](std::string_view name, std::uint64_t value) {
    if (value != 0) kernel.counts.emplace_back(name, value);
  };
  for (std::size_t i = 0; i < kInstructionClasses; ++i) put(names.warps[i], instructions.warps[i]);
  for (std::size_t i = 0; i < kInstructionClasses; ++i) put(names.lanes[i], instructions.lanes[i]);
  for (std::size_t i = 0; i < kCounts; ++i) put(kInfos[i].name, counts[i]);
  return outside;
}

}  // namespace castor::gpu
