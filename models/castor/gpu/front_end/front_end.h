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
#include "castor/gpu/front_end/head_service.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/parse_stage.h"
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

/// The front end (docs/gpu/front-end.md, "Front end"): queues, parse lanes, kernel table, dispatcher with its ledger,
/// launch trees, events, completions; and a list of mechanisms (mechanism.h) that not every machine has. Each part has
/// its own state in a header of its own, which says what it may be asked and when; this class wires them, and has the
/// order of the steps in a cycle and what goes from one part to another between steps. The list has `GovernorSide`,
/// `DispatchPort` and `Preemptor`, which other parts ask.
///
/// A packet submitted with stamp c is in its queue from cycle c on. A kernel at the head of a queue that was ready at
/// the start of a cycle is granted a parse lane (F8), its entry is written max(1, parse.latency) cycles later, from the
/// cycle after that its TBs are placed, one per cycle in the whole GPU (F5). What an SM retires is credited when the
/// retire wire is visible (F2) and counted when the done FIFO is drained, one TB per cycle; when all are counted the
/// kernel is complete (F7) and its queue goes on in the next cycle. Other packets are served at the head of their
/// queue, one per queue and cycle; copies block their queue until the copy engine is done.
///
/// Limits: no synchronisation network.
template <class Mechanisms>
class BasicFrontEnd final : public sc_core::sc_module, public Unit {
 public:
  static constexpr unsigned kCopyEngines = HeadService::kCopyEngines;

  /// References and pointers must live as long as the front end; `observer` may be null. Errors: InputError for hooks
  /// that exclude each other and for a machine beyond the limits of the hooks' records.
  BasicFrontEnd(const sc_core::sc_module_name& name, const Machine& machine, Store& store, const ProgramTable& programs,
                const std::vector<SmUnit*>& sms, const std::array<CopyEngine*, kCopyEngines>& copies,
                const Hooks& hooks, Observer* observer, base::StatisticGroup& statistics);

  /// To the crossbar, input number = chip.sms.
  [[nodiscard]] InitiatorPort& memory_port() { return port_; }
  /// One of the mechanisms.
  template <class Mechanism>
  [[nodiscard]] Mechanism& mechanism() {
    return mechanisms_.template get<Mechanism>();
  }
  template <class Mechanism>
  [[nodiscard]] const Mechanism& mechanism() const {
    return mechanisms_.template get<Mechanism>();
  }
  /// Device::hold_kernel.
  void hold_kernel(const isa::Program& program, bool on) {
    mechanism<LaunchSide>().hold_kernel(program, on);
    wake_at(last_ == kForever ? 0 : last_ + 1);
  }
  /// The device is reset and idle: job schedulers that judge forget all jobs, what is kept for launches by device code
  /// is free.
  void reset();

  // --- For the device on top ----------------------------------------------------------------------------------------

  [[nodiscard]] bool queue_full(unsigned queue) const { return queues_.full(queue); }
  /// Appends a packet; the queue is not full. It is in the queue from cycle `visible` on, which is later than the last
  /// tick and not before the stamp of an earlier packet of the queue. Launches have been checked against the machine.
  Ticket submit(unsigned queue, Packet packet, Cycle visible);
  /// A ticket of a packet that never was in a queue: complete at once.
  Ticket refuse();

  // --- Jobs and registers -------------------------------------------------------------------------------------------

  /// An access to the registers of a block, seen from cycle `visible` on; accesses are served in order. Returns a
  /// number for `register_reply`, or 0 for one whose reply nobody wants.
  std::uint64_t access_register(const RegisterAccess& access, Cycle visible, bool wanted);
  /// The reply, once; empty while there is none.
  [[nodiscard]] std::optional<RegisterReply> register_reply(std::uint64_t number) { return registers_.reply(number); }
  /// Jobs in the order in which they were judged.
  [[nodiscard]] const std::vector<JobRecord>& job_records() const { return jobs_.records(); }
  /// What the host is told: tickets, notices.
  [[nodiscard]] CompletionPort& host() { return completions_; }
  /// Faults, whose kernels are being stopped while others go on; calls of device code.
  [[nodiscard]] FaultUnit<Mechanisms>& faults() { return faults_; }
  /// Completed kernels.
  [[nodiscard]] ReleaseUnit& releases() { return release_; }
  /// Drops all pending work: queues are emptied, kernels stopped, events forgotten. Ends with `idle` after some cycles.
  void abandon();
  /// Nothing is queued, parsed, resident or unanswered.
  [[nodiscard]] bool idle() const;

  void tick(Cycle now) override;
  void count_until(Cycle now) override { levels_.count_until(now); }
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;
  /// What hooks show of themselves, below `scope`.
  void add_hook_waves(Waves& waves, const std::string& scope) const;

  /// Grows with everything that packets, kernels and TBs go through here.
  [[nodiscard]] std::uint64_t progress() const;
  /// Nothing happens here any more unless an SM or the host sends something.
  [[nodiscard]] bool still() const { return rests() && memory_.idle() && !completions_.telling(); }
  /// Without a message from outside it will let nothing proceed: it sleeps for ever, or wakes up only for the periodic
  /// work of hooks that say so (Hook::inert).
  [[nodiscard]] bool rests() const;
  /// The same, whatever hooks say.
  [[nodiscard]] bool rests_but_for_hooks() const { return last_ != kForever && next_work(last_) == kForever; }

  /// Who waits for whom: a line for every queue and kernel that cannot proceed, with the reason. Copies are the copy
  /// engines' to tell.
  [[nodiscard]] std::string waiting() const { return report().text(); }
  [[nodiscard]] WaitReport report() const;
  /// Where the work of a ticket is: for the line of the host in deadlock reports.
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

  // The order in which counters are declared is the order in which parts that count are made. Parts hold references to
  // others that are made behind them, and use none before all are there.
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
  HeadService heads_;
  RetireUnit retire_;
  ReleaseUnit release_;
  FaultUnit<Mechanisms> faults_;
  Cycle last_ = kForever;  // last tick
};

/// That of the timing GPU.
using FrontEnd = BasicFrontEnd<FrontEndMechanisms>;
extern template class BasicFrontEnd<FrontEndMechanisms>;

}  // namespace castor::gpu
