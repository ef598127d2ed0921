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
    case gpu::FaultKind::kWrongMark:
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

Session::Session()
    : modules_([this]() -> gpu::Device& { return device(); }), streams_([this]() -> gpu::Device& { return device(); }) {
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
    Module::read_marks(options_.marks, device_->machine());
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
  for (const gpu::Ticket ticket : streams_.youngest()) wait_for(ticket);
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
  streams_.forget();
  fault_announced_ = false;
  sticky_error_ = cudaSuccess;
  modules_.unload(*device_);
  device_->store().clear();
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
