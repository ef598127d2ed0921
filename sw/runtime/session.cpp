#include "runtime/session.h"

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"

namespace castor::runtime {
namespace {

double host_microseconds(const gpu::Machine& machine, gpu::HostCall call) {
  switch (call) {
    case gpu::HostCall::kLaunch:
      return machine.host.launch_us;
    case gpu::HostCall::kSynchronize:
      return machine.host.sync_us;
    case gpu::HostCall::kCopy:
      return machine.host.copy_us;
    case gpu::HostCall::kQuery:
      return 1;  // at least something, so that a polling loop ends
  }
  return 0;
}

// A waiting call lets other host threads in after this much simulated time.
constexpr gpu::Picoseconds kSlice = 10 * base::kPicosecondsPerMicrosecond;

// A file that the user asked for could not be written, and the program itself was content.
bool end_with_error = false;

// Runs when the program's own exit handlers and destructors are through: only then may the exit code be changed.
__attribute__((destructor)) void change_exit_code() {
  if (!end_with_error) return;
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(2);
}

}  // namespace

cudaError_t error_of(gpu::FaultKind kind) {
  switch (kind) {
    case gpu::FaultKind::kNone:
      return cudaSuccess;
    case gpu::FaultKind::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case gpu::FaultKind::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case gpu::FaultKind::kIllegalInstruction:
      return cudaErrorIllegalInstruction;
    case gpu::FaultKind::kAssert:
      return cudaErrorAssert;
    case gpu::FaultKind::kDeadlock:
    case gpu::FaultKind::kSpinDeadlock:
    case gpu::FaultKind::kInstructionLimit:
    case gpu::FaultKind::kCycleLimit:
      return cudaErrorLaunchTimeout;
    case gpu::FaultKind::kStackOverflow:
      return cudaErrorHardwareStackError;
    case gpu::FaultKind::kTrap:
    case gpu::FaultKind::kBarrier:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

Session& Session::instance() {
  static Session* const session = new Session;  // never destroyed, see the class
  return *session;
}

Session::Session() {
  first_thread_ = std::this_thread::get_id();
  on_exit([](int code, void* /*argument*/) { Session::instance().finish(code); }, nullptr);
}

Session::Call::Call(Session& session) : session_(session), lock_(session.mutex_) {
  static_assert(sizeof(std::fenv_t) <= sizeof environment_);
  std::fegetenv(reinterpret_cast<std::fenv_t*>(environment_));
  std::fesetenv(FE_DFL_ENV);
  session_.note_thread();
}

Session::Call::~Call() { std::fesetenv(reinterpret_cast<const std::fenv_t*>(environment_)); }

void Session::note_thread() {
  if (std::this_thread::get_id() != first_thread_) several_threads_ = true;
}

gpu::Device& Session::device() {
  if (device_ == nullptr) open();
  return *device_;
}

void Session::open() {
  try {
    options_ = options_from_environment();
    if (options_.max_registers != 0) Module::set_register_cap(options_.max_registers);
    if (!options_.report.empty()) check_writable(options_.report);
    device_ = open_device(options_.device);
  } catch (const base::InputError& error) {
    complain(error.what());
    std::_Exit(2);
  }
  device_->set_print_sink([this](std::string_view text) { printed_.append(text); });
  interrupt_on_sigint(device_.get());
}

void Session::flush_prints() {
  if (printed_.empty()) return;
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

void Session::finish(int code) {
  const Call call(*this);
  if (finished_ || device_ == nullptr) return;
  finishing_ = true;
  try {
    // A host function of the program may have called exit: the device is then in the middle of something.
    if (!device_->fault() && !called_from_host_call()) synchronize_device();
  } catch (const ApiError&) {  // announced when it happened
  } catch (const base::Error& error) {
    end_failed(error);
  }
  flush_prints();
  std::fflush(stdout);
  if (!end_run() && code == 0) end_with_error = true;
}

bool Session::end_run() {
  finished_ = true;
  const bool wanted = !options_.report.empty() || options_.summary;
  return runtime::end_run(*device_, options_, wanted ? device_->report_json() : std::string());
}

// --- Modules --------------------------------------------------------------------------------------------------------

Module* Session::add_module(std::string text, std::string name) {
  if (name.empty()) {
    name = program_invocation_short_name;
    name += ".ptx";
    if (!modules_.empty()) name += "#" + std::to_string(modules_.size() + 1);
  }
  modules_.push_back(std::make_unique<Module>(std::move(name), std::move(text)));
  return modules_.back().get();
}

void Session::remove_module(Module* module) {
  for (auto& owned : modules_) {
    if (owned.get() != module) continue;
    if (device_ != nullptr) owned->unload(*device_);
    owned.reset();
  }
  modules_.erase(std::remove(modules_.begin(), modules_.end(), nullptr), modules_.end());
}

bool Session::has_module(const Module* module) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& owned) { return owned.get() == module; });
}

bool Session::has_kernel(const LoadedKernel* kernel) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& owned) { return owned->owns(kernel); });
}

