#include "castor/gpu/timing_device.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/job_record.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/report.h"

namespace castor::gpu {

/// Number of host API calls, and the time for which they kept the host busy.
struct TimingDevice::HostCallStatistics {
  explicit HostCallStatistics(base::StatisticGroup& gpu) : group(gpu, "host_api") {}

  void count(HostCall call, Picoseconds span) {
    switch (call) {
      case HostCall::kLaunch:
        ++launches;
        launch_time += span;
        return;
      case HostCall::kSynchronize:
        ++synchronizations;
        synchronization_time += span;
        return;
      case HostCall::kCopy:
        ++copies;
        copy_time += span;
        return;
      case HostCall::kQuery:
        ++queries;
        query_time += span;
        return;
    }
  }

  base::StatisticGroup group;
  base::Counter launches{group, {"launches", "", "calls that launch a kernel, fill memory or submit a job"}};
  base::Counter launch_time{
      group, {"launch_time", "ps", "time of the host in calls that launch a kernel, fill memory or submit a job"}};
  base::Counter synchronizations{
      group, {"synchronizations", "", "calls that wait for work, each counted when its wait is over"}};
  base::Counter synchronization_time{
      group, {"synchronization_time", "ps", "time of the host in calls that wait, after the wait"}};
  base::Counter copies{group, {"copies", "", "calls that copy memory"}};
  base::Counter copy_time{
      group, {"copy_time", "ps", "time of the host in calls that copy memory, without the wait for the copy"}};
  base::Counter queries{group, {"queries", "", "calls that query whether work is complete"}};
  base::Counter query_time{group,
                           {"query_time", "ps", "time of the host in calls that query whether work is complete"}};
};

namespace {

/// Suppresses SystemC's warning about a start without activity, since the host may wait while no unit has work. The
/// destructor restores the user's actions for this message.
class QuietWhenIdle {
 public:
  QuietWhenIdle() : before_(set(sc_core::SC_DO_NOTHING)) {}
  ~QuietWhenIdle() { set(before_); }
  QuietWhenIdle(const QuietWhenIdle&) = delete;
  QuietWhenIdle& operator=(const QuietWhenIdle&) = delete;

 private:
  static sc_core::sc_actions set(sc_core::sc_actions actions) {
    return sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, actions);
  }

  sc_core::sc_actions before_;
};

}  // namespace

TimingDevice::TimingDevice(const Machine& machine, Options options)
    : machine_(machine),
      options_(std::move(options)),
      store_({machine.memory.bytes, options_.poison, machine.memory.check != MemoryCheck::kAllocation}),
      programs_(machine.sm.lanes, &store_),
      host_limit_(machine.run.max_seconds) {
  // The hub executes the operations. Without agents that give jobs to swap engines, thread blocks that wait keep their
  // SMs, whatever blocks of the machine promise.
  const Hooks& hooks = options_.gpu.hooks;
  machine_.chip.sync.executed = hooks.hub != nullptr;
  machine_.chip.sync.swaps = machine_.chip.sync.swaps && hooks.hub != nullptr && !hooks.swap.empty();
  services_.store = &store_;
  set_print_sink(nullptr);
  const Recording& recording = options_.recording;
  if (recording.files() || recording.progress) recorder_ = std::make_unique<TraceRecorder>(recording, machine_);
  Gpu::Options gpu = options_.gpu;
  if (recorder_ && recorder_->observer() != nullptr) {
    observers_.add(*recorder_->observer());
    if (gpu.observer != nullptr) observers_.add(*gpu.observer);
    gpu.observer = &observers_;
  }
  if (options_.replay) gpu.replay = options_.replay.get();
  gpu_ = std::make_unique<Gpu>("gpu", machine_, store_, programs_, gpu);
  gpu_->front_end().faults().set_services(services_);
  host_calls_ = std::make_unique<HostCallStatistics>(gpu_->statistics());
  if (recorder_) recorder_->attach(*gpu_);
}

TimingDevice::~TimingDevice() {
  if (recorder_) recorder_->close(gpu_->now());
}

void TimingDevice::set_print_sink(std::function<void(std::string_view)> sink) {
  if (!sink) {
    sink = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  }
  services_.print = [this, sink = std::move(sink)](std::string_view text) {
    if (recorder_) recorder_->clear_progress();
    sink(text);
  };
}

