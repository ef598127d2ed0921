#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/sync_support.h"
#include "castor/isa/timing_class.h"

namespace castor::gpu {

/// Timing classes with an execution unit of their own: the rows of the latency table. Loads, stores, atomics and
/// control have no fixed latency.
inline constexpr std::size_t kUnitClasses = static_cast<std::size_t>(isa::TimingClass::kPredicate) + 1;
/// Largest sum of latency and initiation interval of a timing class, in ticks. The horizon of EventWheel exceeds this
/// number.
inline constexpr unsigned kMostUnitTime = 1900;

/// Warp scheduling policies: greedy then oldest, loose round robin, oldest first, two-level, thread-block-aware
/// two-level.
enum class IssuePolicy : std::uint8_t { kGto, kLrr, kOldest, kTl, kCatls };
/// Condition for fetching a warp: its instruction buffer is empty, or its instruction buffer has a free slot.
enum class IbufferRefill : std::uint8_t { kEmpty, kSlot };
/// Hash that selects the channel, set or bank of an address.
enum class AddressHash : std::uint8_t { kOff, kXor };
/// Source from which the queue inspector takes a job's kernel list: none (no inspection), the list in the JOB packet,
/// or the kernel packets behind the JOB packet.
enum class Inspect : std::uint8_t { kOff, kPacket, kWalk };
/// Whether a kernel whose TB fits may bypass one whose TB does not fit.
enum class DispatchBypass : std::uint8_t { kOff, kSticky };
/// SMs that the dispatcher checks per cycle for room for a TB: all or one.
enum class DispatchSearch : std::uint8_t { kRoundRobinAll, kRoundRobinOne };
/// Treatment of launches by device code beyond the pending limit: they run later and slower, or fail with error 69.
enum class PoolFull : std::uint8_t { kSpill, kRefuse };
/// Acquire cycle of a launch by device code: inherited from the parent's TB, or of its own.
enum class ChildAcquire : std::uint8_t { kInherit, kLaunch };
/// An acquire compares the stamps of L1 lines, or invalidates all lines.
enum class AcquireMode : std::uint8_t { kStamp, kFlush };
/// Contexts move through the memory port, or at a fixed rate (bytes per cycle).
enum class ContextMover : std::uint8_t { kDrain, kRate, kEngine };
/// Memory for images of swapped-out thread blocks: pages taken on demand, or one contiguous range for each kernel.
enum class ContextPages : std::uint8_t { kDynamic, kStatic };
/// Accesses outside allocations: all refused, loads in mapped pages allowed, or all allowed.
enum class MemoryCheck : std::uint8_t { kAllocation, kPage, kOff };
/// An L1 hit on stale data is ignored, counted or an error.
enum class StaleCheck : std::uint8_t { kOff, kCount, kError };
/// Latencies of units count from dispatch to write-back, or from issue to the issue of a dependent instruction.
enum class LatencyFrom : std::uint8_t { kDispatch, kIssue };
/// Atomics on shared memory: by the unit, or by a lock-update-unlock loop.
enum class SharedAtomics : std::uint8_t { kNative, kLoop };
/// Rate of the virtual clock of replayed TBs: constant, by the load of the GPU or of the SM, or from a table.
enum class ReplayRate : std::uint8_t { kNone, kGpu, kSm, kTable };

/// Compute capability reported to programs; no behaviour of the model depends on it.
struct Capability {
  unsigned major_number = 0, minor_number = 0;
};

/// Parameters of a GPU, as read from a machine file. The path of a member is its key in the file ("sm.warps"). Unit,
/// range and meaning of each key are in docs/machines.md, which is generated from the table (machine_table.cpp) that
/// also fills this struct. The members have no defaults: `machine_from` sets every member or throws.
///
/// Latencies inside an SM are in ticks, all other latencies in core cycles, DRAM timing in DRAM clocks.
struct Machine {
  std::string name;   ///< name of the machine file
  std::string title;  ///< one-line description for users

  struct Chip {
    unsigned sms;
    Capability capability;
    SyncSupport sync;  ///< no key: what the machine's blocks answer
  } chip{};
  struct Clock {
    double core_mhz, dram_mhz;
  } clock{};
  struct Memory {
    std::uint64_t bytes;
    bool unified;
    MemoryCheck check;
  } memory{};
  struct Sm {
    unsigned lanes, warps, threads, tb_slots, tb_contexts, max_tb_threads;
    unsigned registers, max_regs_per_thread, reg_alloc_unit;
    unsigned smem_bytes, max_tb_smem, smem_alloc_unit;
    unsigned tb_start_cycles, tb_divide_cycles;
  } sm{};

  struct Fetch {
    unsigned warps, insns, branch_cycles;
  } fetch{};
  struct Ibuffer {
    unsigned entries;
    IbufferRefill refill;
  } ibuffer{};
  struct Icache {
    unsigned bytes, ways, line;
    bool ideal;
    unsigned mshrs;
  } icache{};
  unsigned schedulers = 0;
  struct Issue {
    IssuePolicy policy;
    unsigned tl_group, catls_group;  ///< number of warps per group
    unsigned warps, per_warp;
    bool dual_issue_diff_units;
    unsigned period;
  } issue{};
  bool sub_core = false;
  struct Barrier {
    unsigned arrive, register_ticks, release;  ///< keys barrier.arrive, barrier.register, barrier.release
    bool warp_level;
  } barrier{};

