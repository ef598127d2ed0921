#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/front_end/copy_engine.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/fault_unit.h"
#include "castor/gpu/front_end/front_end_levels.h"
#include "castor/gpu/front_end/front_end_mechanisms.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/parse_stage.h"
#include "castor/gpu/front_end/queue_head_service.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/front_end/register_port.h"
#include "castor/gpu/front_end/release_unit.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/front_end/wait_report.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class Waves;

/// Front end of the GPU (docs/gpu/front-end.md, "Front end"). Its parts are queues, parse lanes, kernel table,
/// dispatcher with its ledger, launch trees, events, completions, and a list of mechanisms (mechanism.h) that a machine
/// may lack. The device owns it. Each part keeps its own state; the part's header says in which steps of the cycle its
/// functions may be called. This class connects the parts, fixes the order of the steps in a cycle, and carries values
/// from one part to another between steps. The list must contain `LaunchSide`, `GovernorSide`, `DispatchPort` and
/// `Preemptor`, because other parts query them.
///
/// A packet submitted with stamp c is in its queue from cycle c on. A kernel at the head of a queue that was ready at
/// the start of a cycle is granted a parse lane (F8, parse). Its table entry is written max(1, parse.latency) cycles
/// after the grant. From the cycle after the write its TBs are placed, one per cycle in the whole GPU (F5, placement).
/// When a TB's retire message is visible, its resources are credited (F2, retire). The TB is counted as complete when
/// it is drained from the done FIFO, one TB per cycle. When all its TBs are counted, the kernel is complete (F7,
/// release) and its queue resumes in the next cycle. Packets other than kernels are served at the head of their queue,
/// one per queue and cycle. A copy blocks its queue until the copy engine is done.
template <class Mechanisms>
class BasicFrontEnd final : public sc_core::sc_module, public Unit {
 public:
  static constexpr unsigned kCopyEngines = QueueHeadService::kCopyEngines;

  /// All arguments passed by reference or pointer must outlive the front end; `observer` may be null. Throws InputError
  /// for hooks that exclude each other and for a machine beyond the limits of the hooks' records.
  BasicFrontEnd(const sc_core::sc_module_name& name, const Machine& machine, Store& store, const ProgramTable& programs,
                const std::vector<SmUnit*>& sms, const std::array<CopyEngine*, kCopyEngines>& copies,
                const Hooks& hooks, Observer* observer, base::StatisticGroup& statistics);

  /// Returns the port that is connected to the crossbar, input number = chip.sms.
  [[nodiscard]] InitiatorPort& memory_port() { return port_; }
  /// Returns a mechanism of the list, chosen by its type.
  template <class Mechanism>
  [[nodiscard]] Mechanism& mechanism() {
    return mechanisms_.template get<Mechanism>();
  }
  template <class Mechanism>
  [[nodiscard]] const Mechanism& mechanism() const {
    return mechanisms_.template get<Mechanism>();
  }
  /// Implements Device::hold_kernel.
  void hold_kernel(const isa::Program& program, bool on) {
    mechanism<LaunchSide>().hold_kernel(program, on);
    wake_at(last_ == kForever ? 0 : last_ + 1);
  }
  /// Resets the front end when the device is reset and idle. Job schedulers that judge jobs forget all of them. Memory
  /// kept for launches by device code is freed.
  void reset();

  // --- For the device on top ----------------------------------------------------------------------------------------

  [[nodiscard]] bool queue_full(unsigned queue) const { return queues_.full(queue); }
  /// Appends a packet to a queue that is not full. The packet is in the queue from cycle `visible` on, which is later
  /// than the last tick and not earlier than the stamp of an earlier packet of the queue. The caller has checked
  /// launches against the machine.
  Ticket submit(unsigned queue, Packet packet, Cycle visible);
  /// Returns a ticket that is complete at once, for a packet that is never put into a queue.
  Ticket refuse();

  // --- Jobs and registers -------------------------------------------------------------------------------------------