namespace {

// Returns why device code cannot launch kernels on this machine; empty if it can.
std::string lacks_launches(const Machine& machine, const Hooks& hooks) {
  if (hooks.job_scheduler != nullptr) return "a machine with a job scheduler does not support them";
  if (machine.parse.select_scan != 0 || machine.queue.in_memory)
    return "a machine whose queues are scanned in memory (queue.in_memory, parse.select_scan) does not support them";
  if (machine.queue.count + 2 > kMaxQueues)
    return "a machine with " + std::to_string(machine.queue.count) + " queues (queue.count) does not support them";
  if (machine.l1.line < sizeof(PacketImage)) return "a machine with lines of 32 bytes (l1.line) does not support them";
  return {};
}

// Returns the record index of the first call of the device runtime, if there is one.
std::optional<std::size_t> find_runtime_call(const isa::Program& program) {
  const auto found = std::find_if(program.code.begin(), program.code.end(),
                                  [](const isa::Record& record) { return record.kind == isa::Kind::kRuntimeCall; });
  if (found == program.code.end()) return std::nullopt;
  return static_cast<std::size_t>(found - program.code.begin());
}

// Throws InputError for a program that calls the device runtime on a machine that cannot serve it.
[[noreturn]] void refuse_runtime_call(const isa::Program& program, std::size_t pc, const std::string& reason) {
  const auto function = std::find_if(program.functions.rbegin(), program.functions.rend(),
                                     [&](const isa::ProgramFunction& f) { return f.first <= pc; });
  std::string where = base::readable_name(program.kernel);
  if (function != program.functions.rend() && function->name != program.kernel)
    where += ", in " + base::readable_name(function->name);
  const isa::SourceLine line = pc < program.lines.size() ? program.lines[pc] : isa::SourceLine{};
  if (line.source_line != 0 && line.source_file != 0 && line.source_file <= program.source_files.size())
    where += " (" + program.source_files[line.source_file - 1] + ":" + std::to_string(line.source_line) + ")";
  throw base::InputError({program.module, static_cast<int>(line.line), static_cast<int>(line.column)},
                         "kernel " + base::printable(where, 400) +
                             " launches kernels from device code, or queries such launches; " + reason,
                         "run it without timing: run.functional=1");
}

}  // namespace

ProgramHandle TimingDevice::load(std::shared_ptr<const isa::Program> program) {
  if (const auto call = find_runtime_call(*program)) {
    const std::string reason =
        options_.replay ? "a replay does not support them" : lacks_launches(machine_, options_.gpu.hooks);
    if (!reason.empty()) refuse_runtime_call(*program, *call, reason);
    gpu_->front_end().mechanism<LaunchSide>().launcher().enable();
  }
  return programs_.load(std::move(program));
}

const isa::Program& TimingDevice::program(ProgramHandle handle) const { return programs_[handle].program(); }

const std::vector<KernelStatistics>& TimingDevice::kernels() const { return gpu_->front_end().releases().kernels(); }

void TimingDevice::hold_kernel(ProgramHandle handle, bool on) {
  gpu_->front_end().hold_kernel(program(handle), on);
  gpu_->changed();
}

// --- Work -----------------------------------------------------------------------------------------------------------

Ticket TimingDevice::submit(unsigned queue, Packet packet) {
  CASTOR_ASSERT(queue < machine_.queue.count);
  if (auto* const kernel = std::get_if<KernelPacket>(&packet)) {
    const LaunchVerdict verdict = check_launch(machine_, program(kernel->program), *kernel);
    if (verdict.error != LaunchError::kNone) throw base::InputError(verdict.message);
    kernel->owned = options_.gpu.hooks.hub != nullptr && owns_machine(machine_, program(kernel->program), *kernel);
  }
  FrontEnd& front_end = gpu_->front_end();
  // A full queue blocks the host until a slot is free. A fault does not end this wait, because other kernels continue.
  while (front_end.queue_full(queue)) {
    const Stop stop = run([&] { return !front_end.queue_full(queue); }, std::nullopt);
    if (stop == Stop::kFault || !front_end.queue_full(queue)) continue;
    if (stop == Stop::kIdle) {
      record_deadlock(FaultKind::kDeadlock, "deadlock: queue " + std::to_string(queue) +
                                                " stays full, and nothing can proceed\n" + gpu_->waiting());
    }
    if (stop == Stop::kInterrupted) interrupted_ = true;  // the next advance returns kInterrupted
    return front_end.refuse();
  }
  const Ticket ticket = front_end.submit(queue, std::move(packet), gpu_->host_cycle());
  gpu_->changed();
  return ticket;
}

bool TimingDevice::complete(Ticket ticket) const { return gpu_->front_end().host().shown(ticket); }

Picoseconds TimingDevice::completion_time(Ticket ticket) const {
  if (!complete(ticket)) return 0;
  return gpu_->clock().time_of(gpu_->front_end().host().cycle(ticket));
}

