#include "castor/gpu/machine_table.h"

#include <type_traits>
#include <utility>

namespace castor::gpu {
namespace {

using base::ConfigValue;
using base::SchemaRow;
using base::ValueType;

// Return the spellings of each enumeration, in the order of its values.
std::vector<std::string> words(IssuePolicy /*type*/) { return {"gto", "lrr", "oldest", "tl", "catls"}; }
std::vector<std::string> words(IbufferRefill /*type*/) { return {"empty", "slot"}; }
std::vector<std::string> words(AddressHash /*type*/) { return {"off", "xor"}; }
std::vector<std::string> words(Inspect /*type*/) { return {"off", "packet", "walk"}; }
std::vector<std::string> words(DispatchBypass /*type*/) { return {"off", "sticky"}; }
std::vector<std::string> words(DispatchSearch /*type*/) { return {"rr_all", "rr_one"}; }
std::vector<std::string> words(AcquireMode /*type*/) { return {"stamp", "flush"}; }
std::vector<std::string> words(PoolFull /*type*/) { return {"spill", "refuse"}; }
std::vector<std::string> words(ChildAcquire /*type*/) { return {"inherit", "launch"}; }
std::vector<std::string> words(ContextMover /*type*/) { return {"port", "analytic"}; }
std::vector<std::string> words(MemoryCheck /*type*/) { return {"allocation", "page", "off"}; }
std::vector<std::string> words(StaleCheck /*type*/) { return {"off", "count", "error"}; }
std::vector<std::string> words(LatencyFrom /*type*/) { return {"dispatch", "issue"}; }
std::vector<std::string> words(SharedAtomics /*type*/) { return {"native", "loop"}; }
std::vector<std::string> words(ReplayRate /*type*/) { return {"none", "gpu", "sm", "table"}; }

// Returns the parts of a schema row that follow from the type of the member.
template <class T>
SchemaRow row_of_type() {
  SchemaRow row;
  if constexpr (std::is_same_v<T, bool>) {
    row.type = ValueType::kBoolean;
    row.unit = "flag";
  } else if constexpr (std::is_enum_v<T>) {
    row.type = ValueType::kChoice;
    row.unit = "name";
    row.choices = words(T{});
  } else if constexpr (std::is_same_v<T, Capability>) {
    row.type = ValueType::kVersion;
    row.unit = "version";
  } else if constexpr (std::is_same_v<T, std::string>) {
    row.type = ValueType::kName;
    row.unit = "name";
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    row.type = ValueType::kFile;
    row.unit = "file";
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    row.type = ValueType::kNames;
    row.unit = "names";
  } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
    row.type = ValueType::kOptionalInteger;
  } else if constexpr (std::is_same_v<T, double>) {
    row.type = ValueType::kReal;
  } else {
    static_assert(std::is_unsigned_v<T>, "a type that machine files do not know");
    row.type = ValueType::kInteger;
  }
  return row;
}

// Stores a value of a machine file in a member.
template <class T>
void store(T& member, const ConfigValue& value) {
  if constexpr (std::is_same_v<T, Capability>) {
    member = {static_cast<unsigned>(value.integer / 10), static_cast<unsigned>(value.integer % 10)};
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
    member = value.names.empty() ? T{} : T{value.names.front()};
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    member = value.names;
  } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
    member = value.none ? T{} : T{value.integer};
  } else if constexpr (std::is_same_v<T, double>) {
    member = value.real;
  } else {
    member = static_cast<T>(value.integer);
  }
}

constexpr double kMost = 4294967295.0;    // largest value of an `unsigned` member
constexpr double kMostLong = 0x1p62;      // largest value of a 64-bit member
constexpr unsigned kMostTicks = 100'000;  // longest latency inside an SM
constexpr double kMostCycles = 1'000'000'000.0;