  /// Accesses the registers of a block; the access is visible from cycle `visible` on. Accesses are served in order.
  /// Returns a number for `register_reply`, or 0 if the caller does not want (`wanted`) the reply.
  std::uint64_t access_register(const RegisterAccess& access, Cycle visible, bool wanted);
  /// Returns the reply to an access, once; empty while no reply has arrived.
  [[nodiscard]] std::optional<RegisterReply> register_reply(std::uint64_t number) { return registers_.reply(number); }
  /// Returns the records of jobs in the order in which the jobs were judged.
  [[nodiscard]] const std::vector<JobRecord>& job_records() const { return jobs_.records(); }
  /// Returns the completion port: tickets and notices for the host.
  [[nodiscard]] CompletionPort& host() { return completions_; }
  /// Returns the fault unit: kernels stopped by faults while other kernels continue, and calls of device code.
  [[nodiscard]] FaultUnit<Mechanisms>& faults() { return faults_; }
  /// Returns the release unit, which holds the rows of completed kernels.
  [[nodiscard]] ReleaseUnit& releases() { return release_; }
  /// Drops all pending work: empties queues, stops kernels, forgets events. The front end becomes `idle` some cycles
  /// later.
  void abandon();
  /// Returns whether no packet, kernel or TB is queued, parsed, resident or waiting for a reply, and no hook has an
  /// access to its registers to answer.
  [[nodiscard]] bool idle() const;

  void tick(Cycle now) override;
  void count_until(Cycle now) override {
    levels_.count_until(now);
    mechanisms_.each([now](auto& mechanism) { mechanism.count_until(now); });
  }
  /// Declares the front end's waveform signals. Called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;
  /// Declares the waveform signals of the hooks, below `scope`.
  void add_hook_waves(Waves& waves, const std::string& scope) const;

  /// Returns a number that grows with every step of a packet, kernel or TB in the front end.
  [[nodiscard]] std::uint64_t progress() const;
  /// Returns whether the front end is idle: only a message from an SM or the host can wake it.
  [[nodiscard]] bool still() const { return rests() && memory_.idle() && !completions_.notifying(); }
  /// Returns whether no packet, kernel or TB can proceed without a message from outside. The front end then sleeps for
  /// ever, or wakes up only for periodic work of hooks that declare it harmless (Hook::inert).
  [[nodiscard]] bool rests() const;
  /// Returns whether no packet, kernel or TB can proceed without a message from outside, even if hooks have periodic
  /// work.
  [[nodiscard]] bool quiescent_except_hooks() const { return last_ != kForever && next_work(last_) == kForever; }

  /// Returns the wait report: a line for every queue and kernel that cannot proceed, with the reason. Copies are
  /// reported by the copy engines.
  [[nodiscard]] std::string waiting() const { return report().text() + registers_.waiting(); }
  [[nodiscard]] WaitReport report() const;
  /// Adds the lines of the wait report and of the hooks to a wait graph.
  void waits(WaitGraph& graph) const;
  /// Returns where the work of a ticket is, for the host's line in deadlock reports.
  [[nodiscard]] std::string where(Ticket ticket) const;

  // --- For tests and reports ----------------------------------------------------------------------------------------

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] const KernelTable& table() const { return table_; }
  [[nodiscard]] const Queues& queues() const { return queues_; }

 private:
  [[nodiscard]] FrontEndParts parts(const Machine& machine, Store& store, const ProgramTable& programs,
                                    const std::vector<SmUnit*>& sms, const Hooks& hooks, Observer* observer,
                                    base::StatisticGroup& statistics);
  void receive(Cycle now);
  void release(Cycle now);
  void parse(Cycle now);
  void grant(unsigned source, Cycle now);
  void end_cycle(Cycle now);
  void begin_edges(Cycle now);
  void clock_edges(Cycle now);
  [[nodiscard]] bool gated() const;
  [[nodiscard]] bool stirred() const;
  [[nodiscard]] KdMask releasable() const;
  [[nodiscard]] Cycle next_edge(Cycle now) const;
  [[nodiscard]] Cycle next_work(Cycle now) const;

  // The order of these declarations fixes the order of counters in reports. Some parts hold references to parts that
  // are constructed later; no part uses such a reference before all parts are constructed.
  LaunchTrees trees_;
  KernelTable table_;
  Dispatcher dispatcher_;
  JobTable jobs_;
  JobInspector inspector_;
  RegisterPort registers_;
  FrontEndLevels levels_;
  InitiatorPort port_;
  FrontEndMemory memory_;
  Ledger ledger_;
  Queues queues_;
  ParseLanes lanes_;
  CompletionPort completions_;
  HookEvents events_;
  Mechanisms mechanisms_;
  ParseStage parse_;
  QueueHeadService heads_;
  RetireUnit retire_;
  ReleaseUnit release_;
  FaultUnit<Mechanisms> faults_;
  Cycle last_ = kForever;  // cycle of the last tick; kForever before the first
};

/// Front end of the timing GPU.
using FrontEnd = BasicFrontEnd<FrontEndMechanisms>;
extern template class BasicFrontEnd<FrontEndMechanisms>;

}  // namespace castor::gpu