// --- Time -----------------------------------------------------------------------------------------------------------

Picoseconds TimingDevice::now() const { return system_time_.now(); }

namespace {

// Returns whether the run ends, without an error, when `passed` core cycles have passed. Sets `reason`, for users.
bool stops(const Machine& machine, FrontEnd& front_end, Cycle passed, std::string& reason) {
  const auto& [cycles, kernels] = std::tie(machine.run.stop_at, machine.run.stop_after);
  if (cycles != 0 && passed >= cycles) {
    reason = "stopped after " + std::to_string(cycles) + " core cycles, as run.stop_at says";
    return true;
  }
  if (!kernels) return false;
  const std::vector<Ticket>& tickets = front_end.releases().host_tickets();
  if (tickets.size() < *kernels || !front_end.host().shown(tickets[*kernels - 1])) return false;
  reason = stopped_text(*kernels);
  return true;
}

}  // namespace

TimingDevice::Stop TimingDevice::after_cycle(Cycle cycle, Cycle next, const std::function<bool()>& reached) {
  if (auto fault = gpu_->front_end().faults().take()) {
    const bool first = !fault_.has_value();
    record_fault(std::move(*fault));
    if (first && !resetting_) return Stop::kFault;
  }
  if (reached()) return Stop::kReached;
  // The next wake-up is far ahead. Check whether it is only periodic work of hooks: without hooks the device would
  // sleep for ever.
  const bool rests = next == kForever || ((next > cycle + 1 || !machine_.run.sleep) && gpu_->quiescent());
  if (resetting_) return rests ? Stop::kIdle : Stop::kNone;
  if (interrupted_.exchange(false)) return Stop::kInterrupted;
  const bool may_stop = machine_.run.stop_at != 0 || machine_.run.stop_after;
  if (may_stop && stops(machine_, gpu_->front_end(), cycle + 1, stopped_)) return Stop::kStopped;
  const bool limited = machine_.run.max_cycles || machine_.run.max_instructions || machine_.run.max_seconds;
  if (limited && limit_reached(cycle)) return Stop::kLimit;
  if (gpu_->spinning()) {
    record_deadlock(FaultKind::kSpinDeadlock, "spinning deadlock: " + gpu_->spin_report() + gpu_->waiting());
    return Stop::kSpin;
  }
  return rests ? Stop::kIdle : Stop::kNone;
}

TimingDevice::Stop TimingDevice::run(const std::function<bool()>& reached, std::optional<Picoseconds> until) {
  if (reached()) return Stop::kReached;
  if (!resetting_ && interrupted_.exchange(false)) return Stop::kInterrupted;
  if (!resetting_ && stops(machine_, gpu_->front_end(), gpu_->host_cycle(), stopped_)) return Stop::kStopped;
  if (gpu_->failure()) std::rethrow_exception(gpu_->failure());
  stop_ = Stop::kNone;
  gpu_->host_waits(!until);
  gpu_->run_ahead(!until);
  gpu_->after_cycle([&](Cycle cycle, Cycle next) {
    stop_ = after_cycle(cycle, next, reached);
    // An advance with an end time may leave the device idle, because the host continues at that time.
    if (stop_ == Stop::kIdle && until) stop_ = Stop::kNone;
    return stop_ != Stop::kNone;
  });
  const QuietWhenIdle quiet;
  if (until) {
    if (*until > now()) sc_core::sc_start(system_time_.until(*until), sc_core::SC_RUN_TO_TIME);
  } else {
    sc_core::sc_start();
    if (stop_ == Stop::kNone) stop_ = reached() ? Stop::kReached : Stop::kIdle;
  }
  gpu_->after_cycle(nullptr);
  gpu_->run_ahead(false);
  if (gpu_->failure()) std::rethrow_exception(gpu_->failure());
  if (recorder_) recorder_->clear_progress();  // the host may write to the terminal
  gpu_->host_waits(false);
  return stop_;
}

Outcome TimingDevice::advance_until(Ticket ticket) {
  switch (run([&] { return complete(ticket); }, std::nullopt)) {
    case Stop::kNone:
    case Stop::kReached:
      return Outcome::kDone;
    case Stop::kFault:
      return Outcome::kFault;
    case Stop::kLimit:
      return Outcome::kLimit;
    case Stop::kInterrupted:
      return Outcome::kInterrupted;
    case Stop::kStopped:
      return Outcome::kStopped;
    case Stop::kSpin:
      return Outcome::kDeadlock;
    case Stop::kIdle:
      break;
  }
  record_deadlock(FaultKind::kDeadlock, "deadlock: nothing can proceed\n" + gpu_->waiting(ticket));
  return Outcome::kDeadlock;
}

