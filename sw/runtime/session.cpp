#include "runtime/session.h"

#include <pthread.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "runtime/run_record.h"

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
      return 1;  // not 0, so that a loop that polls for the end of the work terminates
  }
  return 0;
}

// Simulated time after which a waiting call lets other host threads enter the API.
constexpr gpu::Picoseconds kSlice = 10 * base::kPicosecondsPerMicrosecond;

// Note in the report of a run whose order of events may vary.
constexpr const char* kOrderNotFixed =
    "simulated time advanced while threads of the program ran or slept outside the API; the simulated times of host "
    "calls may differ from run to run";

// A file that the user requested could not be written, although the program itself succeeded.
bool end_with_error = false;

// Runs after the program's own exit handlers and destructors; only then may the exit code be changed.
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
    case gpu::FaultKind::kHostLimit:
      return cudaErrorLaunchTimeout;
    case gpu::FaultKind::kStackOverflow:
      return cudaErrorHardwareStackError;
    case gpu::FaultKind::kWrongMark:
    case gpu::FaultKind::kWrongSkip:
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
  static Session* const session = new Session;  // never destroyed: modules may use the session after all other objects
  return *session;
}

Session::Session()
    : modules_([this]() -> gpu::Device& { return device(); }),
      streams_([this]() -> gpu::Device& { return device(); }),
      progress_(functions_, [this](std::uint64_t epoch, Progress::Certainty sure) { return move_on(epoch, sure); }) {
  first_thread_ = std::this_thread::get_id();
  handle_forks();
  on_exit([](int code, void* /*argument*/) { Session::instance().finish(code); }, nullptr);
}

Session::Call::Call(Session& session) : session_(session), presence_(session.progress_), lock_(*session.mutex_) {
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
    RunRecord::claim(options_);
    if (options_.max_registers != 0) Module::set_register_cap(options_.max_registers);
    progress_.set_patience(options_.patience);
    if (!options_.report.empty()) check_writable(options_.report);
    device_ = open_device(options_.device);
    Module::read_marks(options_.marks, device_->machine());
  } catch (const base::InputError& error) {
    complain(error.what());
    std::_Exit(2);
  }
  device_->set_print_sink([this](std::string_view text) { printed_.append(text); });
  interrupt_on_signals(device_.get());
  watch_calls();
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
    // If a host function of the program called exit, the device is in the middle of an advance and cannot be
    // synchronised.
    if (!device_->fault() && !called_from_host_call()) synchronize_device();
  } catch (const ApiError&) {  // the fault was reported when it occurred
  } catch (const base::Error& error) {
    end_failed(error);
  }
  flush_prints();
  std::fflush(stdout);
  if (!end_run() && code == 0) end_with_error = true;
  progress_.stop();
}

bool Session::end_run() {
  finished_ = true;
  if (options_.report.empty() && !options_.summary) return runtime::end_run(*device_, options_, {});
  std::string report = device_->report_json();
  if (judged_moves_ != 0) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(report);
    json["host_order"] = {{"fixed", false}, {"judged_moves", judged_moves_}, {"meaning", kOrderNotFixed}};
    report = json.dump(2);
  }
  const bool good = runtime::end_run(*device_, options_, report);
  if (judged_moves_ != 0 && options_.summary) {
    std::fprintf(stderr, "  host order  not fixed, %llu times: %s\n", static_cast<unsigned long long>(judged_moves_),
                 kOrderNotFixed);
  }
  return good;
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

// Ends the program after a signal whose default action is to end the process. The results so far are written. Pending
// work is then dropped, so that the program's destructors do not wait for an endless kernel.
void Session::end_interrupted() {
  flush_prints();
  complain(interrupted_text(*device_));
  static_cast<void>(end_run());
  device_->reset();
  std::exit(interrupted_code());
}

