#include "castor/gpu/functional/functional_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/functional/memory_packets.h"
#include "castor/gpu/job_check.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/report.h"
#include "castor/gpu/spin_report.h"

namespace castor::gpu::functional {
namespace {

// Length of the turns of a warp and of all warps of a block together, in instructions. Long turns keep a block's
// registers in the host's cache. A block whose warps all used up their turns may be spinning on another block, so its
// next turn is short.
constexpr std::uint64_t kWarpTurn = 256;
constexpr std::uint64_t kBlockTurn = 64 * 1024;
constexpr std::uint64_t kShortBlockTurn = 4 * 1024;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// Returns the deadlock fault of a block whose live warps all wait at barriers that can never complete.
Fault stuck(ThreadBlock& block) {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.kernel = block.launch().program->kernel;
  fault.block = block.index();
  fault.message = "deadlock in kernel " + base::readable_name(fault.kernel) + ", block " + index_text(fault.block) +
                  ": every warp that has not exited waits at a barrier that can never complete";
  for (unsigned id = 0; id < isa::BarrierUnit::kBarriers; ++id) {
    const isa::BarrierUnit& barriers = block.barriers();
    if (barriers.waiting(id) == 0 && barriers.arrived(id) == 0) continue;
    fault.message += "\n  barrier " + std::to_string(id) + ": " + std::to_string(barriers.arrived(id)) + " of " +
                     std::to_string(barriers.expected(id)) + " warps have arrived; waiting:";
    for (unsigned warp = 0; warp < block.warps().size(); ++warp) {
      if ((barriers.waiting(id) >> warp & 1) == 0) continue;
      const Warp& waiter = block.warps()[warp];
      fault.message += " warp " + std::to_string(warp);
      const std::uint32_t pc = waiter.stack.pc();
      const auto& lines = block.launch().program->lines;
      if (pc > 0 && pc - 1 < lines.size()) fault.message += " (PTX line " + std::to_string(lines[pc - 1].line) + ")";
    }
  }
  return fault;
}

// Returns the fault of a run that has reached the limit of instructions or of the host's time.
std::optional<Fault> limit(const Machine& machine, std::uint64_t instructions, RunEnd& end, const ThreadBlock& block) {
  Fault fault;
  std::string what;
  if (machine.run.max_instructions && instructions >= *machine.run.max_instructions) {
    fault.kind = FaultKind::kInstructionLimit;
    what = "instruction limit reached: run.max_instructions = " + std::to_string(*machine.run.max_instructions) +
           " warp instructions";
  } else if (end.host.reached()) {
    fault.kind = FaultKind::kHostLimit;
    what = end.host.text();
  } else {
    return std::nullopt;
  }
  end.limit_reached = true;
  fault.kernel = block.launch().program->kernel;
  fault.block = block.index();
  fault.message = what + "; kernel " + base::readable_name(fault.kernel) +
                  " was running. An endless loop? Otherwise raise the limit";
  return fault;
}

// Returns the fault of a spinning deadlock, if every resident warp waits or repeats a loop in the current watch.
template <class Residents>
std::optional<Fault> spin_deadlock(const Residents& residents, const SpinCheck& spins, const Machine& machine,
                                   const Store& store) {
  if (!spins.watching()) return std::nullopt;
  for (const auto& resident : residents)
    if (resident.watch != spins.number() || !resident.block->repeats()) return std::nullopt;
  std::vector<SpinningWarp> warps;
  for (const auto& resident : residents) resident.block->add_spinning(warps);
  const std::string span = std::to_string(machine.watchdog.cycles) + " warp instructions (watchdog.cycles)";
  Fault fault;
  fault.kind = FaultKind::kSpinDeadlock;
  fault.kernel = residents.front().kernel->launch.program->kernel;
  fault.block = residents.front().block->index();
  fault.message = "spinning deadlock: " + spin_report(warps, span, store);
  return fault;
}

// Writes a job's signal word, if its address is valid.
void signal(const Store& store, std::uint64_t address, JobStatus status) {
  if (!is_signal_address(address, store)) return;
  const std::uint64_t word = JobSignal{status, 0, 0}.word();
  std::memcpy(store.host(address), &word, sizeof word);
}

}  // namespace

FunctionalDevice::FunctionalDevice(const Machine& machine, Options options)
    : machine_(machine),
      options_(std::move(options)),
      store_({machine.memory.bytes, options_.poison, machine.memory.check != MemoryCheck::kAllocation}),
      interpreter_({&store_, nullptr}, machine.memory.check),
      programs_(machine.sm.lanes, nullptr),
      queues_(machine.queue.count),
      launcher_(machine_, store_, programs_),
      end_(machine_),
      finished_(machine_.run.kernel_rows) {
  set_print_sink(nullptr);
  interpreter_.set_launcher(&launcher_);
}

FunctionalDevice::~FunctionalDevice() = default;

void FunctionalDevice::set_print_sink(std::function<void(std::string_view)> sink) {
  if (!sink) {
    sink = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  }
  interpreter_.services().print = std::move(sink);
}

ProgramHandle FunctionalDevice::load(std::shared_ptr<const isa::Program> program) {
  return programs_.load(std::move(program));
}

const isa::Program& FunctionalDevice::program(ProgramHandle handle) const { return programs_[handle].program(); }

Ticket FunctionalDevice::submit(unsigned queue, Packet packet) {
  CASTOR_ASSERT(queue < queues_.size());
  if (const auto* const kernel = std::get_if<KernelPacket>(&packet)) {
    const LaunchVerdict verdict = check_launch(machine_, program(kernel->program), *kernel);
    if (verdict.error != LaunchError::kNone) throw base::InputError(verdict.message);
  }
  const Ticket ticket = tickets_.next();
  queues_[queue].packets.push_back({ticket, std::move(packet)});
  return ticket;
}

Picoseconds FunctionalDevice::work_time() const {
  const double slots = static_cast<double>(machine_.chip.sms) * std::max(machine_.schedulers, 1U);
  const double cycles = static_cast<double>(counters_.warp_instructions) / slots;
  return static_cast<Picoseconds>(std::llround(cycles * 1e6 / machine_.clock.core_mhz));
}

Picoseconds FunctionalDevice::now() const { return idle_time_ + work_time(); }

// --- Queues ---------------------------------------------------------------------------------------------------------

bool FunctionalDevice::serve_queues() {
  bool progress = false;
  while (launcher_.may_start() && !table_is_full()) {
    start_child();
    progress = true;
  }
  for (unsigned i = 0; i < queues_.size(); ++i) {
    while (!queues_[i].busy && !queues_[i].packets.empty() && serve_queue_head(i, queues_[i])) progress = true;
  }
  return progress;
}

// Serves the head packet of a queue. Returns false if the packet has to wait.
bool FunctionalDevice::serve_queue_head(unsigned index, Queue& queue) {
  Queued& head = queue.packets.front();
  const Ticket ticket = head.ticket;
  const bool served =
      std::visit(Overloaded{
                     [&](const KernelPacket& packet) {
                       if (queue.error) {
                         tickets_.complete(ticket, now());
                         return true;
                       }
                       if (table_is_full()) return false;
                       queue.busy = true;
                       start_kernel(index, ticket, packet);
                       return true;
                     },
                     [&](const CopyPacket& packet) {
                       perform(packet, store_);
                       tickets_.complete(ticket, now());
                       return true;
                     },
                     [&](const FillPacket& packet) {
                       perform(packet, store_);
                       tickets_.complete(ticket, now());
                       return true;
                     },
                     [&](const EventRecordPacket& packet) {
                       events_[packet.event] = packet.count;
                       tickets_.complete_event(ticket, now());
                       return true;
                     },
                     [&](const EventWaitPacket& packet) {
                       const auto found = events_.find(packet.event);
                       if (packet.count != 0 && (found == events_.end() || found->second < packet.count)) return false;
                       tickets_.complete(ticket, now());
                       return true;
                     },
                     [&](const HostCallPacket& packet) {
                       packet.call();
                       tickets_.complete(ticket, now());
                       return true;
                     },
                     [&](const JobPacket& packet) {
                       if (!queue.error) queue.begin_job(packet, store_);
                       tickets_.complete(ticket, now());
                       return true;
                     },
                 },
                 head.packet);
  if (served) queue.packets.pop_front();
  return served;
}

bool FunctionalDevice::table_is_full() const {
  if (running_.size() < machine_.table.entries) return false;
  const auto active = std::count_if(running_.begin(), running_.end(), [](const Running& k) { return k.is_active(); });
  return static_cast<std::uint64_t>(active) >= machine_.table.entries;
}

FunctionalDevice::Running FunctionalDevice::running(const LoadedProgram& loaded, const Dim3& grid, const Dim3& block,
                                                    std::uint32_t dynamic_shared) {
  const isa::Program& program = loaded.program();
  Running kernel;
  kernel.launch.program = &program;
  kernel.launch.constants = loaded.constants();
  kernel.launch.grid = grid;
  kernel.launch.block = block;
  kernel.launch.dynamic_shared = dynamic_shared;
  kernel.launch.shared_bytes = program.shared_bytes + dynamic_shared;
  kernel.total = grid.count();
  kernel.limit = blocks_per_sm(machine_, program, block.count(), dynamic_shared) * machine_.chip.sms;
  CASTOR_ASSERT(kernel.limit > 0);
  kernel.statistics.kernel = program.kernel;
  kernel.statistics.shape = shape_of(kernel.launch);
  kernel.statistics.start = now();
  kernel.statistics.thread_blocks = kernel.total;
  return kernel;
}

void FunctionalDevice::start_kernel(unsigned queue, Ticket ticket, const KernelPacket& packet) {
  const LoadedProgram& loaded = programs_[packet.program];
  const isa::Program& program = loaded.program();
  Running kernel = running(loaded, packet.grid, packet.block, packet.dynamic_shared);
  kernel.id = kernel.root = launcher_.open_root();
  kernel.launch.ticket = kernel.statistics.ticket = ticket;
  kernel.launch.grid_id = ticket;
  roots_[kernel.root] = {queue, ticket};
  if (program.parameter_bytes > 0) {
    const auto address = store_.allocate(program.parameter_bytes, AllocationKind::kParameters, "parameters");
    if (!address) {
      running_.push_back(std::move(kernel));
      Fault fault;
      fault.kind = FaultKind::kIllegalAddress;
      fault.kernel = program.kernel;
      fault.message = "no device memory left for the parameters of kernel " + base::readable_name(program.kernel);
      stop(running_.back(), std::move(fault));
      return;
    }
    kernel.launch.parameters = *address;
    store_.set_read_only(*address, true);
    std::memcpy(store_.host(*address), packet.parameters.data(),
                std::min<std::size_t>(packet.parameters.size(), program.parameter_bytes));
  }
  running_.push_back(std::move(kernel));
}

void FunctionalDevice::start_child() {
  // Child grids get numbers above all tickets, so that no two grids have the same number.
  constexpr std::uint64_t kFirstGrid = std::uint64_t{1} << 48;
  const ChildLaunch child = launcher_.start();
  const LoadedProgram* const loaded = programs_.kernel(child.launch.kernel);
  CASTOR_ASSERT(loaded != nullptr);
  Running kernel = running(*loaded, child.launch.grid, child.launch.block, child.launch.dynamic_shared);
  kernel.id = child.id;
  kernel.root = child.root;
  kernel.level = child.level;
  kernel.launch.ticket = kernel.statistics.ticket = roots_.at(child.root).ticket;
  kernel.launch.grid_id = kFirstGrid + child.id;
  kernel.launch.parameters = child.parameters;
  running_.push_back(std::move(kernel));
}

// The functional machine has no job scheduler: every job is accepted, and without timing none is late.
void FunctionalDevice::Queue::begin_job(const JobPacket& packet, Store& store) {
  if (!is_valid(packet, store)) {
    error = true;
    gpu::functional::signal(store, packet.signal, JobStatus::kError);
    return;
  }
  if (packet.append && left == 0) {
    gpu::functional::signal(store, packet.signal, JobStatus::kRejected);
    return;
  }
  if (!packet.append) signal = packet.signal;
  left = packet.append ? left + packet.kernels : packet.kernels;
  gpu::functional::signal(store, packet.signal, JobStatus::kAccepted);
}

void FunctionalDevice::Queue::end_kernel(Store& store) {
  busy = false;
  if (left > 0 && --left == 0) gpu::functional::signal(store, signal, JobStatus::kDone);
}

// --- Blocks ---------------------------------------------------------------------------------------------------------

void FunctionalDevice::place_blocks() {
  double used = 0;
  for (const Running& kernel : running_) used += static_cast<double>(kernel.resident) / kernel.limit;
  if (!bring_back(used)) return;
  for (Running& kernel : running_) {
    const double share = 1.0 / kernel.limit;
    while (kernel.next < kernel.total && used + share <= 1.0 + 1e-9) {
      Resident resident;
      resident.kernel = &kernel;
      resident.index = kernel.next++;
      resident_.push_back(std::move(resident));
      ++kernel.resident;
      used += share;
    }
  }
}

// Makes blocks resident again whose launches are closed, before new blocks. Returns false if the first of them does not
// fit; then no block is placed.
bool FunctionalDevice::bring_back(double& used) {
  while (!returning_.empty()) {
    Running& kernel = *returning_.front().kernel;
    const double share = 1.0 / kernel.limit;
    if (used + share > 1.0 + 1e-9) return false;
    // With a full kernel table, new blocks of kernels that have an entry go first: only the completion of such a kernel
    // frees an entry.
    if (!kernel.is_active() && table_is_full()) return true;
    ++kernel.resident;
    --kernel.waiting;
    used += share;
    resident_.push_back(std::move(returning_.front()));
    returning_.pop_front();
  }
  return true;
}

// Executes one turn of the resident block at the front.
void FunctionalDevice::turn() {
  Resident resident = std::move(resident_.front());
  resident_.pop_front();
  Running& kernel = *resident.kernel;
  if (resident.block == nullptr) {
    if (spare_blocks_.empty()) {
      resident.block = std::make_unique<ThreadBlock>();
    } else {
      resident.block = std::move(spare_blocks_.back());
      spare_blocks_.pop_back();
    }
    resident.block->start(kernel.launch, block_index(kernel.launch.grid, resident.index), machine_.sm.lanes,
                          static_cast<unsigned>(placed_++ % machine_.chip.sms), machine_.chip.sms,
                          machine_.sm.warps * (machine_.sm.lanes / 32), machine_.check.marks, machine_.check.redundancy,
                          options_.study.get());
    resident.block->set_caller({placed_, kernel.id, kernel.launch.program->code_values});
  }
  const Counters before = counters_;
  if (resident.watch != (end_.spins.watching() ? end_.spins.number() : 0)) {
    resident.watch = end_.spins.watching() ? end_.spins.number() : 0;
    resident.block->watch_loops(end_.spins.watching());
  }
  std::optional<Fault> fault = run_block(resident);
  if (!resident.spins) {
    end_.spins.progress(counters_.warp_instructions);
  } else if (end_.spins.watching() && !resident.block->spin_watch()->is_open()) {
    end_.spins.disturb(counters_.warp_instructions);
  }
  kernel.statistics.warp_instructions += counters_.warp_instructions - before.warp_instructions;
  kernel.statistics.thread_instructions += counters_.thread_instructions - before.thread_instructions;
  if (interpreter_.memory().outside_reads().lanes != 0) collect_outside_reads(kernel);
  if (!fault) fault = limit(machine_, counters_.warp_instructions, end_, *resident.block);
  if (fault) {
    launcher_.blocks().end(resident.block->caller().block);
    stop(kernel, std::move(*fault));
  } else if (resident.block->done()) {
    --kernel.resident;
    launcher_.blocks().end(resident.block->caller().block);
    if (const MarkCheck* const marks = resident.block->marks()) {
      kernel.marks.compared += marks->counts().compared;
      kernel.marks.racy += marks->counts().racy;
    }
    if (RedundancyStudy* const study = resident.block->study()) kernel.redundancy.add(study->finish(kernel.grid));
    if (BlockStudy* const hook = resident.block->hook()) options_.study->end(kernel.launch, resident.index, *hook);
    spare_blocks_.push_back(std::move(resident.block));
    finish_if_done(kernel);
  } else if (resident.waits) {
    --kernel.resident;
    ++kernel.waiting;
    const BlockId id = resident.block->caller().block;
    waiting_.emplace(id, std::move(resident));
  } else {
    resident_.push_back(std::move(resident));
  }
}

std::optional<Fault> FunctionalDevice::run_block(Resident& resident) {
  ThreadBlock& block = *resident.block;
  auto& warps = block.warps();
  std::uint64_t budget = resident.spins ? kShortBlockTurn : kBlockTurn;
  if (machine_.run.max_instructions) {
    const std::uint64_t left =
        *machine_.run.max_instructions - std::min(*machine_.run.max_instructions, counters_.warp_instructions);
    budget = std::min(budget, std::max<std::uint64_t>(left, 1));
  }
  const std::uint64_t end = counters_.warp_instructions + budget;
  const std::uint64_t nanoseconds = now() / base::kPicosecondsPerNanosecond;
  std::size_t idle = 0;
  resident.spins = true;
  resident.waits = false;
  if (block.awaits_children() && launcher_.blocks().open_children(block.caller().block) == 0) block.children_closed();
  while (counters_.warp_instructions < end && !block.done()) {
    Warp& warp = warps[resident.next_warp];
    resident.next_warp = (resident.next_warp + 1) % warps.size();
    if (warp.state != WarpState::kReady) {
      if (++idle < warps.size()) continue;
      resident.waits = block.awaits_children();
      if (!resident.waits) return stuck(block);
      return std::nullopt;
    }
    idle = 0;
    const std::uint64_t turn = std::min(kWarpTurn, end - counters_.warp_instructions);
    const std::uint64_t turn_end = counters_.warp_instructions + turn;
    if (auto fault = interpreter_.run(block, warp, turn, nanoseconds, counters_)) return fault;
    if (counters_.warp_instructions < turn_end) resident.spins = false;  // some warp reached a barrier or exited
  }
  return std::nullopt;
}

void FunctionalDevice::collect_outside_reads(Running& kernel) {
  OutsideReads reads = interpreter_.memory().outside_reads();
  const isa::Program& program = *kernel.launch.program;
  reads.first +=
      ", " +
      program.describe(static_cast<std::uint32_t>(interpreter_.memory().first_outside_read() - program.code.data()));
  reads.first_at = counters_.warp_instructions;
  kernel.outside_reads.add(reads);
  interpreter_.memory().forget_outside_reads();
}

void FunctionalDevice::finish_if_done(Running& kernel) {
  if (kernel.is_active() || kernel.waiting != 0) return;
  const LaunchId id = kernel.id;
  retire(kernel);
  running_.remove_if([id](const Running& other) { return other.id == id; });
  launcher_.complete(id);
  close_all(launcher_);
  close_trees();
}

// Completes the statistics of a kernel whose blocks have ended.
void FunctionalDevice::retire(Running& kernel) {
  kernel.statistics.end = now();
  if (kernel.outside_reads.lanes != 0)
    kernel.statistics.counts.emplace_back("outside_reads", kernel.outside_reads.lanes);
  if (machine_.check.marks) {
    kernel.statistics.counts.emplace_back("marks_compared", kernel.marks.compared);
    kernel.statistics.counts.emplace_back("marks_racy_loads", kernel.marks.racy);
  }
  if (machine_.check.redundancy) {
    const std::uint64_t threads = kernel.launch.block.count();
    const std::uint64_t warps = (threads + machine_.sm.lanes - 1) / machine_.sm.lanes;
    kernel.redundancy.grid = kernel.grid.redundant(kernel.total) * warps * kernel.total;
    kernel.redundancy.each(
        [&](const char* name, std::uint64_t value) { kernel.statistics.counts.emplace_back(name, value); });
  }
  if (options_.study != nullptr) options_.study->end(kernel.launch);
  outside_read_notice_.tell(kernel.statistics.kernel, kernel.outside_reads);
  if (kernel.level != 0) return rows_.add(kernel.root, kernel.level, std::move(kernel.statistics));
  if (kernel.launch.parameters != 0) store_.free(kernel.launch.parameters);
  rows_.keep(kernel.root, std::move(kernel.statistics));
}

// Resumes the blocks and queues that waited for launches that are now closed.
void FunctionalDevice::close_trees() {
  for (const BlockId block : launcher_.take_childless()) {
    auto found = waiting_.extract(block);
    if (!found.empty()) returning_.push_back(std::move(found.mapped()));
  }
  for (const LaunchId id : launcher_.take_closed_roots()) {
    const auto found = roots_.find(id);
    const Root root = found->second;
    roots_.erase(found);
    for (KernelStatistics& row : rows_.close(id, now())) finished_.add(std::move(row));
    queues_[root.queue].end_kernel(store_);
    tickets_.complete(root.ticket, now());
  }
}

// Stops a kernel because of a fault, together with all kernels of its launch tree. Other kernels continue.
void FunctionalDevice::stop(Running& kernel, Fault fault) {
  if (!fault_) fault_ = std::move(fault);
  const LaunchId root = kernel.root;
  const auto drop = [&](const Resident& resident) {
    if (resident.kernel->root != root) return false;
    if (resident.block != nullptr) launcher_.blocks().end(resident.block->caller().block);
    return true;
  };
  resident_.erase(std::remove_if(resident_.begin(), resident_.end(), drop), resident_.end());
  returning_.erase(std::remove_if(returning_.begin(), returning_.end(), drop), returning_.end());
  for (auto at = waiting_.begin(); at != waiting_.end();) at = drop(at->second) ? waiting_.erase(at) : std::next(at);
  for (Running& other : running_) {
    if (other.root == root) retire(other);
  }
  running_.remove_if([root](const Running& other) { return other.root == root; });
  launcher_.drop(root);
  close_trees();
}

// --- Time -----------------------------------------------------------------------------------------------------------

Outcome FunctionalDevice::advance(const std::function<bool()>& reached, bool host_waits) {
  const bool faulted_before = fault_.has_value();
  end_.spins.progress(counters_.warp_instructions);  // the host may have written memory
  std::size_t turns = 0;                             // turns in the current watch
  while (!reached()) {
    if (interrupted_.exchange(false)) return Outcome::kInterrupted;
    if (machine_.run.stop_after && rows_.closed() >= *machine_.run.stop_after) {
      stopped_ = stopped_text(*machine_.run.stop_after);
      return Outcome::kStopped;
    }
    const bool served = serve_queues();
    if (served) end_.spins.progress(counters_.warp_instructions);
    if (!faulted_before && fault_) return Outcome::kFault;
    if (reached()) break;
    if (resident_.empty() || running_.size() > 1 || served) place_blocks();
    if (resident_.empty()) {
      if (!running_.empty()) place_blocks();
      if (resident_.empty()) {
        if (served) continue;
        return Outcome::kDeadlock;
      }
    }
    if (host_waits) end_.spins.look(counters_.warp_instructions, resident_.size());
    turn();
    place_blocks();
    if (!faulted_before && fault_) return end_.limit_reached ? Outcome::kLimit : Outcome::kFault;
    turns = end_.spins.watching() ? turns + 1 : 0;
    if (!returning_.empty() || turns == 0 || turns % (resident_.size() + 1) != 0) continue;
    if (const auto fault = spin_deadlock(resident_, end_.spins, machine_, store_)) {
      // The spinning kernels are stopped; packets behind them in the queues can proceed.
      while (!resident_.empty()) stop(*resident_.front().kernel, *fault);
      return Outcome::kDeadlock;
    }
  }
  return Outcome::kDone;
}

Outcome FunctionalDevice::advance_until(Ticket ticket) {
  CASTOR_ASSERT(ticket <= tickets_.last());
  return advance_until_enough([&] { return complete(ticket); }, kNoTime);
}

Outcome FunctionalDevice::advance_until_enough(const std::function<bool()>& enough, Picoseconds time) {
  const Outcome outcome = advance([&] { return enough() || now() >= time; }, time == kNoTime);
  if (time == kNoTime) {
    if (outcome == Outcome::kDeadlock && !fault_) {
      Fault fault;
      fault.kind = FaultKind::kDeadlock;
      fault.message = "deadlock: nothing can proceed\n" + waiting_chain();
      fault_ = std::move(fault);
    }
    return outcome;
  }
  if (outcome == Outcome::kDone && enough()) return outcome;
  // Having no work until `time` is no deadlock: the host may still submit the packet for which a queue waits.
  if (outcome == Outcome::kDeadlock || outcome == Outcome::kDone) {
    if (now() < time) idle_time_ += time - now();
    return Outcome::kDone;
  }
  return outcome;
}

std::string FunctionalDevice::waiting_chain() const {
  std::string text = launcher_.waiting();
  if (!waiting_.empty())
    text += "  " + std::to_string(waiting_.size()) + " thread blocks wait for launches of theirs\n";
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const Queue& queue = queues_[i];
    if (queue.packets.empty()) continue;
    text += "  queue " + std::to_string(i) + ": " + std::to_string(queue.packets.size()) + " packets, head ";
    if (const auto* const wait = std::get_if<EventWaitPacket>(&queue.packets.front().packet)) {
      text += "waits for event " + std::to_string(wait->event) + " to reach " + std::to_string(wait->count) + "\n";
    } else {
      text += "cannot start\n";
    }
  }
  return text;
}