void TimingDevice::record_deadlock(FaultKind kind, const std::string& message) {
  Fault fault;
  fault.kind = kind;
  fault.message = message;
  record_fault(std::move(fault));
}

void TimingDevice::count_host_call(HostCall call, Picoseconds span) { host_calls_->count(call, span); }

Outcome TimingDevice::advance_to_notice(Picoseconds time) {
  return advance_until_enough([this] { return gpu_->front_end().host().has_notices(); }, time);
}

Outcome TimingDevice::advance_until_enough(const std::function<bool()>& enough, Picoseconds time) {
  if (time != kNoTime) return outcome_at_time(run(enough, time));
  const Stop stop = run(enough, std::nullopt);
  if (stop == Stop::kSpin) return Outcome::kDeadlock;
  if (stop != Stop::kIdle) return outcome_at_time(stop);
  record_deadlock(FaultKind::kDeadlock, "deadlock: nothing can proceed\n" + gpu_->waiting());
  return Outcome::kDeadlock;
}

RegisterReply TimingDevice::access_register(const RegisterAccess& access) {
  FrontEnd& front_end = gpu_->front_end();
  const std::uint64_t number = front_end.access_register(access, gpu_->host_cycle(), true);
  gpu_->changed();
  std::optional<RegisterReply> reply;
  const auto replied = [&] {
    if (!reply) reply = front_end.register_reply(number);
    return reply.has_value();
  };
  // Only the reply ends the access. A fault or a limit is returned by the next advance.
  const bool interrupted = interrupted_.exchange(false);
  while (!replied()) {
    const Stop stop = run(replied, std::nullopt);
    if (stop == Stop::kIdle || stop == Stop::kLimit || stop == Stop::kStopped) break;
    if (stop == Stop::kInterrupted) interrupted_ = true;
    if (stop == Stop::kInterrupted) break;
  }
  if (interrupted) interrupted_ = true;
  return reply.value_or(RegisterReply{RegisterError::kAddress, 0});
}

void TimingDevice::post_register(const RegisterAccess& access) {
  gpu_->front_end().access_register(access, gpu_->host_cycle(), false);
  gpu_->changed();
}

std::string TimingDevice::refuses_registers(unsigned window) const {
  for (const NamedHook& hook : front_end_hooks(options_.gpu.hooks)) {
    if (hook.hook->window() == static_cast<int>(window)) return {};
  }
  const std::string owner = options_.register_owner ? options_.register_owner(window) : std::string();
  const std::string begin = "register window " + std::to_string(window) + " belongs to ";
  if (owner.empty()) return begin + "no block";
  return begin + "block " + owner + ", which this machine does not have: blocks." + owner + ".enable=1";
}

const JobControl* TimingDevice::job_control() const {
  const JobScheduler* const scheduler = options_.gpu.hooks.job_scheduler;
  return scheduler == nullptr ? nullptr : scheduler->control();
}

Outcome TimingDevice::outcome_at_time(Stop stop) {
  switch (stop) {
    case Stop::kFault:
      return Outcome::kFault;
    case Stop::kLimit:
      return Outcome::kLimit;
    case Stop::kInterrupted:
      return Outcome::kInterrupted;
    case Stop::kStopped:
      return Outcome::kStopped;
    default:
      return Outcome::kDone;
  }
}

bool TimingDevice::limit_reached(Cycle cycle) {
  std::string what;
  FaultKind kind = FaultKind::kCycleLimit;
  if (machine_.run.max_cycles && cycle + 1 >= *machine_.run.max_cycles) {
    what = "cycle limit reached: run.max_cycles = " + std::to_string(*machine_.run.max_cycles);
  } else if (machine_.run.max_instructions && cycle % Gpu::kLimitPeriod == 0 &&
             gpu_->warp_instructions() >= *machine_.run.max_instructions) {
    what = "instruction limit reached: run.max_instructions = " + std::to_string(*machine_.run.max_instructions) +
           " warp instructions";
    kind = FaultKind::kInstructionLimit;
  } else if (host_limit_.reached()) {
    what = host_limit_.text();
    kind = FaultKind::kHostLimit;
  } else {
    return false;
  }
  Fault fault;
  fault.kind = kind;
  fault.message = what + ". An endless loop? Otherwise raise the limit\n" + gpu_->waiting();
  record_fault(std::move(fault));
  return true;
}

void TimingDevice::record_fault(Fault fault) {
  if (!fault_) fault_ = std::move(fault);
}