void Session::register_function(Module* module, const void* host, std::string name) {
  functions_.insert_or_assign(host, RegisteredName{module, std::move(name), 0});
}

void Session::register_variable(Module* module, const void* host, std::string name, std::size_t size) {
  variables_.insert_or_assign(host, RegisteredName{module, std::move(name), size});
}

LoadedKernel& Session::kernel_of(const void* host) {
  const auto found = functions_.find(host);
  if (found == functions_.end()) throw ApiError{cudaErrorInvalidDeviceFunction};
  LoadedKernel* const kernel = loading([&] { return found->second.module->kernel(device(), found->second.name); });
  if (kernel == nullptr) throw ApiError{cudaErrorInvalidDeviceFunction};
  return *kernel;
}

DeviceSymbol Session::symbol_of(const void* host) {
  const auto found = variables_.find(host);
  if (found == variables_.end()) throw ApiError{cudaErrorInvalidSymbol};
  const DeviceSymbol* const symbol =
      loading([&] { return found->second.module->symbol(device(), found->second.name); });
  if (symbol == nullptr) throw ApiError{cudaErrorInvalidSymbol};
  return *symbol;
}

// --- Streams, events ------------------------------------------------------------------------------------------------

Stream& Session::stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy_;
  if (handle == cudaStreamPerThread) {
    auto& stream = per_thread_[std::this_thread::get_id()];
    if (stream == nullptr) {
      stream = std::make_unique<Stream>();
      stream->id = next_stream_++;
      stream->queue = stream->id % device().machine().queue.count;
    }
    return *stream;
  }
  const auto found = streams_.find(handle);
  if (found == streams_.end()) throw ApiError{cudaErrorInvalidResourceHandle};
  return *found->second;
}

