#include "castor/gpu/functional/functional_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/functional/memory_packets.h"
#include "castor/gpu/functional/run_faults.h"
#include "castor/gpu/job_check.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/report.h"

namespace castor::gpu::functional {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// Gives a launch the workspace of its grid barrier, if it needs one. Returns a fault if no memory is left.
std::optional<Fault> give_workspace(Launch& launch, GridWorkspaces& workspaces) {
  if (!launch.all_resident) return std::nullopt;
  if (const auto workspace = workspaces.take()) {
    launch.grid_workspace = *workspace;
    return std::nullopt;
  }
  Fault fault;
  fault.kind = FaultKind::kIllegalAddress;
  fault.kernel = launch.program->kernel;
  fault.message = "no device memory left for the grid barrier of kernel " + base::readable_name(fault.kernel);
  return fault;
}

// Writes a job's signal word, if its address is valid.
void signal(const Store& store, std::uint64_t address, JobStatus status) {
  if (!is_signal_address(address, store)) return;
  const std::uint64_t word = JobSignal{status, 0, 0}.word();
  std::memcpy(store.host(address), &word, sizeof word);
}

// Returns the time that executed instructions take.
Picoseconds work_time(const Machine& machine, std::uint64_t warp_instructions) {
  const double slots = static_cast<double>(machine.chip.sms) * std::max(machine.schedulers, 1U);
  const double cycles = static_cast<double>(warp_instructions) / slots;
  return static_cast<Picoseconds>(std::llround(cycles * 1e6 / machine.clock.core_mhz));
}

// Returns a kernel that starts at time `now`. `options`: device-wide synchronisation; null for the defaults.
RunningKernel started(const Machine& machine, const LoadedProgram& loaded, const LaunchSize& size, Picoseconds now,
                      std::shared_ptr<const SyncOptions> options) {
  const isa::Program& program = loaded.program();
  RunningKernel kernel;
  kernel.launch.program = &program;
  kernel.launch.constants = loaded.constants();
  kernel.launch.grid = size.grid;
  kernel.launch.block = size.block;
  kernel.launch.dynamic_shared = size.dynamic_shared;
  kernel.launch.shared_bytes = program.shared_bytes + size.dynamic_shared;
  kernel.total = size.grid.count();
  kernel.limit = blocks_per_sm(machine, program, size.block.count(), size.dynamic_shared) * machine.chip.sms;
  CASTOR_ASSERT(kernel.limit > 0);
  kernel.statistics.kernel = program.kernel;
  kernel.statistics.shape = shape_of(kernel.launch);
  kernel.statistics.start = now;
  kernel.statistics.thread_blocks = kernel.total;
  kernel.sync.start(kernel.launch, machine.chip.sync.swaps, std::move(options));
  return kernel;
}

}  // namespace

bool table_is_full(const std::list<RunningKernel>& kernels, const Machine& machine) {
  if (kernels.size() < machine.table.entries) return false;
  const auto active =
      std::count_if(kernels.begin(), kernels.end(), [](const RunningKernel& k) { return k.is_active(); });
  return static_cast<std::uint64_t>(active) >= machine.table.entries;
}

FunctionalDevice::FunctionalDevice(const Machine& machine, Options options)
    : machine_(machine),
      options_(std::move(options)),
      store_({machine.memory.bytes, options_.poison, machine.memory.check != MemoryCheck::kAllocation}),
      workspaces_(store_),
      interpreter_({&store_, nullptr}, machine.memory.check),
      programs_(machine.sm.lanes, nullptr),
      queues_(machine.queue.count),
      launcher_(machine_, store_, programs_),
      end_(machine_),
      finished_(machine_.run.kernel_rows) {
  set_print_sink(nullptr);
  interpreter_.set_launcher(&launcher_);
  interpreter_.check_live(machine_.check.live);
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

Picoseconds FunctionalDevice::now() const { return idle_time_ + work_time(machine_, counters_.warp_instructions); }

// --- Queues ---------------------------------------------------------------------------------------------------------

bool FunctionalDevice::serve_queues() {
  bool progress = false;
  while (launcher_.may_start() && !table_is_full(running_, machine_)) {
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
                       if (table_is_full(running_, machine_)) return false;
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

void FunctionalDevice::start_kernel(unsigned queue, Ticket ticket, const KernelPacket& packet) {
  const LoadedProgram& loaded = programs_[packet.program];
  const isa::Program& program = loaded.program();
  RunningKernel kernel =
      started(machine_, loaded, {packet.grid, packet.block, packet.dynamic_shared}, now(), packet.sync);
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
  kernel.launch.cooperative = packet.cooperative;
  kernel.launch.all_resident = needs_all_resident(program, packet.cooperative);
  running_.push_back(std::move(kernel));
  if (auto fault = give_workspace(running_.back().launch, workspaces_)) stop(running_.back(), std::move(*fault));
}

void FunctionalDevice::start_child() {
  // Child grids get numbers above all tickets, so that no two grids have the same number.
  constexpr std::uint64_t kFirstGrid = std::uint64_t{1} << 48;
  const ChildLaunch child = launcher_.start();
  const LoadedProgram* const loaded = programs_.kernel(child.launch.kernel);
  CASTOR_ASSERT(loaded != nullptr);
  RunningKernel kernel =
      started(machine_, *loaded, {child.launch.grid, child.launch.block, child.launch.dynamic_shared}, now(), nullptr);
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
        if (!stop_sleepers()) return Outcome::kDeadlock;
        if (!faulted_before) return Outcome::kFault;
        continue;
      }
    }
    if (host_waits) end_.spins.look(counters_.warp_instructions, resident_.size());
    turn();
    place_blocks();
    if (!faulted_before && fault_) return end_.limit_reached ? Outcome::kLimit : Outcome::kFault;
    turns = end_.spins.watching() ? turns + 1 : 0;
    // Blocks that are to return have found no room, so they change nothing either.
    if (resident_.empty() || turns == 0 || turns % (resident_.size() + 1) != 0) continue;
    if (const auto fault = spin_deadlock(resident_, running_, end_.spins, machine_, store_)) {
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
  for (RunningKernel& kernel : running_) {
    if (kernel.level == 0 && kernel.launch.parameters != 0) store_.free(kernel.launch.parameters);
    if (kernel.launch.grid_workspace != 0) workspaces_.give_back(kernel.launch.grid_workspace);
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