void FunctionalDevice::reset() {
  for (Queue& queue : queues_) queue = Queue{};
  resident_.clear();
  for (Running& kernel : running_) {
    if (kernel.level == 0 && kernel.launch.parameters != 0) store_.free(kernel.launch.parameters);
  }
  running_.clear();
  waiting_.clear();
  returning_.clear();
  roots_.clear();
  rows_.clear();
  launcher_.reset();
  events_.clear();
  fault_.reset();
  end_.limit_reached = false;
  tickets_.reset();
}

std::string FunctionalDevice::report_json() const {
  nlohmann::ordered_json report;
  report["machine"] = machine_.name;
  report["mode"] = "functional";
  report["time"] = {{"picoseconds", now()}, {"estimate", "none: warp instructions / (SMs x schedulers)"}};
  report["warp_instructions"] = counters_.warp_instructions;
  report["thread_instructions"] = counters_.thread_instructions;
  report["memory_used_bytes"] = store_.used();
  auto& kernels = report["kernels"] = nlohmann::ordered_json::array();
  for (const KernelStatistics& kernel : finished_.rows()) {
    kernels.push_back(kernel_json(kernel, machine_));
    for (const auto& [name, value] : kernel.counts) kernels.back()["counts"][std::string(name)] = value;
  }
  add_launches_beyond(report, launcher_.beyond());
  if (!stopped_.empty()) report["stopped"] = {{"reason", stopped_}};
  if (fault_) report["fault"] = fault_json(*fault_);
  add_provenance(report, machine_);
  if (!options_.configuration_json.empty()) {
    report["configuration"] = nlohmann::ordered_json::parse(options_.configuration_json);
  }
  return report.dump(2);
}

}  // namespace castor::gpu::functional