// Operations of each timing class, in the order of the classes.
constexpr std::array<const char*, kUnitClasses> kOperations = {
    "integer add, logic, compare, select, move",
    "integer min, max",
    "shift, funnel shift",
    "integer multiply",
    "integer multiply-add, dot products",
    "integer divide, remainder",
    "population count, bits reversed",
    "leading zeros, most significant bit",
    "conversion of 32-bit and half floats",
    "shuffle, redux",
    "vote, match",
    "32-bit (and half) add, subtract, compare",
    "32-bit min, max",
    "32-bit multiply",
    "32-bit fused multiply-add",
    "32-bit divide, rounded",
    "32-bit reciprocal, square root, rounded",
    "64-bit add, multiply, fused multiply-add, compare, convert",
    "64-bit min, max",
    "64-bit divide, rounded",
    "64-bit reciprocal, square root, rounded",
    "approximate functions of the unit",
    "approximate sine, cosine",
    "approximate functions of denormal numbers, approximate divide",
    "predicate logic",
};

// Builds the table of keys, chapter by chapter.
class TableWriter {
 public:
  [[nodiscard]] std::vector<MachineKey> take() { return std::move(keys_); }
  void chapter(const char* title) { chapter_ = title; }

  /// Adds a key. `access` returns the member that the key fills.
  template <class Access>
  SchemaRow& key(std::string name, std::string meaning, Access access) {
    using T = std::remove_reference_t<decltype(access(std::declval<Machine&>()))>;
    MachineKey entry{row_of_type<T>(), chapter_, {}};
    entry.row.key = std::move(name);
    entry.row.meaning = std::move(meaning);
    entry.assign = [access](Machine& machine, const ConfigValue& value) { store<T>(access(machine), value); };
    return keys_.emplace_back(std::move(entry)).row;
  }

  template <class Access>
  void number(std::string name, const char* unit, double low, double high, std::string meaning, Access access) {
    SchemaRow& row = key(std::move(name), std::move(meaning), access);
    row.unit = unit;
    row.low = low;
    row.high = high;
  }

  template <class Access>
  void listed(std::string name, const char* unit, std::vector<std::uint64_t> values, std::string meaning,
              Access access) {
    SchemaRow& row = key(std::move(name), std::move(meaning), access);
    row.unit = unit;
    row.values = std::move(values);
  }

 private:
  const char* chapter_ = "";
  std::vector<MachineKey> keys_;
};

