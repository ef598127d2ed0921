#include <algorithm>
#include <string>

#include "castor/gpu/front_end/page_allocator.h"
#include "castor/gpu/machine_table.h"

namespace castor::gpu {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

// Checks a relation between keys and throws at the position of a key.
class Check {
 public:
  explicit Check(const base::Config& config) : config_(config) {}

  /// Throws InputError unless `holds`. `key`: the inconsistent key; `rule`: the violated relation with its numbers;
  /// `hint`: a remedy.
  void operator()(bool holds, const std::string& key, const std::string& rule, const std::string& hint) const {
    if (holds) return;
    const base::ConfigValue& value = config_.at(key);
    throw base::InputError(value.where(),
                           "key " + key + ": " +
                               base::printable(value.entry.words.empty() ? "" : value.entry.words[0]) +
                               " does not fit: " + rule,
                           hint);
  }

 private:
  const base::Config& config_;
};

void check_sm(const Check& check, const Machine& m) {
  const auto& sm = m.sm;
  const std::string lanes = text(sm.lanes);
  check(sm.warps * sm.lanes >= sm.max_tb_threads, "sm.warps",
        text(sm.warps) + " warps of " + lanes + " lanes are fewer threads than sm.max_tb_threads " +
            text(sm.max_tb_threads),
        "at least " + text((sm.max_tb_threads + sm.lanes - 1) / sm.lanes) + " warps, or a smaller sm.max_tb_threads");
  check(sm.threads % sm.lanes == 0, "sm.threads", "no multiple of sm.lanes " + lanes, "a multiple of " + lanes);
  check(sm.threads >= sm.max_tb_threads, "sm.threads", "fewer than sm.max_tb_threads " + text(sm.max_tb_threads),
        "at least " + text(sm.max_tb_threads));
  check(sm.threads <= sm.warps * sm.lanes, "sm.threads",
        "more than " + text(sm.warps) + " warps of " + lanes + " lanes hold", "at most " + text(sm.warps * sm.lanes));
  check(sm.tb_contexts >= sm.tb_slots, "sm.tb_contexts", "fewer than sm.tb_slots " + text(sm.tb_slots),
        "at least " + text(sm.tb_slots));
  check(sm.max_tb_smem <= sm.smem_bytes, "sm.max_tb_smem", "more than sm.smem_bytes " + text(sm.smem_bytes),
        "at most " + text(sm.smem_bytes));
  check(sm.reg_alloc_unit <= sm.registers, "sm.reg_alloc_unit", "more than sm.registers " + text(sm.registers),
        "at most " + text(sm.registers));
}

void check_pipeline(const Check& check, const Machine& m) {
  const std::uint64_t icache_way_bytes = std::uint64_t{m.icache.ways} * m.icache.line;
  check(m.icache.bytes % icache_way_bytes == 0, "icache.bytes",
        "no multiple of icache.ways x icache.line = " + text(icache_way_bytes),
        "a multiple of " + text(icache_way_bytes));
  const bool banked = m.rf.banks > 0;
  check(banked == (m.rf.collectors > 0), "rf.collectors", "register banks and collectors go together",
        "both, or neither (operands read directly)");
  check(banked == (m.rf.ports > 0), "rf.ports", "register banks and ports go together", "both, or neither");
  if (banked) {
    check(3 * m.rf.collectors <= 60 * m.rf.ports, "rf.collectors",
          "3 x rf.collectors / rf.ports exceeds 60 ticks of booked reads", "at most " + text(20ULL * m.rf.ports));
  }
  check(m.units.mem_shared < m.units.mem || m.units.mem_shared == 0, "units.mem_shared",
        "no load/store unit is left for global memory", "fewer than units.mem");
  check(!m.units.convert_on_sfu || m.units.sfu > 0, "units.convert_on_sfu", "needs units.sfu of 1 or more",
        "set it to 0");
  for (std::size_t i = 0; i < kUnitClasses; ++i) {
    const auto timing = static_cast<isa::TimingClass>(i);
    const std::string key = "latency." + std::string(isa::key(timing)) + ".ticks";
    check(m.timing(timing).latency + m.timing(timing).interval <= kMostUnitTime, key,
          "with its interval more than " + text(kMostUnitTime) + " ticks", "fewer");
    if (m.latency.from != LatencyFrom::kIssue) continue;
    check(m.timing(timing).latency >= m.oc_cycles + 2, key,
          "with latency.from issue less than oc_cycles + 2 = " + text(m.oc_cycles + 2),
          "at least " + text(m.oc_cycles + 2) + ", or a smaller oc_cycles");
  }
  check(!m.units.dp_on_sfu || (m.units.dp == 0 && m.units.sfu > 0), "units.dp_on_sfu",
        "needs units.dp 0 and units.sfu of 1 or more", "set it to 0");
}

void check_memory(const Check& check, const Machine& m) {
  constexpr std::uint64_t kMostL1Bytes = 1 << 24;
  const std::uint64_t l1_bytes = std::uint64_t{m.l1.sets} * m.l1.ways * m.l1.line;
  check(l1_bytes <= kMostL1Bytes, "l1.sets", "l1.sets x l1.ways x l1.line = " + text(l1_bytes) + " bytes",
        "at most " + text(kMostL1Bytes) + " bytes");
  const std::uint64_t l2_bytes = std::uint64_t{m.l2.slices} * m.l2.sets * m.l2.ways * m.l2.line;
  check(l2_bytes == m.l2.bytes, "l2.bytes", "l2.slices x l2.sets x l2.ways x l2.line = " + text(l2_bytes) + " bytes",
        "state " + text(l2_bytes) + ", or change slices, sets, ways or line");
  check(m.smem.interleave <= m.smem.bank_bytes, "smem.interleave",
        "more than smem.bank_bytes " + text(m.smem.bank_bytes), "at most " + text(m.smem.bank_bytes));
  check(m.l1.line == m.l2.line, "l2.line", "differs from l1.line " + text(m.l1.line), "use one line size");
  constexpr std::uint64_t kHeaderBytes = 8;
  const std::uint64_t packet = (kHeaderBytes + m.l1.line + m.xbar.flit_bytes - 1) / m.xbar.flit_bytes;
  check(m.xbar.fifo_flits >= packet, "xbar.fifo_flits", "the largest packet has " + text(packet) + " flits",
        "at least " + text(packet));
  check(m.l2.slices % m.dram.channels == 0, "l2.slices", "no multiple of dram.channels " + text(m.dram.channels),
        "a multiple of " + text(m.dram.channels));
  const std::uint64_t per_channel = m.l2.slices / m.dram.channels;
  check(m.dram.queue >= per_channel, "dram.queue", "fewer than the slices of a channel, " + text(per_channel),
        "at least " + text(per_channel));
  check(m.dram.groups <= m.dram.banks && m.dram.banks % m.dram.groups == 0, "dram.groups",
        "does not divide dram.banks " + text(m.dram.banks), "a divisor of " + text(m.dram.banks));
  // The refresh interval must leave time for at least one request: activate, all columns and precharge.
  const std::uint64_t burst = std::max(1U, m.dram.atom / m.dram.bytes_per_clk);
  const std::uint64_t column = std::max<std::uint64_t>(std::max(m.dram.ccd, m.dram.ccdl), burst);
  const std::uint64_t least = m.dram.rp + (m.dram.rfc != 0 ? m.dram.rfc : m.dram.rc) + m.dram.rcd +
                              m.l2.line / m.dram.atom * column +
                              std::max<std::uint64_t>(m.dram.ras, m.dram.wl + burst + m.dram.wr);
  check(m.dram.trefi == 0 || m.dram.trefi > least, "dram.trefi", "no room for a request between two refreshes",
        "0, or more than " + text(least) + " clocks");
  check(m.dram.row_bytes % m.dram.atom == 0, "dram.row_bytes", "no multiple of dram.atom " + text(m.dram.atom),
        "a multiple of " + text(m.dram.atom));
  check(m.dram.atom <= m.l2.line, "dram.atom", "larger than l2.line " + text(m.l2.line), "at most " + text(m.l2.line));
  check(m.memory.unified == (m.link.gb_per_s == 0), "link.gb_per_s",
        "a machine with memory.unified has no link, every other has one",
        m.memory.unified ? "0" : "the link's bandwidth");
}

void check_translation(const Check& check, const Machine& m) {
  const auto& tlb = m.tlb;
  check(tlb.l1_entries % tlb.l1_ways == 0, "tlb.l1_entries", "no multiple of tlb.l1_ways " + text(tlb.l1_ways),
        "a multiple of " + text(tlb.l1_ways));
  check(tlb.l2_entries % tlb.l2_ways == 0, "tlb.l2_entries", "no multiple of tlb.l2_ways " + text(tlb.l2_ways),
        "a multiple of " + text(tlb.l2_ways));
}

void check_region(const Check& check, const Machine& m) {
  check(m.context.region % PageAllocator::kLargePage == 0, "context.region", "no multiple of the large page, 2 MiB",
        "a multiple of 2MiB");
}

}  // namespace

void check_machine(const Machine& machine, const base::Config& config) {
  const Check check(config);
  check_sm(check, machine);
  check_pipeline(check, machine);
  check_memory(check, machine);
  check_translation(check, machine);
  check_region(check, machine);
}

}  // namespace castor::gpu