void TimingDevice::reset() {
  FrontEnd& front_end = gpu_->front_end();
  front_end.abandon();
  gpu_->changed();
  resetting_ = true;
  static_cast<void>(run([&] { return front_end.idle(); }, std::nullopt));
  resetting_ = false;
  front_end.reset();
  while (front_end.faults().take()) {
  }
  fault_.reset();
}

namespace {

// Returns the kernels in the table for the report: they have begun and are not complete.
nlohmann::ordered_json unfinished_json(const KernelTable& table) {
  auto json = nlohmann::ordered_json::array();
  for (unsigned entry = 0; entry < table.size(); ++entry) {
    const KernelEntry& kernel = table[entry];
    if (kernel.state == EntryState::kFree) continue;
    const KernelContext& context = kernel.context();
    const std::uint64_t tbs = context.grid.count() + kernel.group_tbs;
    json.push_back({{"name", context.program->kernel},
                    {"demangled", base::demangled(context.program->kernel)},
                    {"ticket", context.ticket},
                    {"start_ps", kernel.statistics.start},
                    {"grid", {context.grid.x, context.grid.y, context.grid.z}},
                    {"block", {context.block.x, context.block.y, context.block.z}},
                    {"thread_blocks", tbs},
                    {"thread_blocks_complete", kernel.retired},
                    {"thread_blocks_running", kernel.running}});
  }
  return json;
}

// Returns the job records for the report. All times are core cycles.
nlohmann::ordered_json jobs_json(const std::vector<JobRecord>& jobs) {
  auto json = nlohmann::ordered_json::array();
  for (const JobRecord& job : jobs) {
    json.push_back({{"id", job.id},
                    {"queue", job.queue},
                    {"ticket", job.ticket},
                    {"deadline", job.deadline},
                    {"start", job.start},
                    {"judged", job.judged},
                    {"accepted", job.accepted},
                    {"reason", job.reason},
                    {"estimate", job.estimate},
                    {"first_tb", job.first_tb},
                    {"done", job.done},
                    {"met", job.met},
                    {"running", job.running},
                    {"kernels", job.kernels},
                    {"tbs", job.tbs}});
  }
  return json;
}

}  // namespace

// --- Report ---------------------------------------------------------------------------------------------------------

std::vector<std::string> TimingDevice::end_recording() {
  if (!recorder_) return {};
  recorder_->close(gpu_->now());
  return recorder_->take_errors();
}

std::string TimingDevice::report_json() const {
  const base::StatisticGroup& statistics = gpu_->statistics();
  nlohmann::ordered_json report;
  report["machine"] = machine_.name;
  report["mode"] = "timing";
  report["cycles"] = gpu_->now();
  report["time"] = {{"picoseconds", now()}};
  report["warp_instructions"] = gpu_->warp_instructions();
  report["memory_used_bytes"] = store_.used();
  report["peak_gb_per_s"] = machine_.peak_gb_per_s();
  auto& kernels_json = report["kernels"] = nlohmann::ordered_json::array();
  for (const KernelStatistics& kernel : kernels()) {
    kernels_json.push_back(timed_kernel_json(kernel, machine_, gpu_->clock()));
  }
  report["beside_kernels"] = beside_kernels_json(gpu_->beside_kernels());
  if (const auto& jobs = gpu_->front_end().job_records(); !jobs.empty()) report["jobs"] = jobs_json(jobs);
  report["ratios"] = ratios(statistics, machine_, now());
  add_launches_beyond(report, gpu_->front_end().mechanism<LaunchSide>().launcher().launcher().beyond());
  if (auto unfinished = unfinished_json(gpu_->front_end().table()); !unfinished.empty()) {
    report["unfinished"] = std::move(unfinished);
  }
  if (!stopped_.empty()) report["stopped"] = {{"reason", stopped_}, {"cycle", gpu_->now()}};
  if (fault_) report["fault"] = fault_json(*fault_);
  report["statistics"] = nlohmann::ordered_json::parse(statistics.json());
  report["legend"] = nlohmann::ordered_json::parse(statistics.json_legend());
  char hash[20];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(statistics.hash()));
  report["statistics_hash"] = hash;
  add_provenance(report, machine_);
  if (options_.replay) report["replay"] = {{"file", options_.replay->file()}};
  if (const std::string windows = gpu_->windows_json(); !windows.empty()) {
    report["windows"] = nlohmann::ordered_json::parse(windows);
  }
  if (!options_.configuration_json.empty()) {
    report["configuration"] = nlohmann::ordered_json::parse(options_.configuration_json);
  }
  return report.dump(2);
}

}  // namespace castor::gpu