// The member's path is the key. CASTOR_NUMBER: integer or decimal number in [low, high]. CASTOR_LISTED: one of several
// integers. CASTOR_WORD: flags, choices, names and versions; the member's type defines the allowed values.
#define CASTOR_ACCESS(path) ([](Machine & machine) -> auto& { return machine.path; })
#define CASTOR_NUMBER(path, unit, low, high, meaning) table.number(#path, unit, low, high, meaning, CASTOR_ACCESS(path))
#define CASTOR_LISTED(path, unit, meaning, ...) \
  table.listed(#path, unit, std::vector<std::uint64_t>{__VA_ARGS__}, meaning, CASTOR_ACCESS(path))
#define CASTOR_WORD(path, meaning) table.key(#path, meaning, CASTOR_ACCESS(path))
// For keys whose spelling is not a C++ identifier or differs from the member's name.
#define CASTOR_NUMBER_AS(name, path, unit, low, high, meaning) \
  table.number(name, unit, low, high, meaning, CASTOR_ACCESS(path))
#define CASTOR_WORD_AS(name, path, meaning) table.key(name, meaning, CASTOR_ACCESS(path))

void chip_and_clocks(TableWriter& table) {
  table.chapter("Chip and clocks");
  CASTOR_NUMBER(chip.sms, "SMs", 1, 64, "streaming multiprocessors (compute units)");
  CASTOR_WORD(chip.capability, "compute capability reported to programs");
  CASTOR_NUMBER(clock.core_mhz, "MHz", 1, 10'000, "clock of SMs, networks and L2");
  CASTOR_NUMBER(clock.dram_mhz, "MHz", 1, 10'000, "DRAM command clock");
  CASTOR_NUMBER(memory.bytes, "bytes", 1 << 20, 0x1p40 - 0x1p32, "device memory");
  CASTOR_WORD(memory.unified, "host and device share one memory");
}

void sm_limits(TableWriter& table) {
  table.chapter("SM limits and allocation");
  CASTOR_LISTED(sm.lanes, "lanes", "threads per warp (wavefront)", 32, 64);
  CASTOR_NUMBER(sm.warps, "warps", 1, 64, "warp slots");
  CASTOR_NUMBER(sm.threads, "threads", 32, 4096, "thread slots");
  CASTOR_NUMBER(sm.tb_slots, "TBs", 1, 64, "resident thread blocks");
  CASTOR_NUMBER(sm.tb_contexts, "TBs", 1, 64, "thread-block contexts, swapped ones included");
  CASTOR_NUMBER(sm.max_tb_threads, "threads", 1, 1024, "largest thread block");
  CASTOR_NUMBER(sm.registers, "registers", 1024, 1 << 20, "32-bit registers");
  CASTOR_NUMBER(sm.max_regs_per_thread, "registers", 16, 256, "most registers of one thread");
  CASTOR_NUMBER(sm.reg_alloc_unit, "registers", 1, 4096, "a warp's registers are rounded up to a multiple of this");
  CASTOR_NUMBER(sm.smem_bytes, "bytes", 0, 1 << 20, "shared memory");
  CASTOR_NUMBER(sm.max_tb_smem, "bytes", 0, 1 << 20, "most shared memory of one thread block");
  CASTOR_NUMBER(sm.smem_alloc_unit, "bytes", 1, 4096, "a TB's shared memory is rounded up to a multiple of this");
  CASTOR_NUMBER(sm.tb_start_cycles, "ticks", 1, kMostTicks, "from the start message to the first fetch of its warps");
  CASTOR_NUMBER(sm.tb_divide_cycles, "ticks", 1, kMostTicks, "computing a 2- or 3-dimensional id by division");
}

void front_of_pipeline(TableWriter& table) {
  table.chapter("Front of the pipeline and issue");
  CASTOR_NUMBER(fetch.warps, "warps", 1, 64, "warps fetched per tick");
  CASTOR_NUMBER(fetch.insns, "instructions", 1, 16, "consecutive instructions of a fetch");
  CASTOR_NUMBER(fetch.branch_cycles, "ticks", 1, 64, "from a branch's issue to the fetch of its target");
  CASTOR_NUMBER(ibuffer.entries, "instructions", 1, 16, "instruction buffer of a warp");
  CASTOR_WORD(ibuffer.refill, "a warp is fetched when its buffer is empty, or has a free slot");
  CASTOR_NUMBER(icache.bytes, "bytes", 64, 1 << 24, "instruction cache");
  CASTOR_NUMBER(icache.ways, "ways", 1, 1024, "associativity");
  CASTOR_LISTED(icache.line, "bytes", "line", 32, 64, 128);
  CASTOR_WORD(icache.ideal, "always hits");
  CASTOR_NUMBER(icache.mshrs, "entries", 1, 64, "lines being fetched");
  CASTOR_NUMBER(schedulers, "schedulers", 1, 8, "warp schedulers");
  CASTOR_WORD(issue.policy, "built-in choice of the warp");
  CASTOR_NUMBER(issue.tl_group, "warps", 1, 64, "warps of a group, policy tl");
  CASTOR_NUMBER(issue.catls_group, "warps", 1, 64, "warps at which a group is full, policy catls");
  CASTOR_NUMBER(issue.warps, "warps", 1, 5, "warps a scheduler issues from per tick; 5 = one per class");
  CASTOR_NUMBER(issue.per_warp, "instructions", 1, 2, "instructions of one warp per tick");
  CASTOR_WORD(issue.dual_issue_diff_units, "a pair must go to different units");
  CASTOR_NUMBER(issue.period, "ticks", 1, 8, "scheduler s acts in ticks with s mod period = tick mod period");
  CASTOR_WORD(sub_core, "each scheduler owns its share of the units");
  CASTOR_NUMBER(barrier.arrive, "ticks", 0, 64, "an arriving warp keeps the barrier unit of its SM busy");
  CASTOR_NUMBER_AS("barrier.register", barrier.register_ticks, "ticks", 1, 64, "until an arrival is visible");
  CASTOR_NUMBER(barrier.release, "ticks", 1, 64, "from there to the issue of released warps");
  CASTOR_WORD(barrier.warp_level, "one arriving lane counts for its warp");
}

void units(TableWriter& table) {
  table.chapter("Units, register file");
  CASTOR_NUMBER(units.sp, "units", 1, 64, "single-precision units (32 lanes; 64 on a 64-lane machine)");
  CASTOR_NUMBER_AS("units.int", units.integer, "units", 0, 64, "integer units of their own; 0 = on sp");
  CASTOR_NUMBER(units.sfu, "units", 0, 64, "special function units; 0 = on sp");
  CASTOR_NUMBER(units.dp, "units", 0, 64, "double-precision units; 0 = on sp, or on sfu");
  CASTOR_WORD(units.dp_on_sfu, "without units of its own double precision runs on sfu");
  CASTOR_WORD(units.convert_on_sfu, "conversions and bit counts run on sfu, not with integers");
  CASTOR_NUMBER(units.mem, "units", 1, 8, "load/store units");
  CASTOR_NUMBER(units.mem_shared, "units", 0, 8, "of them for shared memory alone; 0 = one for all spaces");
  CASTOR_NUMBER(rf.banks, "banks", 0, 64, "register banks; 0 = operands are read directly");
  CASTOR_NUMBER(rf.ports, "reads", 0, 8, "reads per bank and tick; 0 without banks");
  CASTOR_NUMBER(rf.collectors, "collectors", 0, 64, "operand collectors; 0 = operands are read directly");
  CASTOR_NUMBER(oc_cycles, "ticks", 1, 64, "from issue to dispatch without conflicts");
  CASTOR_WORD(latency.from,
              "latencies of units count from dispatch to write-back, or from issue to the issue of a dependent "
              "instruction, as they are measured");
  for (std::size_t i = 0; i < kUnitClasses; ++i) {
    const std::string operations = kOperations[i];
    const std::string prefix = "latency." + std::string(isa::key(static_cast<isa::TimingClass>(i)));
    table.number(
        prefix + ".ticks", "ticks", 1, kMostUnitTime - 1,
        operations, [i](Machine & machine) -> auto& { return machine.latency[i].latency; });
    table.number(
        prefix + ".interval", "ticks", 1, kMostUnitTime - 1,
        "the unit is busy", [i](Machine & machine) -> auto& { return machine.latency[i].interval; });
  }
}

void sm_memory(TableWriter& table) {
  table.chapter("LSU, shared memory, L1");
  CASTOR_NUMBER(lsu.queue, "entries", 1, 64, "memory instructions from issue to the last pass");
  CASTOR_WORD(lsu.split_wide, "accesses of 8 and 16 bytes per lane coalesce in 2 and 4 groups of lanes");
  CASTOR_NUMBER(constant.latency, "ticks", 1, kMostTicks, "constant and parameter loads");
  CASTOR_LISTED(smem.banks, "banks", "shared-memory banks", 16, 32, 64);
  CASTOR_LISTED(smem.bank_bytes, "bytes", "a bank delivers per round", 4, 8);
  CASTOR_LISTED(smem.interleave, "bytes", "from bank to bank; at most smem.bank_bytes", 4, 8);
  CASTOR_NUMBER(smem.latency, "ticks", 1, kMostTicks, "from the last round to the result");
  CASTOR_NUMBER(smem.round_ticks, "ticks", 1, 64, "a round keeps the unit busy");
  CASTOR_NUMBER(smem.conflict_ticks, "ticks", 1, 64, "the same for a round that a bank conflict adds");
  CASTOR_NUMBER(smem.replay_ticks, "ticks", 0, kMostTicks,
                "from the last round of an instruction with conflicts until it is replayed through issue for the next "
                "ones; 0 = it stays in the unit");
  CASTOR_NUMBER(smem.replay_rounds, "rounds", 1, 64, "of one replay, at most");
  CASTOR_WORD(smem.atomics, "the unit performs atomics, or the warp loops: lock words, change them, unlock them");
  CASTOR_NUMBER(smem.atomic_latency, "ticks", 0, kMostTicks, "native: of an atomic's result beyond a load's");
  CASTOR_NUMBER(smem.atomic_ticks, "ticks", 1, 64,
                "native: a round that keeps the unit busy for one more lane of a bank");
  CASTOR_NUMBER(smem.lock_ticks, "ticks", 1, kMostTicks, "loop: from the lock of words to the round that unlocks them");
  CASTOR_NUMBER(smem.retry_ticks, "ticks", 1, kMostTicks,
                "loop: from there to the next lock, for lanes whose word another one had");
  CASTOR_NUMBER(l1.sets, "sets", 1, 65536, "sets");
  CASTOR_NUMBER(l1.ways, "ways", 1, 1024, "associativity");
  CASTOR_LISTED(l1.line, "bytes", "line", 32, 64, 128);
  CASTOR_WORD(l1.sectored, "fills 32-byte sectors, not lines");
  CASTOR_NUMBER(l1.access_latency, "ticks", 1, kMostTicks, "from a pass to its lookup");
  CASTOR_NUMBER(l1.return_latency, "ticks", 0, kMostTicks, "from data to the register file");
  CASTOR_NUMBER(l1.banks, "banks", 1, 16, "line accesses per tick");
  CASTOR_NUMBER(l1.mshrs, "entries", 1, 4096, "lines being fetched");
  CASTOR_NUMBER(l1.merges, "requests", 1, 4096, "requests per MSHR");
  CASTOR_NUMBER(l1.miss_queue, "packets", 2, 4096, "packets that wait for the network");
  CASTOR_WORD(l1.caches_global, "global loads are cached");
  CASTOR_WORD(l1.obeys_ca, "global loads marked .ca are cached, whatever l1.caches_global says");
  CASTOR_WORD(l1.local_write_back, "local lines are written back, not through");
  CASTOR_WORD(l1.set_hash, "line to set");
}

void memory_system(TableWriter& table) {
  table.chapter("Network, L2, DRAM");
  CASTOR_NUMBER(xbar.latency, "cycles", 1, 1000, "each crossbar");
  CASTOR_WORD(xbar.voq, "an input is read as one queue per output");
  CASTOR_NUMBER(xbar.flit_bytes, "bytes", 1, 1024, "flit");
  CASTOR_NUMBER(xbar.fifo_flits, "flits", 1, 65536, "each input and output queue");
  CASTOR_NUMBER(l2.slices, "slices", 1, 128, "L2 slices of the chip");
  CASTOR_NUMBER(l2.sets, "sets", 1, 65536, "sets of a slice");
  CASTOR_NUMBER(l2.ways, "ways", 1, 1024, "associativity");
  CASTOR_LISTED(l2.line, "bytes", "line", 32, 64, 128);
  CASTOR_NUMBER(l2.bytes, "bytes", 1024, 1 << 30, "all slices together");
  CASTOR_NUMBER(l2.latency, "cycles", 1, 10'000, "from acceptance to the tag decision");
  CASTOR_NUMBER(l2.mshrs, "entries", 1, 65536, "lines a slice is fetching");
  CASTOR_NUMBER(l2.merges, "requests", 1, 65536, "requests per MSHR");
  CASTOR_NUMBER(l2.miss_queue, "packets", 2, 65536, "requests of a slice that wait for DRAM");
  CASTOR_NUMBER(l2.port_bytes, "bytes", 1, 1024, "a slice delivers per cycle");
  CASTOR_WORD(l2.flush_at_kernel_end, "writes everything back when a kernel ends");
  CASTOR_WORD(l2.set_hash, "line of a slice to set");
  CASTOR_NUMBER(atomic.latency, "cycles", 0, 10'000, "of an atomic's reply beyond a load's");
  CASTOR_NUMBER(atomic.words_per_cycle, "words", 1, 64, "different words a slice updates per cycle");
  CASTOR_NUMBER(atomic.word_cycles, "cycles", 1, 64, "from an update of a word to the next of the same word");
  CASTOR_NUMBER(dram.channels, "channels", 1, 64, "DRAM channels");
  CASTOR_NUMBER(dram.bytes_per_clk, "bytes", 1, 1024, "a channel moves per command clock");
  CASTOR_LISTED(dram.atom, "bytes", "smallest burst", 32, 64, 128);
  CASTOR_NUMBER(dram.banks, "banks", 1, 256, "banks of a channel");
  CASTOR_NUMBER(dram.groups, "groups", 1, 256, "bank groups of a channel");
  CASTOR_NUMBER(dram.row_bytes, "bytes", 256, 1 << 20, "row");
  CASTOR_NUMBER(dram.rrd, "clocks", 0, 1000, "activate to activate of another bank");
  CASTOR_NUMBER(dram.rcd, "clocks", 0, 1000, "activate to column command");
  CASTOR_NUMBER(dram.ras, "clocks", 0, 1000, "activate to precharge");
  CASTOR_NUMBER(dram.rp, "clocks", 0, 1000, "precharge to activate");
  CASTOR_NUMBER(dram.rc, "clocks", 0, 1000, "activate to activate of one bank");
  CASTOR_NUMBER(dram.cl, "clocks", 1, 1000, "read to data");
  CASTOR_NUMBER(dram.wl, "clocks", 0, 1000, "write to data");
  CASTOR_NUMBER(dram.ccd, "clocks", 1, 1000, "column to column");
  CASTOR_NUMBER(dram.ccdl, "clocks", 1, 1000, "column to column in one bank group");
  CASTOR_NUMBER(dram.cdlr, "clocks", 0, 1000, "write data to read");
  CASTOR_NUMBER(dram.wr, "clocks", 0, 1000, "write data to precharge");
  CASTOR_NUMBER(dram.rtpl, "clocks", 0, 1000, "read to precharge");
  CASTOR_NUMBER(dram.queue, "requests", 1, 65536, "requests of a channel");
  CASTOR_NUMBER(dram.return_queue, "requests", 1, 65536, "reads started and not yet taken");
  CASTOR_NUMBER(dram.extra_latency, "cycles", 0, 10'000, "from a read's data to the slice");
  CASTOR_NUMBER(dram.trefi, "clocks", 0, 10'000'000, "refresh interval; 0 = no refresh");
  CASTOR_NUMBER(dram.rfc, "clocks", 0, 100'000, "refresh to activate, behind dram.rp; 0 = as dram.rc");
  CASTOR_NUMBER(dram.faw, "clocks", 0, 1000, "window that holds four activates at most; 0 = any number");
  CASTOR_NUMBER(dram.rtw, "clocks", 0, 1000, "the data bus turns round between a read's data and a write's");
  CASTOR_WORD(map.hash, "address to channel");
  CASTOR_WORD(map.bank_hash, "row of a channel to bank");
}

void translation(TableWriter& table) {
  table.chapter("Address translation");
  CASTOR_LISTED(tlb.page_bytes, "bytes", "page", 4096, 65536, 131072, 2097152);
  CASTOR_NUMBER(tlb.l1_entries, "entries", 0, 4096, "TLB of an SM, behind its L1; 0 = addresses are not translated");
  CASTOR_NUMBER(tlb.l1_ways, "ways", 1, 4096, "associativity");
  CASTOR_NUMBER(tlb.l2_entries, "entries", 1, 1 << 20, "TLB that all SMs share");
  CASTOR_NUMBER(tlb.l2_ways, "ways", 1, 4096, "associativity");
  CASTOR_NUMBER(tlb.l2_latency, "cycles", 1, 10'000, "a miss in the SM's TLB that hits the shared one");
  CASTOR_NUMBER(tlb.walk_latency, "cycles", 1, 100'000, "a miss in the shared TLB, more than that");
  CASTOR_NUMBER(tlb.walkers, "walks", 1, 1024, "misses of the shared TLB under way");
}

void front_end(TableWriter& table) {
  table.chapter("Front end, host");
  CASTOR_NUMBER(queue.count, "queues", 1, 1024, "hardware queues");
  CASTOR_NUMBER(queue.depth, "packets", 1, 65536, "packets a queue holds");
  CASTOR_WORD(queue.in_memory, "rings in memory, not FIFOs on the chip");
  CASTOR_WORD(inspect, "what the queue inspector reads");
  CASTOR_NUMBER(parse.lanes, "lanes", 1, 1024, "packets parsed at the same time");
  CASTOR_NUMBER(parse.latency, "cycles", 0, 10'000'000, "from the grant to the kernel's entry");
  CASTOR_NUMBER(parse.interval, "cycles", 1, 10'000'000, "from one grant to the next");
  CASTOR_NUMBER(parse.select_scan, "queues", 0, 10'000, "queues examined per cycle to choose a source; 0 = all");
  CASTOR_NUMBER(table.entries, "kernels", 1, 1024, "kernel table");
  CASTOR_WORD(dispatch.bypass, "a kernel that fits may pass one that does not");
  CASTOR_WORD(dispatch.search, "SMs asked for room per cycle, from the last one on");
  CASTOR_NUMBER(dispatch.select_scan, "queues", 0, 10'000,
                "queues examined per cycle to choose the kernel of the next TB; 0 = all");
  CASTOR_NUMBER(done_fifo, "TBs", 1, 1024, "completions of an SM that wait to be counted");
  CASTOR_NUMBER(launch.stream_warp, "ticks", 0, 131'071, "device code: a call that creates a stream");
  CASTOR_NUMBER(launch.buffer_warp, "ticks", 0, 131'071, "device code: a warp's call for parameter buffers");
  CASTOR_NUMBER(launch.buffer_lane, "ticks", 0, 131'071, "more for each lane that calls");
  CASTOR_NUMBER(launch.launch_warp, "ticks", 0, 131'071, "device code: a warp's call that launches kernels");
  CASTOR_NUMBER(launch.launch_lane, "ticks", 0, 131'071, "more for each lane that calls");
  CASTOR_NUMBER(launch.spill_lane, "ticks", 0, 131'071, "more for each of them whose launch spills (pool.full)");
  CASTOR_NUMBER(launch.commands, "commands", 1, 8, "device code: launches of groups by a warp that an SM has at once");
  CASTOR_WORD(pool.full, "launches by device code beyond the pending limit: later and slower, or error 69");
  CASTOR_NUMBER(pool.window, "launches", 1, 64, "window of the launches by device code that wait for the kernel table");
  CASTOR_NUMBER(pool.fixed_overhead, "cycles", 0, 1 << 20, "once in a run, for the first launch by device code");
  CASTOR_NUMBER(context.bytes_per_cycle, "bytes", 1, 4096, "rate of the analytic context mover");
  CASTOR_NUMBER(host.launch_us, "us", 0, 1e6, "a launch call");
  CASTOR_NUMBER(host.sync_us, "us", 0, 1e6, "a synchronisation call");
  CASTOR_NUMBER(host.copy_us, "us", 0, 1e6, "a copy call");
  CASTOR_NUMBER(link.latency_us, "us", 0, 1e6, "host link");
  CASTOR_NUMBER(link.gb_per_s, "GB/s", 0, 10'000, "host link; 0 = none, memory is shared");
  CASTOR_LISTED(link.beat, "bytes", "unit in which copies move", 32, 64, 128);
  CASTOR_WORD(link.shuffle, "words of a copy are performed in a seeded random order");
  CASTOR_NUMBER(watchdog.cycles, "cycles", 1000, kMostLong, "window in which a machine without progress is found");
}

void run_keys(TableWriter& table) {
  table.chapter("Run");
  CASTOR_NUMBER(run.seed, "number", 0, kMostLong, "seed of everything random");
  CASTOR_NUMBER(run.max_cycles, "cycles", 1, kMostLong, "the run ends with an error here");
  CASTOR_NUMBER(run.max_instructions, "warp_instructions", 1, kMostLong, "the run ends with an error here");
  CASTOR_NUMBER(run.max_seconds, "seconds", 1, kMostLong, "of the host, after which the run ends with an error");
  CASTOR_NUMBER(run.stop_after, "kernels", 1, kMostLong, "the run ends after so many kernels");
  CASTOR_NUMBER(run.stop_at, "cycles", 0, kMostLong,
                "the run ends without an error after so many core cycles; 0 = never");
  CASTOR_NUMBER(run.kernel_rows, "rows", 1, kMostLong, "kernels with a row each in the report; later ones share");
  CASTOR_NUMBER(run.window, "cycles", 1, kMostLong, "window of statistics over time");
  CASTOR_WORD(run.windows, "the report has statistics for each window");
  CASTOR_WORD(run.sleep, "idle units are skipped (same results, faster)");
  CASTOR_WORD(run.shuffle, "units tick in a seeded random order (same results)");
  CASTOR_WORD(run.functional, "1: the functional machine, without timing; 0: the timing GPU");
  CASTOR_WORD(run.affine, "affine instances: the functional machine writes them there, a fetch filter may read them");
  CASTOR_WORD(memory.check,
              "reads outside every allocation: a fault, allowed and counted in pages in use, not looked at");
  CASTOR_WORD(check.stale, "an L1 hit on stale data is ignored, counted or an error");
  CASTOR_WORD(check.rows, "checks that no register row is reused too early");
  CASTOR_WORD(check.marks, "the functional machine checks that marked instructions give all warps the same");
  CASTOR_WORD(check.skips, "the timing GPU checks what a fetch filter has warps skip and read");
  CASTOR_WORD(check.redundancy, "the functional machine counts instructions that repeat in warps, blocks and grids");
  CASTOR_WORD(compile.marks, "kernels are compiled with redundancy marks, and their registers renumbered for it");
  CASTOR_WORD(compile.mark_loads, "loads may be marked; 0: none is");
  CASTOR_WORD(compile.barriers, "a barrier of the block ends each basic block that only redundant conditions control");
  CASTOR_NUMBER(compile.renamed, "registers", 1, 32, "most registers that marked instructions write");
  CASTOR_WORD(acquire.mode, "an acquire compares stamps, or empties L1");
  CASTOR_WORD(acquire.child, "launches by device code: L1 lines since their block's acquire, or their own");
  CASTOR_WORD(context.mover, "contexts move through the memory port, or at a fixed rate");
  CASTOR_WORD(replay.enable, "SMs replay recorded services and execute nothing");
  CASTOR_WORD(replay.rate, "whose load slows a replayed TB");
  CASTOR_NUMBER(replay.w0, "warps", 0, kMost, "load from which on replayed TBs slow down; 0 = never");
}

std::vector<MachineKey> make_table() {
  TableWriter table;
  chip_and_clocks(table);
  sm_limits(table);
  front_of_pipeline(table);
  units(table);
  sm_memory(table);
  memory_system(table);
  translation(table);
  front_end(table);
  run_keys(table);
  return table.take();
}

}  // namespace

const std::vector<MachineKey>& machine_table() {
  static const std::vector<MachineKey> table = make_table();
  return table;
}

const base::Schema& machine_schema() {
  static const base::Schema schema = [] {
    base::Schema made;
    for (const MachineKey& key : machine_table()) made.add(key.row);
    return made;
  }();
  return schema;
}

Machine machine_from(const base::Config& config) {
  Machine machine;
  machine.name = config.name();
  machine.title = config.title();
  for (const MachineKey& key : machine_table()) key.assign(machine, config.at(key.row.key));
  check_machine(machine, config);
  return machine;
}

}  // namespace castor::gpu
