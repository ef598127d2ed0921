#include "castor/gpu/functional/functional_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/job_check.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/report.h"

namespace castor::gpu::functional {
namespace {

// Instructions that a warp, and all warps of a block together, execute before the next has its turn. Long turns keep a
// block's registers in the host's cache; but a block whose warps all used up their turns may be spinning for another
// one, so its next turn is short.
constexpr std::uint64_t kWarpTurn = 256;
constexpr std::uint64_t kBlockTurn = 64 * 1024;
constexpr std::uint64_t kShortBlockTurn = 4 * 1024;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

FunctionalDevice::FunctionalDevice(const Machine& machine, Options options)
    : machine_(machine),
      options_(std::move(options)),
      store_({machine.memory.bytes, options_.poison, machine.memory.check != MemoryCheck::kAllocation}),
      interpreter_({&store_, nullptr}, machine.memory.check),
      programs_(machine.sm.lanes, nullptr),
      queues_(machine.queue.count) {
  set_print_sink(nullptr);
  if (machine_.run.affine.empty()) return;
  affine_file_.open(machine_.run.affine);
  if (!affine_file_) {
    throw base::InputError("cannot write the file of affine instances '" +
                           base::printable(machine_.run.affine.string(), 300) + "' (run.affine)");
  }
  affine_file_ << kAffineTitle << std::endl;
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
  const Ticket ticket = ++last_ticket_;
  queues_[queue].packets.push_back({ticket, std::move(packet)});
  return ticket;
}

bool FunctionalDevice::complete(Ticket ticket) const {
  return ticket < completed_below_ || completed_.count(ticket) != 0;
}

Picoseconds FunctionalDevice::completion_time(Ticket ticket) const {
  const auto recorded = record_times_.find(ticket);
  if (recorded != record_times_.end()) return recorded->second;
  const auto found = completed_.find(ticket);
  return found == completed_.end() ? 0 : found->second;
}

void FunctionalDevice::done(Ticket ticket) {
  completed_[ticket] = now();
  while (completed_.count(completed_below_) != 0) ++completed_below_;
  // Times of long gone tickets are not asked for any more, but for those of events.
  constexpr Ticket kRemembered = 1 << 20;
  if (completed_below_ > kRemembered) completed_.erase(completed_below_ - kRemembered);
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
  for (unsigned i = 0; i < queues_.size(); ++i) {
    while (!queues_[i].busy && !queues_[i].packets.empty() && serve_head(i, queues_[i])) progress = true;
  }
  return progress;
}

// Works on the head packet of a queue; false if it has to wait.
bool FunctionalDevice::serve_head(unsigned index, Queue& queue) {
  Queued& head = queue.packets.front();
  const Ticket ticket = head.ticket;
  const bool served =
      std::visit(Overloaded{
                     [&](const KernelPacket& packet) {
                       if (queue.error) {
                         done(ticket);
                         return true;
                       }
                       if (running_.size() >= machine_.table.entries) return false;
                       queue.busy = true;
                       start_kernel(index, ticket, packet);
                       return true;
                     },
                     [&](const CopyPacket& packet) {
                       copy(packet);
                       done(ticket);
                       return true;
                     },
                     [&](const FillPacket& packet) {
                       fill(packet);
                       done(ticket);
                       return true;
                     },
                     [&](const EventRecordPacket& packet) {
                       events_[packet.event] = packet.count;
                       record_times_[ticket] = now();
                       done(ticket);
                       return true;
                     },
                     [&](const EventWaitPacket& packet) {
                       const auto found = events_.find(packet.event);
                       if (packet.count != 0 && (found == events_.end() || found->second < packet.count)) return false;
                       done(ticket);
                       return true;
                     },
                     [&](const HostCallPacket& packet) {
                       packet.call();
                       done(ticket);
                       return true;
                     },
                     [&](const JobPacket& packet) {
                       if (!queue.error) begin_job(queue, packet);
                       done(ticket);
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
  Running kernel;
  kernel.queue = queue;
  kernel.launch.ticket = ticket;
  kernel.launch.program = &program;
  kernel.launch.constants = loaded.constants();
  kernel.launch.grid = packet.grid;
  kernel.launch.block = packet.block;
  kernel.launch.dynamic_shared = packet.dynamic_shared;
  kernel.launch.shared_bytes = program.shared_bytes + packet.dynamic_shared;
  kernel.launch.grid_id = ticket;
  kernel.total = packet.grid.count();
  kernel.limit = blocks_per_sm(machine_, program, packet.block.count(), packet.dynamic_shared) * machine_.chip.sms;
  CASTOR_ASSERT(kernel.limit > 0);
  kernel.statistics.kernel = program.kernel;
  kernel.statistics.shape = shape_of(kernel.launch);
  kernel.statistics.ticket = ticket;
  kernel.statistics.start = now();
  kernel.statistics.thread_blocks = kernel.total;
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

// Nobody judges: every job is accepted, and without timing none is late.
void FunctionalDevice::begin_job(Queue& queue, const JobPacket& packet) {
  if (!is_valid(packet, store_)) {
    queue.error = true;
    signal(packet.signal, JobStatus::kError);
    return;
  }
  if (packet.append && queue.left == 0) {
    signal(packet.signal, JobStatus::kRejected);
    return;
  }
  if (!packet.append) queue.signal = packet.signal;
  queue.left = packet.append ? queue.left + packet.kernels : packet.kernels;
  signal(packet.signal, JobStatus::kAccepted);
}

void FunctionalDevice::signal(std::uint64_t address, JobStatus status) {
  if (!is_signal_address(address, store_)) return;
  const std::uint64_t word = JobSignal{status, 0, 0}.word();
  std::memcpy(store_.host(address), &word, sizeof word);
}

void FunctionalDevice::copy(const CopyPacket& packet) {
  const auto host = [this](const auto& side) {
    using Pointer = std::variant_alternative_t<1, std::decay_t<decltype(side)>>;
    if (const auto* const address = std::get_if<std::uint64_t>(&side)) return Pointer{store_.host(*address)};
    return std::get<Pointer>(side);
  };
  const std::byte* const from = host(packet.source);
  std::byte* const to = host(packet.destination);
  for (std::size_t row = 0; row < packet.rows; ++row) {
    std::memmove(to + row * packet.destination_pitch, from + row * packet.source_pitch, packet.width);
  }
}

void FunctionalDevice::fill(const FillPacket& packet) {
  for (std::size_t row = 0; row < packet.rows; ++row) {
    std::byte* const to = store_.host(packet.address) + row * packet.pitch;
    if (packet.pattern_bytes == 1) {
      std::memset(to, static_cast<int>(packet.pattern & 0xff), packet.width);
    } else {
      for (std::size_t i = 0; i + packet.pattern_bytes <= packet.width; i += packet.pattern_bytes) {
        std::memcpy(to + i, &packet.pattern, packet.pattern_bytes);
      }
    }
  }
}

// --- Blocks ---------------------------------------------------------------------------------------------------------

void FunctionalDevice::place_blocks() {
  double used = 0;
  for (const Running& kernel : running_) used += static_cast<double>(kernel.resident) / kernel.limit;
  for (Running& kernel : running_) {
    const double share = 1.0 / kernel.limit;
    while (!kernel.stopped && kernel.next < kernel.total && used + share <= 1.0 + 1e-9) {
      Resident resident;
      resident.kernel = &kernel;
      resident.index = kernel.next++;
      resident_.push_back(std::move(resident));
      ++kernel.resident;
      used += share;
    }
  }
}

// One turn of the resident block at the front.
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
                          affine_file_.is_open());
  }
  const Counters before = counters_;
  std::optional<Fault> fault = run_block(resident);
  kernel.statistics.warp_instructions += counters_.warp_instructions - before.warp_instructions;
  kernel.statistics.thread_instructions += counters_.thread_instructions - before.thread_instructions;
  if (interpreter_.memory().outside_reads().lanes != 0) collect_outside_reads(kernel);
  if (!fault && machine_.run.max_instructions && counters_.warp_instructions >= *machine_.run.max_instructions) {
    limit_reached_ = true;
    Fault limit;
    limit.kind = FaultKind::kInstructionLimit;
    limit.kernel = kernel.launch.program->kernel;
    limit.block = resident.block->index();
    limit.message =
        "instruction limit reached: run.max_instructions = " + std::to_string(*machine_.run.max_instructions) +
        " warp instructions; kernel " + base::readable_name(kernel.launch.program->kernel) +
        " was running. An endless loop? Otherwise raise the limit";
    fault = std::move(limit);
  }
  if (fault) {
    stop(kernel, std::move(*fault));
  } else if (resident.block->done()) {
    --kernel.resident;
    if (const MarkCheck* const marks = resident.block->marks()) {
      kernel.marks.compared += marks->counts().compared;
      kernel.marks.racy += marks->counts().racy;
    }
    if (RedundancyStudy* const study = resident.block->study()) kernel.redundancy.add(study->finish(kernel.grid));
    if (AffineProbe* const affine = resident.block->affine()) kernel.affine[affine->text()].push_back(resident.index);
    spare_blocks_.push_back(std::move(resident.block));
    finish_if_done(kernel);
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
  while (counters_.warp_instructions < end && !block.done()) {
    Warp& warp = warps[resident.next_warp];
    resident.next_warp = (resident.next_warp + 1) % warps.size();
    if (warp.state != WarpState::kReady) {
      if (++idle == warps.size()) return stuck(block);
      continue;
    }
    idle = 0;
    const std::uint64_t turn = std::min(kWarpTurn, end - counters_.warp_instructions);
    const std::uint64_t turn_end = counters_.warp_instructions + turn;
    if (auto fault = interpreter_.run(block, warp, turn, nanoseconds, counters_)) return fault;
    if (counters_.warp_instructions < turn_end) resident.spins = false;  // it met a barrier, or is done
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

// Every live warp of the block waits at a barrier, and none can be completed.
Fault FunctionalDevice::stuck(ThreadBlock& block) {
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

void FunctionalDevice::finish_if_done(Running& kernel) {
  if (kernel.resident != 0 || (kernel.next < kernel.total && !kernel.stopped)) return;
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
  if (affine_file_.is_open()) write_affine(kernel);
  outside_read_notice_.tell(kernel.statistics.kernel, kernel.outside_reads);
  if (kernel.launch.parameters != 0) store_.free(kernel.launch.parameters);
  finished_.push_back(std::move(kernel.statistics));
  Queue& queue = queues_[kernel.queue];
  queue.busy = false;
  if (queue.left > 0 && --queue.left == 0) signal(queue.signal, JobStatus::kDone);
  done(kernel.launch.ticket);
  running_.remove_if([&](const Running& other) { return &other == &kernel; });
}

// A set for all thread blocks that are alike.
void FunctionalDevice::write_affine(const Running& kernel) {
  const isa::Program& program = *kernel.launch.program;
  affine_file_ << "launch " << kernel.launch.ticket << ' ' << program.code.size() << ' ' << program.kernel << '\n';
  for (const auto& [set, blocks] : kernel.affine) {
    std::vector<std::uint64_t> sorted = blocks;
    std::sort(sorted.begin(), sorted.end());
    std::vector<IndexRange> ranges;
    for (const std::uint64_t block : sorted) add_to(ranges, block);
    affine_file_ << "set " << set << "\ntbs " << text_of(ranges, ' ') << '\n';
  }
  affine_file_.flush();
}

void FunctionalDevice::record_fault(Fault fault) {
  if (!fault_) fault_ = std::move(fault);
}

// A fault ends its kernel: none of its blocks goes on. Others do.
void FunctionalDevice::stop(Running& kernel, Fault fault) {
  record_fault(std::move(fault));
  kernel.stopped = true;
  resident_.erase(std::remove_if(resident_.begin(), resident_.end(),
                                 [&](const Resident& resident) { return resident.kernel == &kernel; }),
                  resident_.end());
  kernel.resident = 0;
  finish_if_done(kernel);
}

// --- Time -----------------------------------------------------------------------------------------------------------

Outcome FunctionalDevice::advance(const std::function<bool()>& reached) {
  const bool faulted_before = fault_.has_value();
  while (!reached()) {
    if (interrupted_.exchange(false)) return Outcome::kInterrupted;
    if (machine_.run.stop_after && finished_.size() >= *machine_.run.stop_after) return Outcome::kStopped;
    const bool served = serve_queues();
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
    turn();
    place_blocks();
    if (!faulted_before && fault_) return limit_reached_ ? Outcome::kLimit : Outcome::kFault;
  }
  return Outcome::kDone;
}

Outcome FunctionalDevice::advance_until(Ticket ticket) {
  CASTOR_ASSERT(ticket <= last_ticket_);
  return advance_until_enough([&] { return complete(ticket); }, kNoTime);
}

Outcome FunctionalDevice::advance_until_enough(const std::function<bool()>& enough, Picoseconds time) {
  const Outcome outcome = advance([&] { return enough() || now() >= time; });
  if (time == kNoTime) {
    if (outcome == Outcome::kDeadlock && !fault_) {
      Fault fault;
      fault.kind = FaultKind::kDeadlock;
      fault.message = "deadlock: nothing can proceed\n" + waiting_chain();
      record_fault(std::move(fault));
    }
    return outcome;
  }
  if (outcome == Outcome::kDone && enough()) return outcome;
  // Nothing to do until then is no deadlock: the host may still submit what a waiting packet needs.
  if (outcome == Outcome::kDeadlock || outcome == Outcome::kDone) {
    if (now() < time) idle_time_ += time - now();
    return Outcome::kDone;
  }
  return outcome;
}

std::string FunctionalDevice::waiting_chain() const {
  std::string text;
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
    if (kernel.launch.parameters != 0) store_.free(kernel.launch.parameters);
  }
  running_.clear();
  events_.clear();
  fault_.reset();
  limit_reached_ = false;
  completed_.clear();
  record_times_.clear();
  completed_below_ = last_ticket_ + 1;
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
  for (const KernelStatistics& kernel : finished_) {
    kernels.push_back(kernel_json(kernel, machine_));
    for (const auto& [name, value] : kernel.counts) kernels.back()["counts"][std::string(name)] = value;
  }
  if (fault_) report["fault"] = fault_json(*fault_);
  add_provenance(report, machine_);
  if (!options_.configuration_json.empty()) {
    report["configuration"] = nlohmann::ordered_json::parse(options_.configuration_json);
  }
  return report.dump(2);
}

}  // namespace castor::gpu::functional
