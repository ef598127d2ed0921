#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm/barriers.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/context_unit.h"
#include "castor/gpu/sm/control_unit.h"
#include "castor/gpu/sm/departures.h"
#include "castor/gpu/sm/device_calls.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/filter_unit.h"
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/issue_counter.h"
#include "castor/gpu/sm/issue_stage.h"
#include "castor/gpu/sm/kernel_ticks.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/runtime_unit.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/tick_accounting.h"
#include "castor/gpu/sm/wait_report.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// A streaming multiprocessor (compute unit) that executes instructions (docs/gpu/sm.md, "The SM").
///
/// Registers are exchanged when an instruction issues, memory when the access is performed. An instruction reserves its
/// whole path at issue, so nothing is done for arithmetic afterwards; what happens later lies in an event wheel. Times
/// inside an SM are ticks (enabled clock edges), stamps of messages are core cycles.
///
/// State belongs to the parts, each in a header of its own that says what it may be asked in which step of a tick. Here
/// are the order of the steps, and what concerns several parts at once: a thread block starts, ends early, retires;
/// when the SM has to be awake.
///
/// A tick writes what is this SM's own and nothing else (docs/gpu/sm.md, "What SMs share"), so SMs may tick in any
/// order, and beside each other; what it has for others stays here until `hand_over`.
///
/// `memory` is crossbar input `index`; a request costs its flits, the depth is machine key xbar.fifo_flits.
class Sm final : public sc_core::sc_module, public SmUnit, private SmMemoryClient {
 public:
  /// `statistics` gets a group "sm<index>". `observer` may be null, and `tlb` if addresses are not translated.
  Sm(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
     base::StatisticGroup& statistics, const SmHooks& hooks = {}, Observer* observer = nullptr,
     SharedTlb* tlb = nullptr);

  InitiatorPort memory;

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// For the end of cycle `now`, when all units have ticked: sends, wakes and tells what the tick left for others, and
  /// compares the cycle's L1 hits with memory (check.stale).
  void hand_over(Cycle now);
  /// Keeps whether there is something to hand over in a place of the owner's, who lowers it.
  void keep_hand_over_in(bool& place) { departures_.flag().keep_in(place); }
  void set_clock_enable(bool enable, Cycle from) override;
  void kill(const KernelContext& kernel, Cycle visible) override;
  std::optional<Fault> serve(unsigned warp, DeviceServices& services, Cycle resume) override;
  void serve_runtime(unsigned warp, LaunchService& service, Cycle reply) override;
  void tell_runtime(const RuntimeNews& news) override;
  [[nodiscard]] bool idle() const override;
  [[nodiscard]] std::string waiting() const override { return report().text(); }
  void waits(WaitGraph& graph) const override { report().add_to(graph); }

  /// Asserts what holds between two cycles: with no message under way the SM counts the same room as the ledger does,
  /// and every live warp that is blocked waits for something that is there.
  void check_invariants(const SmRoom& ledger) const;
  /// For the fixed-point watchdog: the window under way.
  [[nodiscard]] SpinWatch& watch() { return watch_; }
  [[nodiscard]] const SpinWatch& watch() const { return watch_; }
  /// Grows with every TB that starts or retires and every barrier that completes.
  [[nodiscard]] std::uint64_t progress() const {
    return counters().tb_started + counters().tb_retired + counters().barrier_instances;
  }
  /// Nothing is on its way to or from this SM and no timer runs, other than instructions and their accesses.
  [[nodiscard]] bool still() const;
  /// A report of what each of its warps waits for.
  [[nodiscard]] SmWaitReport report() const;

  void add_waves(Waves& waves, const std::string& scope) const override;

  [[nodiscard]] const SmCounters& counters() const { return statistics_.counters(); }
  [[nodiscard]] const SmStatistics& statistics() const { return statistics_; }
  /// Issued so far.
  [[nodiscard]] std::uint64_t warp_instructions() const { return counter_.total(); }
  /// Instructions of the kernels in a table entry since `clear_entry`.
  [[nodiscard]] const EntryCounts& entry_instructions(unsigned entry) const { return counter_.of_entry(entry); }
  /// What the memory side did for them.
  [[nodiscard]] const SmMemory::Traffic& entry_traffic(unsigned entry) const { return memory_side_.traffic(entry); }
  /// Whose its ticks were.
  [[nodiscard]] const KernelTicks& kernel_ticks() const { return kernel_ticks_; }
  /// What its fetch filter did for them; null without one.
  [[nodiscard]] const FilterCounts* entry_filter(unsigned entry) const {
    return filter_ != nullptr ? &filter_->counters().of_entry(entry) : nullptr;
  }
  void clear_entry(unsigned entry) {
    counter_.clear(entry);
    kernel_ticks_.clear(entry);
    memory_side_.clear_traffic(entry);
    if (filter_ != nullptr) filter_->counters().clear_entry(entry);
  }

 private:
  // Steps of a tick.
  void take_messages();  // S0
  void take_events();    // S1
  void complete(MemoryOperation& operation, unsigned w);
  void issue();  // S5
  [[nodiscard]] unsigned execute(unsigned scheduler, unsigned w);
  void decode();         // S6
  void meet_barriers();  // S8
  void bookkeeping();
  void clock_hooks();  // S9
  void finish_tick();  // S10
  [[nodiscard]] Cycle next_wake();

  // SmMemoryClient: S2, S3.
  void data_ready(MemoryOperation& operation, Tick ready) override;
  void acknowledged(unsigned warp) override;
  void record_stored(unsigned warp, std::uint32_t number) override;
  void goes_on(unsigned warp) override;
  void fetched(std::uint64_t line) override;

  // What concerns several parts.
  void start_tb(const TbStartMessage& message);
  void stop_tb(unsigned context);
  void retire_one();
  [[nodiscard]] WarpMask under_way() const;
  void suspend_one();
  void leave(unsigned context, WarpMask warps);
  void count_slept(Tick end);

  Departures departures_;
  SmStatistics statistics_;
  SmClock clock_;
  bool busy_ = false;  ///< something happened in this tick that the next tick may build on
  KernelTicks kernel_ticks_;
  EventWheel wheel_;
  Pipelines pipelines_;
  BlockedWarps blocked_;
  WarpTable warps_;
  Scoreboard scoreboard_;
  InstructionBuffer buffer_;
  SpinWatch watch_;
  ThreadBlocks tbs_;
  FaultPort faults_;
  SmMemory memory_side_;
  FetchStage fetch_;
  IssueStage issue_;
  Barriers barriers_;
  DeviceCalls calls_;
  RuntimeUnit runtime_;
  ContextUnit contexts_;
  ControlUnit control_;
  Executor executor_;
  IssueCounter counter_;
  HookPort hooks_;
  struct Restored {
    unsigned context = 0;
    std::shared_ptr<const SuspendedTb> tb;
  };
  std::vector<Restored> restored_;      ///< in this tick; their local memory is to be put where they have it now
  std::unique_ptr<FilterUnit> filter_;  ///< null without a fetch filter
};

}  // namespace castor::gpu
