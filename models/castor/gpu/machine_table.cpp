#include "castor/gpu/machine_table.h"

#include <type_traits>
#include <utility>

namespace castor::gpu {
namespace {

using base::ConfigValue;
using base::SchemaRow;
using base::ValueType;

// Return the words by which a machine file names the values of an enumeration, in the order of the values.
std::vector<std::string> words(IssuePolicy /*type*/) { return {"gto", "lrr", "oldest", "tl", "catls"}; }
std::vector<std::string> words(IbufferRefill /*type*/) { return {"empty", "slot"}; }
std::vector<std::string> words(AddressHash /*type*/) { return {"off", "xor"}; }
std::vector<std::string> words(Inspect /*type*/) { return {"off", "packet", "walk"}; }
std::vector<std::string> words(DispatchBypass /*type*/) { return {"off", "sticky"}; }
std::vector<std::string> words(DispatchSearch /*type*/) { return {"rr_all", "rr_one"}; }
std::vector<std::string> words(AcquireMode /*type*/) { return {"stamp", "flush"}; }
std::vector<std::string> words(PoolFull /*type*/) { return {"spill", "refuse"}; }
std::vector<std::string> words(ChildAcquire /*type*/) { return {"inherit", "launch"}; }
std::vector<std::string> words(ContextMover /*type*/) { return {"drain", "rate", "engine"}; }
std::vector<std::string> words(ContextPages /*type*/) { return {"dynamic", "static"}; }
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
  } else if constexpr (std::is_same_v<T, std::string>) {
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
  CASTOR_NUMBER(chip.sms, "SMs", 1, 256, "streaming multiprocessors (compute units)");
  CASTOR_WORD(chip.capability, "compute capability reported to programs");
  CASTOR_NUMBER(clock.core_mhz, "MHz", 1, 10'000, "clock of SMs, networks and L2");
  CASTOR_NUMBER(clock.dram_mhz, "MHz", 1, 10'000, "DRAM command clock");
  CASTOR_NUMBER(memory.bytes, "bytes", 1 << 20, 0x1p40 - 0x1p32, "device memory");
  CASTOR_WORD(memory.unified, "host and device share one memory");
}

void sm_limits(TableWriter& table) {
  table.chapter("SM limits and allocation");
  CASTOR_LISTED(sm.lanes, "lanes", "threads per warp (wavefront)", 32, 64);
  CASTOR_NUMBER(sm.warps, "warps", 1, 64, "warp slots of an SM");
  CASTOR_NUMBER(sm.threads, "threads", 32, 4096, "thread slots of an SM");
  CASTOR_NUMBER(sm.tb_slots, "TBs", 1, 64, "largest number of resident thread blocks of an SM");
  CASTOR_NUMBER(sm.tb_contexts, "TBs", 1, 64, "thread block contexts of an SM, swapped-out thread blocks included");
  CASTOR_NUMBER(sm.max_tb_threads, "threads", 1, 1024, "largest number of threads of a thread block");
  CASTOR_NUMBER(sm.registers, "registers", 1024, 1 << 20, "32-bit registers of an SM");
  CASTOR_NUMBER(sm.max_regs_per_thread, "registers", 16, 256, "largest number of registers of a thread");
  CASTOR_NUMBER(sm.reg_alloc_unit, "registers", 1, 4096, "a warp's registers are rounded up to a multiple of this");
  CASTOR_NUMBER(sm.smem_bytes, "bytes", 0, 1 << 20, "shared memory of an SM");
  CASTOR_NUMBER(sm.max_tb_smem, "bytes", 0, 1 << 20, "largest shared memory of a thread block");
  CASTOR_NUMBER(sm.smem_alloc_unit, "bytes", 1, 4096, "a TB's shared memory is rounded up to a multiple of this");
  CASTOR_NUMBER(sm.tb_start_cycles, "ticks", 1, kMostTicks,
                "latency from a TB's start message to the first fetch of its warps");
  CASTOR_NUMBER(sm.tb_divide_cycles, "ticks", 1, kMostTicks,
                "time to compute a 2- or 3-dimensional block index by division");
}

void front_of_pipeline(TableWriter& table) {
  table.chapter("Front of the pipeline and issue");
  CASTOR_NUMBER(fetch.warps, "warps", 1, 64, "warps fetched per tick");
  CASTOR_NUMBER(fetch.insns, "instructions", 1, 16, "consecutive instructions per fetch");
  CASTOR_NUMBER(fetch.branch_cycles, "ticks", 1, 64, "latency from the issue of a branch to the fetch of its target");
  CASTOR_NUMBER(ibuffer.entries, "instructions", 1, 16, "instruction buffer entries per warp");
  CASTOR_WORD(ibuffer.refill, "condition for fetching a warp: its buffer is empty, or its buffer has a free slot");
  CASTOR_NUMBER(icache.bytes, "bytes", 64, 1 << 24, "size of the instruction cache");
  CASTOR_NUMBER(icache.ways, "ways", 1, 1024, "associativity of the instruction cache");
  CASTOR_LISTED(icache.line, "bytes", "line of the instruction cache", 32, 64, 128);
  CASTOR_WORD(icache.ideal, "1: the instruction cache always hits");
  CASTOR_NUMBER(icache.mshrs, "entries", 1, 64, "MSHRs of the instruction cache");
  CASTOR_NUMBER(schedulers, "schedulers", 1, 8, "warp schedulers of an SM");
  CASTOR_WORD(issue.policy, "built-in issue policy");
  CASTOR_NUMBER(issue.tl_group, "warps", 1, 64, "policy tl: warps per group");
  CASTOR_NUMBER(issue.catls_group, "warps", 1, 64, "policy catls: number of warps at which a group is full");
  CASTOR_NUMBER(issue.warps, "warps", 1, 5, "warps from which a scheduler issues per tick; 5 = one per issue class");
  CASTOR_NUMBER(issue.per_warp, "instructions", 1, 2, "instructions that may issue from one warp per tick");
  CASTOR_WORD(issue.dual_issue_diff_units, "1: the two instructions of a pair must use different units");
  CASTOR_NUMBER(issue.period, "ticks", 1, 8, "scheduler s acts in ticks with s mod period = tick mod period");
  CASTOR_WORD(sub_core, "1: each scheduler owns its share of the units");
  CASTOR_NUMBER(barrier.arrive, "ticks", 0, 64, "time for which an arriving warp keeps the SM's barrier unit busy");
  CASTOR_NUMBER_AS("barrier.register", barrier.register_ticks, "ticks", 1, 64, "latency until an arrival is visible");
  CASTOR_NUMBER(barrier.release, "ticks", 1, 64,
                "latency from the visible last arrival to the issue of the released warps");
  CASTOR_WORD(barrier.warp_level, "1: one arriving lane counts for its whole warp");
}

void units(TableWriter& table) {
  table.chapter("Units, register file");
  CASTOR_NUMBER(units.sp, "units", 1, 64, "single-precision units (32 lanes; 64 on a 64-lane machine)");
  CASTOR_NUMBER_AS("units.int", units.integer, "units", 0, 64, "integer units; 0 = integer instructions run on sp");
  CASTOR_NUMBER(units.sfu, "units", 0, 64, "special function units; 0 = their instructions run on sp");
  CASTOR_NUMBER(units.dp, "units", 0, 64,
                "double-precision units; 0 = their instructions run on sp, or on sfu (units.dp_on_sfu)");
  CASTOR_WORD(units.dp_on_sfu, "1: without units of their own, double-precision instructions run on sfu");
  CASTOR_WORD(units.convert_on_sfu, "1: conversions and bit counts run on sfu; 0: like integer instructions");
  CASTOR_NUMBER(units.mem, "units", 1, 8, "load/store units");
  CASTOR_NUMBER(units.mem_shared, "units", 0, 8,
                "load/store units for shared memory only; 0 = one unit for all spaces");
  CASTOR_NUMBER(rf.banks, "banks", 0, 64, "register banks; 0 = operands are read directly");
  CASTOR_NUMBER(rf.ports, "reads", 0, 8, "reads per bank and tick; 0 without banks");
  CASTOR_NUMBER(rf.collectors, "collectors", 0, 64, "operand collectors; 0 = operands are read directly");
  CASTOR_NUMBER(oc_cycles, "ticks", 1, 64, "latency from issue to dispatch without bank conflicts");
  CASTOR_WORD(latency.from,
              "unit latencies count from dispatch to write-back, or, as they are measured, from issue to the issue of "
              "a dependent instruction");
  for (std::size_t i = 0; i < kUnitClasses; ++i) {
    const std::string operations = kOperations[i];
    const std::string prefix = "latency." + std::string(isa::key(static_cast<isa::TimingClass>(i)));
    table.number(
        prefix + ".ticks", "ticks", 1, kMostUnitTime - 1,
        operations, [i](Machine & machine) -> auto& { return machine.latency[i].latency; });
    table.number(
        prefix + ".interval", "ticks", 1, kMostUnitTime - 1,
        "time for which an instruction keeps its unit busy", [i](Machine & machine) -> auto& {
          return machine.latency[i].interval;
        });
  }
}

void sm_memory(TableWriter& table) {
  table.chapter("LSU, shared memory, L1");
  CASTOR_NUMBER(lsu.queue, "entries", 1, 64, "memory instructions between issue and their last pass");
  CASTOR_WORD(lsu.split_wide, "1: accesses of 8 and 16 bytes per lane coalesce in 2 and 4 groups of lanes");
  CASTOR_NUMBER(constant.latency, "ticks", 1, kMostTicks, "latency of constant and parameter loads");
  CASTOR_LISTED(smem.banks, "banks", "shared-memory banks", 16, 32, 64);
  CASTOR_LISTED(smem.bank_bytes, "bytes", "bytes that a bank delivers per round", 4, 8);
  CASTOR_LISTED(smem.interleave, "bytes", "distance of consecutive banks in the address; at most smem.bank_bytes", 4,
                8);
  CASTOR_NUMBER(smem.latency, "ticks", 1, kMostTicks, "latency from the last round to the result");
  CASTOR_NUMBER(smem.round_ticks, "ticks", 1, 64, "time for which a round keeps the unit busy");
  CASTOR_NUMBER(smem.conflict_ticks, "ticks", 1, 64,
                "time for which a round caused by a bank conflict keeps the unit busy");
  CASTOR_NUMBER(smem.replay_ticks, "ticks", 0, kMostTicks,
                "latency from the last round of an instruction with conflicts to its replay through issue for the next "
                "rounds; 0 = the instruction stays in the unit");
  CASTOR_NUMBER(smem.replay_rounds, "rounds", 1, 64, "largest number of rounds per replay");
  CASTOR_WORD(smem.atomics,
              "native: the unit performs atomics; loop: the warp loops and locks words, changes them and unlocks them");
  CASTOR_NUMBER(smem.atomic_latency, "ticks", 0, kMostTicks,
                "native: additional latency of an atomic's result, compared with a load");
  CASTOR_NUMBER(smem.atomic_ticks, "ticks", 1, 64,
                "native: additional time of a round for each further lane of a bank");
  CASTOR_NUMBER(smem.lock_ticks, "ticks", 1, kMostTicks,
                "loop: latency from locking the words to the round that unlocks them");
  CASTOR_NUMBER(smem.retry_ticks, "ticks", 1, kMostTicks,
                "loop: latency from the unlock to the next lock, for lanes whose word another lane had locked");
  CASTOR_NUMBER(l1.sets, "sets", 1, 65536, "sets of L1");
  CASTOR_NUMBER(l1.ways, "ways", 1, 1024, "associativity of L1");
  CASTOR_LISTED(l1.line, "bytes", "line of L1", 32, 64, 128);
  CASTOR_WORD(l1.sectored, "1: L1 fills 32-byte sectors; 0: lines");
  CASTOR_NUMBER(l1.access_latency, "ticks", 1, kMostTicks, "latency from an LSU pass to its L1 lookup");
  CASTOR_NUMBER(l1.return_latency, "ticks", 0, kMostTicks, "latency from the data to the register file");
  CASTOR_NUMBER(l1.banks, "banks", 1, 16, "line accesses of L1 per tick");
  CASTOR_NUMBER(l1.mshrs, "entries", 1, 4096, "MSHRs of L1");
  CASTOR_NUMBER(l1.merges, "requests", 1, 4096, "requests per MSHR of L1");
  CASTOR_NUMBER(l1.miss_queue, "packets", 2, 4096, "packets of L1 that wait for the network");
  CASTOR_WORD(l1.caches_global, "1: global loads are cached in L1");
  CASTOR_WORD(l1.obeys_ca, "1: global loads marked .ca are cached, whatever l1.caches_global is");
  CASTOR_WORD(l1.local_write_back, "1: write-back for local lines; 0: write-through");
  CASTOR_WORD(l1.set_hash, "hash of a line to its set in L1");
}

void memory_system(TableWriter& table) {
  table.chapter("Network, L2, DRAM");
  CASTOR_NUMBER(xbar.latency, "cycles", 1, 1000, "latency of each crossbar");
  CASTOR_WORD(xbar.voq, "1: virtual output queues: an input has one queue per output");
  CASTOR_NUMBER(xbar.flit_bytes, "bytes", 1, 1024, "size of a flit");
  CASTOR_NUMBER(xbar.fifo_flits, "flits", 1, 65536, "depth of each input and output queue");
  CASTOR_NUMBER_AS("sync_net.latency", xbar.sync_latency, "cycles", 1, 255,
                   "latency of the synchronisation network, from port to port");
  CASTOR_NUMBER(l2.slices, "slices", 1, 128, "L2 slices of the chip");
  CASTOR_NUMBER(l2.sets, "sets", 1, 65536, "sets of an L2 slice");
  CASTOR_NUMBER(l2.ways, "ways", 1, 1024, "associativity of L2");
  CASTOR_LISTED(l2.line, "bytes", "line of L2", 32, 64, 128);
  CASTOR_NUMBER(l2.bytes, "bytes", 1024, 1 << 30, "size of L2, all slices together");
  CASTOR_NUMBER(l2.latency, "cycles", 1, 10'000, "latency from the acceptance of a request to its tag lookup");
  CASTOR_NUMBER(l2.mshrs, "entries", 1, 65536, "MSHRs of an L2 slice");
  CASTOR_NUMBER(l2.merges, "requests", 1, 65536, "requests per MSHR of L2");
  CASTOR_NUMBER(l2.miss_queue, "packets", 2, 65536, "requests of an L2 slice that wait for DRAM");
  CASTOR_NUMBER(l2.port_bytes, "bytes", 1, 1024, "bytes that an L2 slice delivers per cycle");
  CASTOR_WORD(l2.flush_at_kernel_end, "1: L2 is flushed when a kernel ends");
  CASTOR_WORD(l2.set_hash, "hash of a line to its set in an L2 slice");
  CASTOR_NUMBER(atomic.latency, "cycles", 0, 10'000, "additional latency of an atomic's reply, compared with a load");
  CASTOR_NUMBER(atomic.words_per_cycle, "words", 1, 64, "different words that an L2 slice updates per cycle");
  CASTOR_NUMBER(atomic.word_cycles, "cycles", 1, 64,
                "time from an update of a word to the next update of the same word");
  CASTOR_NUMBER(dram.channels, "channels", 1, 64, "DRAM channels");
  CASTOR_NUMBER(dram.bytes_per_clk, "bytes", 1, 1024, "bytes that a channel transfers per command clock");
  CASTOR_LISTED(dram.atom, "bytes", "smallest burst", 32, 64, 128);
  CASTOR_NUMBER(dram.banks, "banks", 1, 256, "banks of a channel");
  CASTOR_NUMBER(dram.groups, "groups", 1, 256, "bank groups of a channel");
  CASTOR_NUMBER(dram.row_bytes, "bytes", 256, 1 << 20, "size of a DRAM row");
  CASTOR_NUMBER(dram.rrd, "clocks", 0, 1000, "time from activate to activate of another bank");
  CASTOR_NUMBER(dram.rcd, "clocks", 0, 1000, "time from activate to column command");
  CASTOR_NUMBER(dram.ras, "clocks", 0, 1000, "time from activate to precharge");
  CASTOR_NUMBER(dram.rp, "clocks", 0, 1000, "time from precharge to activate");
  CASTOR_NUMBER(dram.rc, "clocks", 0, 1000, "time from activate to activate of the same bank");
  CASTOR_NUMBER(dram.cl, "clocks", 1, 1000, "time from read command to data");
  CASTOR_NUMBER(dram.wl, "clocks", 0, 1000, "time from write command to data");
  CASTOR_NUMBER(dram.ccd, "clocks", 1, 1000, "time from column command to column command");
  CASTOR_NUMBER(dram.ccdl, "clocks", 1, 1000, "time from column command to column command in the same bank group");
  CASTOR_NUMBER(dram.cdlr, "clocks", 0, 1000, "time from write data to read command");
  CASTOR_NUMBER(dram.wr, "clocks", 0, 1000, "time from write data to precharge");
  CASTOR_NUMBER(dram.rtpl, "clocks", 0, 1000, "time from read command to precharge");
  CASTOR_NUMBER(dram.queue, "requests", 1, 65536, "requests in the queue of a channel");
  CASTOR_NUMBER(dram.return_queue, "requests", 1, 65536, "reads that are started and not yet returned to their slice");
  CASTOR_NUMBER(dram.extra_latency, "cycles", 0, 10'000, "latency from a read's data to the slice");
  CASTOR_NUMBER(dram.trefi, "clocks", 0, 10'000'000, "refresh interval; 0 = no refresh");
  CASTOR_NUMBER(dram.rfc, "clocks", 0, 100'000,
                "time from refresh to activate, in addition to dram.rp; 0 = as dram.rc");
  CASTOR_NUMBER(dram.faw, "clocks", 0, 1000, "window in which at most four activates are allowed; 0 = no limit");
  CASTOR_NUMBER(dram.rtw, "clocks", 0, 1000, "turnaround time of the data bus between read data and write data");
  CASTOR_WORD(map.hash, "hash of an address to its channel");
  CASTOR_WORD(map.bank_hash, "hash of a channel's row to its bank");
}

void translation(TableWriter& table) {
  table.chapter("Address translation");
  CASTOR_LISTED(tlb.page_bytes, "bytes", "page size", 4096, 65536, 131072, 2097152);
  CASTOR_NUMBER(tlb.l1_entries, "entries", 0, 4096,
                "entries of an SM's TLB, behind its L1; 0 = addresses are not translated");
  CASTOR_NUMBER(tlb.l1_ways, "ways", 1, 4096, "associativity of an SM's TLB");
  CASTOR_NUMBER(tlb.l2_entries, "entries", 1, 1 << 20, "entries of the TLB that all SMs share");
  CASTOR_NUMBER(tlb.l2_ways, "ways", 1, 4096, "associativity of the shared TLB");
  CASTOR_NUMBER(tlb.l2_latency, "cycles", 1, 10'000, "latency of a miss in an SM's TLB that hits in the shared TLB");
  CASTOR_NUMBER(tlb.walk_latency, "cycles", 1, 100'000, "additional latency of a miss in the shared TLB");
  CASTOR_NUMBER(tlb.walkers, "walks", 1, 1024, "misses of the shared TLB that may be in flight");
}

void front_end(TableWriter& table) {
  table.chapter("Front end, host");
  CASTOR_NUMBER(queue.count, "queues", 1, 1024, "hardware queues");
  CASTOR_NUMBER(queue.depth, "packets", 1, 65536, "packets that a queue holds");
  CASTOR_WORD(queue.in_memory, "1: queues are rings in memory; 0: FIFOs on the chip");
  CASTOR_WORD(inspect,
              "source from which the queue inspector takes a job's kernel list: none, the JOB packet, or the kernel "
              "packets behind it");
  CASTOR_NUMBER(parse.lanes, "lanes", 1, 1024, "packets parsed at the same time");
  CASTOR_NUMBER(parse.latency, "cycles", 0, 10'000'000,
                "latency from the grant of a parse lane to the kernel's table entry");
  CASTOR_NUMBER(parse.interval, "cycles", 1, 10'000'000, "time from one grant to the next");
  CASTOR_NUMBER(parse.select_scan, "queues", 0, 10'000, "queues examined per cycle to choose a source; 0 = all");
  CASTOR_NUMBER(table.entries, "kernels", 1, 1024, "entries of the kernel table");
  CASTOR_WORD(dispatch.bypass, "sticky: a kernel whose TB fits may bypass a kernel whose TB does not fit");
  CASTOR_WORD(dispatch.search,
              "SMs examined for free resources per cycle, starting after the last one used: all or one");
  CASTOR_NUMBER(dispatch.select_scan, "queues", 0, 10'000,
                "queues examined per cycle to choose the kernel of the next TB; 0 = all");
  CASTOR_NUMBER(done_fifo, "TBs", 1, 1024, "retired TBs of an SM that wait to be counted as complete");
  CASTOR_NUMBER(launch.stream_warp, "ticks", 0, 131'071, "device code: latency of a call that creates a stream");
  CASTOR_NUMBER(launch.buffer_warp, "ticks", 0, 131'071, "device code: latency of a warp's call for parameter buffers");
  CASTOR_NUMBER(launch.buffer_lane, "ticks", 0, 131'071,
                "device code: additional latency of a call for parameter buffers per calling lane");
  CASTOR_NUMBER(launch.launch_warp, "ticks", 0, 131'071, "device code: latency of a warp's call that launches kernels");
  CASTOR_NUMBER(launch.launch_lane, "ticks", 0, 131'071,
                "device code: additional latency of a launch call per calling lane");
  CASTOR_NUMBER(launch.spill_lane, "ticks", 0, 131'071,
                "device code: additional latency of a launch call per lane whose launch spills (pool.full)");
  CASTOR_NUMBER(launch.commands, "commands", 1, 8,
                "device code: group launch commands of warps that an SM may have in flight");
  CASTOR_WORD(
      pool.full,
      "launches by device code beyond the pending limit: run later and slower (spill), or fail with error 69 (refuse)");
  CASTOR_NUMBER(pool.window, "launches", 1, 64,
                "on-chip window of launches by device code that wait for the kernel table");
  CASTOR_NUMBER(pool.fixed_overhead, "cycles", 0, 1 << 20, "delay of the first launch by device code, once per run");
  CASTOR_NUMBER(context.bytes_per_cycle, "bytes", 1, 4096,
                "rate at which contexts of thread blocks move (context.mover rate, and parents that wait)");
  CASTOR_WORD(context.pages,
              "memory for thread blocks that a block swaps out: pages on demand (dynamic), or each image by itself "
              "(static)");
  CASTOR_NUMBER(context.page_latency, "cycles", 2, 100'000,
                "time from an SM's request for memory for a context to the grant, if a page must be taken; else 2");
  CASTOR_NUMBER(context.region, "bytes", 2 << 20, 0x1p36,
                "region for contexts, taken on machines with a block that swaps out thread blocks");
  CASTOR_NUMBER(host.launch_us, "us", 0, 1e6, "time of the host in a launch call");
  CASTOR_NUMBER(host.sync_us, "us", 0, 1e6, "time of the host in a synchronisation call");
  CASTOR_NUMBER(host.copy_us, "us", 0, 1e6, "time of the host in a copy call");
  CASTOR_NUMBER(link.latency_us, "us", 0, 1e6, "latency of the host link");
  CASTOR_NUMBER(link.gb_per_s, "GB/s", 0, 10'000, "bandwidth of the host link; 0 = no link, memory is shared");
  CASTOR_LISTED(link.beat, "bytes", "unit in which copies are transferred", 32, 64, 128);
  CASTOR_WORD(link.shuffle, "1: words of a copy are performed in a seeded random order");
  CASTOR_NUMBER(watchdog.cycles, "cycles", 1000, kMostLong,
                "length of the watchdog's windows; a machine without progress is detected at the end of a window");
}

void run_keys(TableWriter& table) {
  table.chapter("Run");
  CASTOR_NUMBER(run.seed, "number", 0, kMostLong, "seed of all random choices");
  CASTOR_NUMBER(run.max_cycles, "cycles", 1, kMostLong, "number of core cycles after which the run ends with an error");
  CASTOR_NUMBER(run.max_instructions, "warp_instructions", 1, kMostLong,
                "number of warp instructions after which the run ends with an error");
  CASTOR_NUMBER(run.max_seconds, "seconds", 1, kMostLong, "time of the host after which the run ends with an error");
  CASTOR_NUMBER(run.stop_after, "kernels", 1, kMostLong, "number of completed kernels after which the run ends");
  CASTOR_NUMBER(run.stop_at, "cycles", 0, kMostLong,
                "number of core cycles after which the run ends without an error; 0: never");
  CASTOR_NUMBER(run.kernel_rows, "rows", 1, kMostLong,
                "number of kernels with a row of their own in the report; later kernels share rows");
  CASTOR_NUMBER(run.window, "cycles", 1, kMostLong, "length of a window of statistics over time");
  CASTOR_WORD(run.windows, "1: the report has statistics for each window");
  CASTOR_WORD(run.sleep, "1: idle units are skipped (same results, faster)");
  CASTOR_WORD(run.shuffle, "1: units tick in a seeded random order (same results)");
  CASTOR_WORD(run.functional, "1: the functional machine, without timing; 0: the timing GPU");
  CASTOR_WORD(memory.check,
              "reads outside every allocation: a fault (allocation), allowed and counted inside used pages (page), or "
              "not checked (off)");
  CASTOR_WORD(check.stale, "an L1 hit on stale data is ignored, counted or an error");
  CASTOR_WORD(check.rows, "1: checks that no register row is reused too early");
  CASTOR_WORD(check.marks,
              "1: the functional machine checks that marked instructions give the same results in all warps");
  CASTOR_WORD(
      check.skips,
      "1: the timing GPU checks the instructions that a fetch filter has warps skip, and the values that they read");
  CASTOR_WORD(check.redundancy, "1: the functional machine counts instructions that repeat in warps, blocks and grids");
  CASTOR_WORD(
      check.live,
      "1: on the functional machine, thread blocks that sleep at device-wide synchronisation lose what need not "
      "be saved: dead registers, and shared memory that is promised to be read-only");
  CASTOR_WORD(compile.marks, "1: kernels are compiled with redundancy marks, for which their registers are renumbered");
  CASTOR_WORD(compile.mark_loads, "1: loads may be marked");
  CASTOR_WORD(compile.barriers,
              "1: a barrier of the block ends each basic block that only redundant conditions control");
  CASTOR_NUMBER(compile.renamed, "registers", 1, 32, "largest number of registers that marked instructions may write");
  CASTOR_WORD(acquire.mode, "an acquire compares stamps of L1 lines (stamp), or empties L1 (flush)");
  CASTOR_WORD(acquire.child, "acquire cycle of launches by device code: inherited from their block, or of their own");
  CASTOR_WORD(
      context.mover,
      "preempted thread blocks run to their end (drain), move at context.bytes_per_cycle (rate), or are moved by "
      "the swap engine of a block (engine)");
  CASTOR_NUMBER(context.random, "number", 0, kMostLong,
                "for tests: thread blocks are swapped out at random instruction boundaries; 0: off");
  CASTOR_WORD(replay.enable, "1: SMs replay recorded service times and execute no instructions");
  CASTOR_WORD(replay.rate, "load that slows a replayed TB down: none, of the GPU, of the SM, or by the file's table");
  CASTOR_NUMBER(replay.w0, "warps", 0, kMost, "load above which replayed TBs slow down; 0 = never");
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
