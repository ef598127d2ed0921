#include "castor/gpu/kernel_counts.h"

#include <array>
#include <string>

namespace castor::gpu {
namespace {

enum Count : std::size_t {
  kRegisterReads,
  kRegisterWrites,
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
    {"register_reads", "", "registers of a warp, pool rows included, that issued instructions read"},
    {"register_writes", "", "registers of a warp, pool rows included, that issued instructions write"},
    {"coalesced_lines", "transactions", "line accesses of global and local instructions"},
    {"sectors", "sectors", "32-byte sectors touched by the line accesses of global and local instructions"},
    {"l1_read_hit", "accesses", "line accesses of cached loads that found all bytes"},
    {"l1_read_miss", "accesses", "line accesses of cached loads that missed at least one byte"},
    {"l1_write_hit", "accesses", "line accesses of cached stores that found their bytes"},
    {"l1_write_miss", "accesses", "line accesses of cached stores that missed"},
    {"primary_misses", "accesses", "read misses that sent a request"},
    {"merged", "accesses", "read misses that merged into a request in flight"},
    {"stale_refetch", "accesses", "loads that found their line older than the acquire cycle of their thread block"},
    {"stale_hit", "accesses", "hits whose bytes differed from memory (check.stale)"},
    {"reservation_fail", "ticks", "ticks in which an access of the kernel was stalled at the head of the L1 pipe"},
    {"outside_reads", "", "loads of single threads outside every allocation (memory.check page)"},
    {"l2_hit", "", "requests that neither missed nor merged"},
    {"l2_miss", "", "requests that missed and allocated an MSHR"},
    {"l2_merged", "", "requests that merged into an MSHR"},
    {"l2_evict_dirty", "", "dirty lines written back because of requests of this client"},
    {"memory_read_bytes", "bytes", "bytes of the sectors that L2 read from DRAM for the kernel's requests"},
    {"memory_write_bytes", "bytes",
     "bytes of the sectors that L2 wrote to DRAM because of the kernel's requests, whichever kernel stored them"},
}};

// Names of the counters, built once: by instruction class, such as "warp_instructions.int" and "filter.skipped.int",
// and the other counters of the fetch filter, such as "filter.copies".
struct Names {
  using ByClass = std::array<std::string, kInstructionClasses>;
  ByClass warps = of("warp_instructions."), lanes = of("lane_instructions.");
  std::vector<ByClass> filter_classes;
  std::vector<std::string> filter;
  Names() {
    FilterCounts::each_by_class([this](const char* name, const char* /*meaning*/, auto /*member*/) {
      filter_classes.push_back(of("filter." + std::string(name) + "."));
    });
    FilterCounts::each([this](const base::StatisticInfo& info, auto /*member*/) {
      filter.push_back("filter." + std::string(info.name));
    });
  }
  static ByClass of(const std::string& group) {
    ByClass result;
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      result[i] = group + std::string(name(static_cast<InstructionClass>(i)));
    }
    return result;
  }
};

}  // namespace

const std::vector<base::StatisticInfo>& kernel_count_infos() {
  static const std::vector<base::StatisticInfo> infos(kInfos.begin(), kInfos.end());
  return infos;
}

OutsideReads collect_kernel_counts(const std::vector<Sm*>& cores, MemorySystem& memory, KernelStatistics& kernel) {
  // The object is never destroyed, because reports are also written at the end of the process.
  static const Names& names = *new Names;
  const unsigned entry = kernel.entry;
  std::array<std::uint64_t, kCounts> counts{};
  InstructionCounts instructions;
  FilterCounts filter;
  bool has_filter = false;
  OutsideReads outside;
  for (Sm* const sm : cores) {
    if (!sm->accounts().ticks.held(entry)) continue;
    const EntryCounts& mine = sm->accounts().instructions.of_entry(entry);
    counts[kRegisterReads] += mine.register_reads;
    counts[kRegisterWrites] += mine.register_writes;
    if (const auto* const filtered = sm->mechanism<FilterUnit>(); filtered != nullptr) {
      filter.add(filtered->counters().of_entry(entry));
      has_filter = true;
    }
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      instructions.warps[i] += mine.warps[i];
      instructions.lanes[i] += mine.lanes[i];
    }
    const MemoryTraffic& traffic = sm->entry_traffic(entry);
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
    kernel.alone.add(sm->accounts().ticks.of_entry(entry));
    sm->clear_entry(entry);
  }
  for (unsigned k = 0; k < memory.slices(); ++k) {
    L2Slice& slice = memory.slice(k);
    const L2Slice::Traffic& traffic = slice.traffic(entry);
    kernel.l2_bytes += traffic.bytes;
    counts[kL2Hit] += traffic.hits;
    counts[kL2Miss] += traffic.misses;
    counts[kL2Merged] += traffic.merged;
    counts[kL2EvictDirty] += traffic.evictions;
    counts[kMemoryReadBytes] += traffic.bytes_read;
    counts[kMemoryWriteBytes] += traffic.bytes_written;
    slice.clear_traffic(entry);
  }
  counts[kOutsideReads] = outside.lanes;
  constexpr std::size_t kUsually = 48;  // typical number of counters above 0
  kernel.counts.reserve(kUsually);
  const auto put = [&kernel](std::string_view name, std::uint64_t value) {
    if (value != 0) kernel.counts.emplace_back(name, value);
  };
  for (std::size_t i = 0; i < kInstructionClasses; ++i) put(names.warps[i], instructions.warps[i]);
  for (std::size_t i = 0; i < kInstructionClasses; ++i) put(names.lanes[i], instructions.lanes[i]);
  for (std::size_t i = 0; i < kCounts; ++i) put(kInfos[i].name, counts[i]);
  if (!has_filter) return outside;
  std::size_t group = 0, one = 0;
  FilterCounts::each_by_class([&](const char* /*name*/, const char* /*meaning*/, auto member) {
    const Names::ByClass& labels = names.filter_classes[group++];
    for (std::size_t i = 0; i < kInstructionClasses; ++i) put(labels[i], (filter.*member)[i]);
  });
  FilterCounts::each(
      [&](const base::StatisticInfo& /*info*/, auto member) { put(names.filter[one++], filter.*member); });
  return outside;
}

BesideKernels count_beside_kernels(const std::vector<Sm*>& cores, MemorySystem& memory, unsigned entries) {
  BesideKernels beside;
  for (Sm* const sm : cores) {
    beside.none.add(sm->accounts().ticks.of_none());
    beside.several.add(sm->accounts().ticks.of_several());
    for (unsigned entry = 0; entry < entries; ++entry) {
      beside.incomplete.add(sm->accounts().ticks.of_entry(entry));
      beside.l1_bytes += sm->entry_traffic(entry).sectors * kSectorBytes;
    }
  }
  for (unsigned k = 0; k < memory.slices(); ++k) {
    const L2Slice& slice = memory.slice(k);
    const auto add = [&beside](const L2Slice::Traffic& traffic) {
      beside.l2_bytes += traffic.bytes;
      beside.dram_read_bytes += traffic.bytes_read;
      beside.dram_write_bytes += traffic.bytes_written;
    };
    add(slice.traffic_of_nobody());
    for (unsigned entry = 0; entry < entries; ++entry) add(slice.traffic(entry));
  }
  return beside;
}

}  // namespace castor::gpu