  /// Execution units per SM. 0 = the class has no unit of its own. Integer and special-function instructions then run
  /// on sp, f64 on `dp_on_sfu ? sfu : sp`. Conversions and bit counts run on integer, or on sfu with `convert_on_sfu`.
  struct Units {
    unsigned sp, integer, sfu, dp;  ///< key of `integer`: units.int
    bool dp_on_sfu, convert_on_sfu;
    unsigned mem, mem_shared;
  } units{};
  struct Rf {
    unsigned banks, ports, collectors;
  } rf{};
  unsigned oc_cycles = 0;
  /// Latency and initiation interval of a timing class; keys latency.<class>.ticks and latency.<class>.interval.
  struct Timing {
    unsigned latency, interval;
  };
  struct Latency {
    LatencyFrom from;
    std::array<Timing, kUnitClasses> of_class;
    [[nodiscard]] Timing& operator[](std::size_t timing_class) { return of_class[timing_class]; }
  } latency{};
  [[nodiscard]] const Timing& timing(isa::TimingClass timing_class) const {
    return latency.of_class[static_cast<std::size_t>(timing_class)];
  }

  struct Lsu {
    unsigned queue;
    bool split_wide;
  } lsu{};
  struct Constant {
    unsigned latency;
  } constant{};
  struct Smem {
    unsigned banks, bank_bytes, interleave, latency;
    unsigned round_ticks, conflict_ticks, replay_ticks, replay_rounds;
    SharedAtomics atomics;
    unsigned atomic_latency, atomic_ticks, lock_ticks, retry_ticks;
  } smem{};
  struct L1 {
    unsigned sets, ways, line;
    bool sectored;
    unsigned access_latency, return_latency, banks, mshrs, merges, miss_queue;
    bool caches_global, obeys_ca, local_write_back;
    AddressHash set_hash;
  } l1{};
  struct Acquire {
    AcquireMode mode;
    ChildAcquire child;
  } acquire{};

  struct Xbar {
    unsigned latency;
    bool voq;
    unsigned flit_bytes, fifo_flits;
    unsigned sync_latency;  ///< key sync_net.latency: of the synchronisation network, a crossbar of its own
  } xbar{};
  struct L2 {
    unsigned slices, sets, ways, line;
    std::uint64_t bytes;
    unsigned latency, mshrs, merges, miss_queue, port_bytes;
    bool flush_at_kernel_end;
    AddressHash set_hash;
  } l2{};
  struct Atomic {
    unsigned latency, words_per_cycle, word_cycles;
  } atomic{};
  struct Dram {
    unsigned channels, bytes_per_clk, atom, banks, groups, row_bytes;
    unsigned rrd, rcd, ras, rp, rc, cl, wl, ccd, ccdl, cdlr, wr, rtpl;
    unsigned queue, return_queue, extra_latency, trefi;
    unsigned rfc, faw, rtw;
  } dram{};
  struct Map {
    AddressHash hash, bank_hash;
  } map{};

  /// Address translation. Only its time is modelled; virtual and physical addresses are equal. l1_entries 0 = no TLB.
  struct Tlb {
    std::uint64_t page_bytes;
    unsigned l1_entries, l1_ways, l2_entries, l2_ways, l2_latency, walk_latency, walkers;
  } tlb{};

  struct Queue {
    unsigned count, depth;
    bool in_memory;
  } queue{};
  Inspect inspect{};
  struct Parse {
    unsigned lanes, latency, interval, select_scan;
  } parse{};
  struct Table {
    unsigned entries;
  } table{};
  struct Dispatch {
    DispatchBypass bypass;
    DispatchSearch search;
    unsigned select_scan;
  } dispatch{};
  unsigned done_fifo = 0;
  /// Launches by device code: duration of the runtime calls, in ticks, and the capacity for waiting group launches.
  struct Launch {
    unsigned stream_warp, buffer_warp, buffer_lane, launch_warp, launch_lane, spill_lane, commands;
  } launch{};
  struct Pool {
    PoolFull full;
    unsigned window;
    std::uint64_t fixed_overhead;
  } pool{};
  struct Context {
    unsigned bytes_per_cycle;
    ContextMover mover;
    std::uint64_t random;  ///< seed of random swaps; 0 = none
    ContextPages pages;
    unsigned page_latency;
    std::uint64_t region;  ///< bytes of the region for images
  } context{};
  struct Host {
    double launch_us, sync_us, copy_us;
  } host{};
  struct Link {
    double latency_us, gb_per_s;  ///< gb_per_s 0 = host and device share one memory
    unsigned beat;
    bool shuffle;
  } link{};
  struct Watchdog {
    std::uint64_t cycles;
  } watchdog{};

  struct Replay {
    bool enable;
    ReplayRate rate;
    unsigned w0;
  } replay{};
  struct Run {
    std::uint64_t seed;
    std::optional<std::uint64_t> max_cycles, max_instructions, stop_after;  ///< empty = none
    std::optional<std::uint64_t> max_seconds;                               ///< wall time of the host; empty = no limit
    std::uint64_t stop_at;  ///< core cycles after which the run ends without an error; 0 = never
    std::uint64_t kernel_rows, window;
    bool windows, sleep, shuffle, functional;
  } run{};
  struct Compile {
    bool marks, mark_loads, barriers;
    unsigned renamed;
  } compile{};
  struct Check {
    StaleCheck stale;
    bool rows, marks, skips, redundancy, live;
  } check{};

  /// Returns the peak DRAM bandwidth in 10^9 bytes per second: channels x bytes per clock x clock.
  [[nodiscard]] double peak_gb_per_s() const {
    return static_cast<double>(dram.channels) * dram.bytes_per_clk * clock.dram_mhz * 1e-3;
  }
};

}  // namespace castor::gpu