cudaStream_t Session::create_stream(unsigned flags, int priority) {
  if ((flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) throw ApiError{cudaErrorInvalidValue};
  auto stream = std::make_unique<Stream>();
  stream->id = next_stream_++;
  stream->queue = stream->id % device().machine().queue.count;
  stream->blocking = (flags & cudaStreamNonBlocking) == 0;
  stream->priority = priority;
  stream->flags = flags;
  auto* const handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void Session::destroy_stream(cudaStream_t handle) {
  // Its pending work goes on; only the handle ends.
  const auto found = streams_.find(handle);
  if (found == streams_.end()) throw ApiError{cudaErrorInvalidResourceHandle};
  submit_job(*found->second);
  if (!device().complete(found->second->last)) orphans_.push_back(found->second->last);
  if (found->second->job) orphan_jobs_.push_back(*found->second->job);
  streams_.erase(found);
}

JobDriver& Session::jobs() {
  if (!jobs_) {
    JobDriver::Settings settings;
    settings.from_top = true;  // other streams count from the lowest queue on
    jobs_ = std::make_unique<JobDriver>(device(), settings);
  }
  return *jobs_;
}

cudaStream_t Session::create_job_stream(std::uint64_t deadline_ns) {
  JobDriver& driver = jobs();
  // Streams that were destroyed while their job was under way.
  for (std::size_t i = 0; i < orphan_jobs_.size();) {
    static_cast<void>(driver.poll(orphan_jobs_[i]));
    if (driver.busy(orphan_jobs_[i])) {
      ++i;
      continue;
    }
    driver.destroy(orphan_jobs_[i]);
    orphan_jobs_.erase(orphan_jobs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (driver.available() == 0 && driver.judged()) throw ApiError{cudaErrorMemoryAllocation};
  auto stream = std::make_unique<Stream>();
  try {
    stream->job = driver.create(deadline_ns);
  } catch (const base::InputError& error) {
    complain(error.what());
    throw ApiError{cudaErrorInvalidValue};
  }
  stream->id = next_stream_++;
  stream->queue = driver.queue(*stream->job);
  stream->blocking = false;
  auto* const handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void Session::submit_job(Stream& stream) {
  if (!stream.held) return;
  stream.held = false;
  const std::vector<gpu::Ticket> tickets = jobs().submit(*stream.job);
  if (!tickets.empty()) stream.last = tickets.back();
}

Event& Session::event_of(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  if (found == events_.end()) throw ApiError{cudaErrorInvalidResourceHandle};
  return *found->second;
}

cudaEvent_t Session::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->id = next_event_++;
  event->flags = flags;
  auto* const handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_.emplace(handle, std::move(event));
  return handle;
}

void Session::destroy_event(cudaEvent_t handle) {
  if (events_.erase(handle) == 0) throw ApiError{cudaErrorInvalidResourceHandle};
}

void Session::record(Event& event, Stream& stream) {
  event.recorded = true;
  event.ticket = submit(stream, gpu::EventRecordPacket{event.id, ++event.count});
}

void Session::wait(Stream& stream, const Event& event) {
  if (!event.recorded || device().complete(event.ticket)) return;
  submit(stream, gpu::EventWaitPacket{event.id, event.count});
}

gpu::Ticket Session::submit(Stream& stream, gpu::Packet packet) {
  gpu::Device& target = device();
  if (auto* const kernel = std::get_if<gpu::KernelPacket>(&packet)) {
    if (stream.job) {
      jobs().enqueue(*stream.job, std::move(*kernel));
      stream.held = true;
      return stream.last;
    }
    if (target.job_control() != nullptr) {
      kernel->kid = jobs().kid_of(kernel->program, kernel->block.count());
    }
  }
  submit_job(stream);
  // The legacy default stream waits for all blocking streams, and they for it. A wait follows its record in order of
  // submission, so one queue cannot block itself.
  const auto order_after = [&](Stream& later, Stream& earlier) {
    if (later.queue == earlier.queue || target.complete(earlier.last)) return;
    const std::uint64_t event = next_event_++;
    earlier.last = target.submit(earlier.queue, gpu::EventRecordPacket{event, 1});
    target.submit(later.queue, gpu::EventWaitPacket{event, 1});
  };
  if (&stream == &legacy_) {
    for (auto& [handle, other] : streams_) {
      if (other->blocking) order_after(stream, *other);
    }
    for (auto& [thread, other] : per_thread_) order_after(stream, *other);
  } else if (stream.blocking) {
    order_after(stream, legacy_);
  }
  stream.last = target.submit(stream.queue, std::move(packet));
  return stream.last;
}

// --- Time -----------------------------------------------------------------------------------------------------------

void Session::announce_fault() {
  if (fault_announced_ || !device_->fault()) return;
  fault_announced_ = true;
  flush_prints();
  complain(device_->fault()->message);
}

void Session::check_fault() {
  if (device_ == nullptr || !device_->fault()) return;
  announce_fault();
  sticky_error_ = error_of(device_->fault()->kind);
  throw ApiError{sticky_error_};
}

// The program left SIGINT at its default, which is to end. What was done so far is written down; then pending work is
// dropped, so that the program's destructors do not wait for a kernel that does not end.
void Session::end_interrupted() {
  flush_prints();
  complain(interrupted_text(*device_));
  static_cast<void>(end_run());
  device_->reset();
  std::exit(130);
}

// What the user asked for is done: the program ends here, as if it had called exit.
void Session::end_stopped() {
  flush_prints();
  complain("stopped after " + std::to_string(device_->kernels().size()) + " kernels, as run.stop_after says");
  if (finishing_) throw ApiError{cudaSuccess};  // it is at its end already
  const bool good = end_run();
  device_->reset();
  std::exit(good ? 0 : 1);
}

void Session::end_failed(const base::Error& error) {
  flush_prints();
  complain(failed_text(error, *device_));
  for (const std::string& text : device_->end_recording()) complain(text);
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(1);
}

void Session::wait_for(gpu::Ticket ticket) {
  gpu::Device& target = device();
  check_fault();
  while (!target.complete(ticket)) {
    const gpu::Outcome outcome =
        several_threads_ ? target.advance_to(target.now() + kSlice) : target.advance_until(ticket);
    if (outcome == gpu::Outcome::kInterrupted) end_interrupted();
    if (outcome == gpu::Outcome::kStopped) end_stopped();
    check_fault();
    if (several_threads_ && !target.complete(ticket)) {
      mutex_.unlock();
      std::this_thread::yield();
      mutex_.lock();
    }
  }
  flush_prints();
}

void Session::synchronize_device() {
  for (auto& [handle, stream] : streams_) submit_job(*stream);
  std::vector<gpu::Ticket> tickets{legacy_.last};
  for (const auto& [handle, stream] : streams_) tickets.push_back(stream->last);
  for (const auto& [thread, stream] : per_thread_) tickets.push_back(stream->last);
  tickets.insert(tickets.end(), orphans_.begin(), orphans_.end());
  orphans_.clear();
  for (const gpu::Ticket ticket : tickets) wait_for(ticket);
}

void Session::charge(gpu::HostCall call) {
  gpu::Device& target = device();
  if (target.fault()) return;
  const double microseconds = host_microseconds(target.machine(), call);
  const auto span = static_cast<gpu::Picoseconds>(microseconds * base::kPicosecondsPerMicrosecond);
  target.count_host_call(call, span);
  wait_until(target.now() + span);
}

void Session::wait_until(gpu::Picoseconds time) {
  gpu::Device& target = device();
  if (target.fault() || time <= target.now()) return;
  const gpu::Outcome outcome = target.advance_to(time);
  if (outcome == gpu::Outcome::kInterrupted) end_interrupted();
  if (outcome == gpu::Outcome::kStopped) end_stopped();
  announce_fault();
}

void Session::reset_device() {
  if (device_ == nullptr) return;
  try {
    if (!device_->fault()) synchronize_device();
  } catch (const ApiError&) {  // announced when it happened
  }
  flush_prints();
  device_->reset();
  jobs_.reset();
  orphan_jobs_.clear();
  fault_announced_ = false;
  sticky_error_ = cudaSuccess;
  for (auto& module : modules_) module->unload(*device_);
  device_->store().clear();
  streams_.clear();
  per_thread_.clear();
  events_.clear();
  legacy_ = Stream{};
  orphans_.clear();
  registered_host_memory.clear();
}

gpu::HostCallPacket Session::host_call(std::function<void()> call) {
  return {[this, call = std::move(call)] {
    host_call_thread_ = std::this_thread::get_id();
    flush_prints();
    call();
    host_call_thread_ = std::thread::id{};
  }};
}

std::optional<std::uint64_t> Session::device_address(const void* pointer) {
  auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (address >= isa::kHostWindow && address - isa::kHostWindow < isa::kWindowSize) address -= isa::kHostWindow;
  if (address < gpu::Store::kBase || address >= isa::kWindowSize) return std::nullopt;
  if (device().store().find(address) == nullptr) return std::nullopt;
  return address;
}

}  // namespace castor::runtime
