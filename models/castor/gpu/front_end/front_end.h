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
#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/fault_unit.h"
#include "castor/gpu/front_end/front_end_levels.h"
#include "castor/gpu/front_end/governors.h"
#include "castor/gpu/front_end/head_service.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_side.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/parse_stage.h"
#include "castor/gpu/front_end/preemptor.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/front_end/register_port.h"
#include "castor/gpu/front_end/release_unit.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/front_end/scheduler_port.h"
#include "castor/gpu/front_end/wait_report.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class MemorySystem;
class Waves;

/// The front end (docs/gpu/front-end.md, "Front end"): queues, parse lanes, kernel table, dispatcher with its ledger,
/// launch trees, events, completions; and the hooks that replace or watch parts of it. Each part has its own state in a
/// header of its own, which says what it may be asked and when; this class wires them, and has the order of the steps
/// in a cycle and what goes from one part to another between steps.
///
/// A packet submitted with stamp c is in its queue from cycle c on. A kernel at the head of a queue that was ready at
/// the start of a cycle is granted a parse lane (F8), its entry is written max(1, parse.latency) cycles later, from the
/// cycle after that its TBs are placed, one per cycle in the whole GPU (F5). What an SM retires is credited when the
/// retire wire is visible (F2) and counted when the done FIFO is drained, one TB per cycle; when all are counted the
/// kernel is complete (F7) and its queue goes on in the next cycle. Other packets are served at the head of their
/// queue, one per queue and cycle; copies block their queue until the copy engine is done.
///
/// Limits: no synchronisation network.
class FrontEnd final : public sc_core::sc_module, public Unit {
 public:
  static constexpr unsigned kCopyEngines = HeadService::kCopyEngines;

  /// References and pointers must live as long as the front end; `observer` may be null. Errors: InputError for hooks
  /// that exclude each other and for a machine beyond the limits of the hooks' records.
  FrontEnd(const sc_core::sc_module_name& name, const Machine& machine, Store& store, const ProgramTable& programs,
           const std::vector<SmUnit*>& sms, const std::array<CopyEngine*, kCopyEngines>& copies, const Hooks& hooks,
           Observer* observer, base::StatisticGroup& statistics);

  /// To the crossbar, input number = chip.sms.
  [[nodiscard]] InitiatorPort& memory_port() { return port_; }
  /// Launches by device code.
  [[nodiscard]] DeviceLauncher& launches() { return launches_.launcher(); }
  /// The device is reset and idle: what is kept for launches by device code is free.
  void reset_launches() {
    launches_.reset();
    parse_.reset();
  }
  /// Device::hold_kernel.
  void hold_kernel(const isa::Program& program, bool on) {
    launches_.hold_kernel(program, on);
    wake_at(last_ == kForever ? 0 : last_ + 1);
  }
  /// What device code can ask of the runtime; needed before the first call.
  void set_services(DeviceServices& services) { faults_.set_services(services); }

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
  void collect_notices(bool on) { completions_.collect_notices(on); }
  [[nodiscard]] bool has_notices() const { return completions_.has_notices(); }
  [[nodiscard]] std::vector<Notice> take_notices() { return completions_.take_notices(); }
  /// Jobs in the order in which they were judged.
  [[nodiscard]] const std::vector<JobRecord>& job_records() const { return jobs_.records(); }
  /// The host can know that the ticket is complete: the queue's completion word is performed.
  [[nodiscard]] bool complete(Ticket ticket) const { return completions_.shown(ticket); }
  /// Cycle in which the ticket completed on the device; 0 while it has not.
  [[nodiscard]] Cycle completion_cycle(Ticket ticket) const { return completions_.cycle(ticket); }

  /// The oldest fault that was not taken yet. Its kernel is being stopped on all SMs, others go on.
  [[nodiscard]] std::optional<Fault> take_fault() { return faults_.take(); }
  /// Completed kernels in the order of completion.
  [[nodiscard]] const std::vector<KernelStatistics>& kernels() const { return release_.kernels(); }
  /// Tickets of the host's launches among them, in their order.
  [[nodiscard]] const std::vector<Ticket>& host_tickets() const { return release_.host_tickets(); }
  /// The kernel that completed in the last cycle, for the counts that others keep; null if none did. `file` follows.
  [[nodiscard]] KernelStatistics* completed_kernel() { return release_.fresh(); }
  /// It is only what a kernel has done in an entry that it has given up.
  [[nodiscard]] bool is_part_of_kernel() const { return release_.fresh_is_part(); }
  void file_kernel() { release_.file(); }
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

  /// Enables of the cycle after the last tick, as the governors want them; all ones without governors.
  [[nodiscard]] SmMask clock_enable() const { return governors_.clock_enable(); }
  /// Level of the job scheduler's interrupt, as of the last tick.
  [[nodiscard]] bool interrupt() const { return scheduler_.irq(); }

  /// For machines whose L2 is emptied when a kernel ends (l2.flush_at_kernel_end); needed before the first kernel.
  void set_memory(MemorySystem& memory) { release_.set_memory(memory); }

  /// Grows with everything that packets, kernels and TBs go through here.
  [[nodiscard]] std::uint64_t progress() const {
    return table_.progress() + completions_.progress() + launches_.launcher().progress();
  }
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
  [[nodiscard]] std::string where(Ticket ticket) const { return report().where(ticket); }

  /// Job schedulers that judge forget all jobs; the device is idle.
  void reset_jobs();

  // --- For tests and reports ----------------------------------------------------------------------------------------

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] const KernelTable& table() const { return table_; }
  [[nodiscard]] const Queues& queues() const { return queues_; }

 private:
  void receive(Cycle now);
  void release(Cycle now);
  void parse(Cycle now);
  [[nodiscard]] int schedule(Cycle now);
  void end_cycle(Cycle now);
  void grant(int source, Cycle now);
  [[nodiscard]] QueueMask grantable() const { return queues_.kernels() & ~inspector_.withheld(); }

  void begin_hooks(Cycle now);
  void clock_hooks(Cycle now);
  [[nodiscard]] bool work_comes(Cycle now) const;
  [[nodiscard]] bool hooks_stirred() const;
  [[nodiscard]] Cycle next_hook(Cycle now) const;
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
  LaunchSide launches_;
  ParseLanes lanes_;
  CompletionPort completions_;
  HookEvents events_;
  Governors governors_;
  DispatchPort policy_;
  SchedulerPort scheduler_;
  ParseStage parse_;
  HeadService heads_;
  RetireUnit retire_;
  ReleaseUnit release_;
  Preemptor preemptor_;
  FaultUnit faults_;
  Cycle last_ = kForever;  // last tick
};

}  // namespace castor::gpu