// Ends the program, as if it had called exit, when the requested number of kernels or cycles has run.
void Session::end_stopped() {
  flush_prints();
  complain(device_->stopped());
  if (finishing_) throw ApiError{cudaSuccess};  // the end of the program has begun already
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
    ended(several_threads_ ? target.advance_to(target.now() + kSlice) : target.advance_until(ticket));
    check_fault();
    if (several_threads_ && !target.complete(ticket)) {
      mutex_->unlock();
      std::this_thread::yield();
      mutex_->lock();
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
  ended(target.advance_to(time));
  announce_fault();
}

void Session::ended(gpu::Outcome outcome) {
  if (outcome == gpu::Outcome::kInterrupted) end_interrupted();
  if (outcome == gpu::Outcome::kStopped) end_stopped();
}

void Session::reset_device() {
  if (device_ == nullptr) return;
  try {
    if (!device_->fault()) synchronize_device();
  } catch (const ApiError&) {  // the fault was reported when it occurred
  }
  flush_prints();
  device_->reset();
  graphs_.forget();
  streams_.forget();
  functions_.forget();
  fault_announced_ = false;
  sticky_error_ = cudaSuccess;
  modules_.unload(*device_);
  device_->store().clear();
  registered_host_memory.clear();
}

// --- Host functions, and advances while the program is outside the API ----------------------------------------------

void Session::submit_host_function(Stream& stream, HostFunctions::Call call, bool hears_faults) {
  const HostFunctions::Number number = functions_.add(
      [this, call = std::move(call)](cudaError_t code) noexcept {
        host_call_thread_ = std::this_thread::get_id();
        flush_prints();
        call(code);
        host_call_thread_ = std::thread::id{};
      },
      hears_faults);
  functions_.submitted(number,
                       streams_.submit(stream, gpu::HostCallPacket{[this, number] { functions_.run(number); }}));
  progress_.watch_functions();
}

bool Session::move_on(std::uint64_t epoch, Progress::Certainty certainty) {
  const std::unique_lock<std::recursive_mutex> lock(*mutex_, std::try_to_lock);
  if (!lock.owns_lock() || progress_.inside() || progress_.epoch() != epoch || finished_ || device_ == nullptr) {
    return false;
  }
  functions_.drop_lost(*device_);
  if (!functions_.pending() && streams_.under_way().empty()) return false;
  try {
    if (device_->fault()) {
      functions_.fail(error_of(device_->fault()->kind));
    } else if (certainty == Progress::Certainty::kProven) {
      move_to_function();
    } else {
      ++judged_moves_;
      move_in_slices();
    }
    announce_fault();
  } catch (const ApiError&) {  // the program is ending
  } catch (const base::Error& error) {
    end_failed(error);
  }
  return true;
}

// Advances the device until a host function has started. Until then, nothing else in this process can make the program
// enter the API.
void Session::move_to_function() {
  const std::uint64_t before = functions_.begun();
  const auto enough = [&] { return functions_.begun() != before || progress_.inside(); };
  ended(device_->advance_until_enough(enough, gpu::Device::kNoTime));
  if (functions_.begun() == before && !device_->fault()) ++judged_moves_;
}

// Advances the device in slices until all work in flight is complete or a host function has started. The advance ends
// at the same cycle as a wait in the API would.
void Session::move_in_slices() {
  const std::uint64_t before = functions_.begun();
  std::vector<gpu::Ticket> left = streams_.under_way();
  const auto enough = [&] {
    while (!left.empty() && device_->complete(left.back())) left.pop_back();
    return left.empty() || functions_.begun() != before;
  };
  while (!enough() && !progress_.inside() && !device_->fault()) {
    ended(device_->advance_until_enough(enough, device_->now() + kSlice));
    if (progress_.watches_memory() && !enough()) Progress::let_look();
  }
}

// Handles forks: the child inherits this object but no other thread. Another thread may have held the lock, and the
// runtime's thread is gone.
void Session::handle_forks() {
  ::pthread_atfork(
      [] {
        Session& session = instance();
        session.progress_.enter();
        session.mutex_->lock();
        session.progress_.leave();
        session.progress_.about_to_fork();
      },
      [] {
        instance().progress_.forked_parent();
        instance().mutex_->unlock();
      },
      [] {
        instance().mutex_.emplace();
        instance().progress_.forked_child();
      });
}

std::optional<std::uint64_t> Session::device_address(const void* pointer) {
  auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (address >= isa::kHostWindow && address - isa::kHostWindow < isa::kWindowSize) address -= isa::kHostWindow;
  if (address < gpu::Store::kBase || address >= isa::kWindowSize) return std::nullopt;
  if (device().store().find(address) == nullptr) return std::nullopt;
  return address;
}

}  // namespace castor::runtime
