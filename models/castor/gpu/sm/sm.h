#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm/barriers.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/departures.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/issue_stage.h"
#include "castor/gpu/sm/memory_replies.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_accounts.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_mechanisms.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/wait_report.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// A streaming multiprocessor (compute unit) that executes instructions (docs/gpu/sm.md, "The SM").
///
/// Register values are computed when an instruction issues; memory is accessed when the access is performed. An
/// instruction reserves its whole path at issue, so arithmetic needs no later work; later effects are events of the
/// event wheel. Times inside an SM are ticks (enabled clock edges); time stamps of messages are core cycles.
///
/// State belongs to the parts of the core and to mechanisms. Each part has a header that says which functions may be
/// called in which step of a tick. This class holds the order of the steps, the operations on thread blocks that
/// concern several parts (start, stop, swap out, retire), and the wake-up time of the SM.
///
/// `Mechanisms` is a MechanismList that contains DeviceCalls and DeviceRuntime, which serve messages of the front end.
/// `Sm` has the mechanisms of all machines. Function bodies are in sm_steps.h.
///
/// A tick writes only this SM's own state (docs/gpu/sm.md, "What SMs share"), so SMs may tick in any order or in
/// parallel. Output of a tick is buffered until `hand_over`.
///
/// `memory` is crossbar input `index`. A request costs its flits; the depth of the port is machine key xbar.fifo_flits.
template <class Mechanisms>
class BasicSm final : public sc_core::sc_module, public SmUnit {
 public:
  /// `statistics` gets a group "sm<index>". `observer` may be null; `tlb` is null without address translation.
  BasicSm(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
          base::StatisticGroup& statistics, const SmHooks& hooks = {}, Observer* observer = nullptr,
          SharedTlb* tlb = nullptr);

  InitiatorPort memory;

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Delivers the output of the tick: messages, wake-ups, observer events. Also compares the cycle's L1 hits with
  /// memory (check.stale). Called at the end of cycle `now`, when all units have ticked.
  void hand_over(Cycle now);
  /// Stores the flag for pending output in `place`, which the owner clears after `hand_over`.
  void keep_hand_over_in(bool& place) { departures_.flag().keep_in(place); }
  void set_clock_enable(bool enable, Cycle from) override {
    if (!clock_.enable(enable, from) || !enable) return;
    accounts_.ticks.accounting().set_clock_off(clock_.cycles_off(from));
    wake_at(from);
  }
  void kill(const KernelContext& kernel, Cycle visible) override {
    tbs_.kill(kernel, visible);
    wake_at(visible);
  }
  void swap_out(const SwapOutRequest& request) override {
    tbs_.swap(request);
    wake_at(request.visible);
  }
  std::optional<Fault> serve(unsigned w, DeviceServices* services, Cycle resume) override {
    wake_at(resume);
    return mechanisms_.template get<DeviceCalls>().serve(w, services, resume);
  }
  void serve_runtime(unsigned w, LaunchService& service, Cycle reply) override {
    wake_at(reply);
    mechanisms_.template get<DeviceRuntime>().calls().serve(w, service, reply);
  }
  void notify_runtime(const RuntimeNotification& notification) override {
    wake_at(notification.visible);
    mechanisms_.template get<DeviceRuntime>().calls().tell(notification);
  }
  [[nodiscard]] bool idle() const override { return tbs_.resident() == 0 && inbox_.size() == 0 && memory_side_.idle(); }
  [[nodiscard]] std::string waiting() const override { return report().text(); }
  void waits(WaitGraph& graph) const override {
    report().add_to(graph);
    mechanisms_.each([&graph](const auto& one) { one.waits(graph); });
  }

  /// Asserts the invariants between two cycles. Without messages in flight the SM's free resources equal the ledger's.
  /// The SM's parts agree on warp slots, accesses in flight and warps at barriers.
  void check_invariants(const SmResources& ledger) const {
    report().check(inbox_.size() == 0 && outbox_.empty() ? &ledger : nullptr, clock_.now());
  }
  /// Returns the spin watch of the fixed-point watchdog.
  [[nodiscard]] SpinWatch& watch() { return watch_; }
  [[nodiscard]] const SpinWatch& watch() const { return watch_; }
  /// Returns a number that grows with every TB start, TB retirement and completed barrier.
  [[nodiscard]] std::uint64_t progress() const {
    return counters().tb_started + counters().tb_retired + counters().barrier_instances;
  }
  /// Returns whether the SM has no message in flight and no timer running; instructions and their accesses may be in
  /// flight.
  [[nodiscard]] bool still() const;
  /// Returns a report of the reason for which each warp waits.
  [[nodiscard]] SmWaitReport report() const;

  void add_waves(Waves& waves, const std::string& scope) const override;

  [[nodiscard]] const SmCounters& counters() const { return statistics_.counters(); }
  [[nodiscard]] const SmStatistics& statistics() const { return statistics_; }
  /// Returns the ticks and instructions for the kernels of each kernel table entry since `clear_entry`.
  [[nodiscard]] const SmAccounts& accounts() const { return accounts_; }
  /// Returns the memory traffic of the kernels in a kernel table entry since `clear_entry`.
  [[nodiscard]] const MemoryTraffic& entry_traffic(unsigned entry) const { return memory_side_.traffic(entry); }
  void clear_entry(unsigned entry) {
    accounts_.clear(entry);
    memory_side_.clear_traffic(entry);
    mechanisms_.each([entry](auto& one) { one.clear_entry(entry); });
  }
  /// Returns a mechanism of the SM, or null if the machine does not have it.
  template <class Mechanism>
  [[nodiscard]] const Mechanism* mechanism() const {
    return mechanisms_.template find<Mechanism>();
  }

 private:
  // Steps of a tick. The compiler inlines functions that run in every tick only with the attributes given here.
  void take_orders();                                                                  // S0, start
  void take_events();                                                                  // S1, events
  [[gnu::always_inline]] void issue();                                                 // S5, issue
  [[nodiscard, gnu::always_inline]] unsigned execute(unsigned scheduler, unsigned w);  // S5
  void meet_barriers();                                                                // S8, bookkeeping
  [[gnu::always_inline]] void bookkeeping();                                           // S8
  [[gnu::always_inline]] void finish_tick();                                           // S10, end of the tick
  [[nodiscard]] Cycle next_wake() const;

  // Operations on a thread block that concern several parts.
  void start_tb();
  void stop_tb(unsigned context);
  void retire_tb();
  void swap_tbs();
  void leave(unsigned context, WarpMask warps);
  [[nodiscard]] WarpMask busy_warps() const;
  void count_slept(Tick end);

  Departures departures_;
  SmStatistics statistics_;
  SmClock clock_;
  const SmParts parts_;
  MemoryReplies<Mechanisms> replies_;
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
  Mechanisms mechanisms_;
  Executor executor_;
  SmAccounts accounts_;
};

extern template class BasicSm<SmMechanisms>;
using Sm = BasicSm<SmMechanisms>;

}  // namespace castor::gpu
