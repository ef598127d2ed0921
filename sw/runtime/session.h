#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "castor/gpu/device.h"
#include "driver_types.h"
#include "runtime/api_error.h"
#include "runtime/graphs.h"
#include "runtime/host_functions.h"
#include "runtime/loaded_modules.h"
#include "runtime/progress.h"
#include "runtime/run_options.h"
#include "runtime/streams.h"

namespace castor::runtime {

/// The state of the runtime in this process. Made at first use and never destroyed, since modules of the program may
/// register before and finish after everything else.
///
/// Images of the program and streams with their events have their own state; this class has the device, the lock, and
/// what ends a wait or the program.
///
/// One lock serialises all API calls. The simulation runs in the thread that calls, and in one of the runtime's while
/// the whole program waits outside the API. With several host threads a waiting call gives the lock up every 10 us of
/// simulated time.
class Session {
 public:
  [[nodiscard]] static Session& instance();

  /// Locks the session for one API call and keeps the caller's floating-point environment away from the simulation.
  class Call {
   public:
    explicit Call(Session& session);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    /// Says that the thread is inside for longer than it holds the lock.
    struct Presence {
      explicit Presence(Progress& progress) : progress(progress) { progress.enter(); }
      ~Presence() { progress.leave(); }
      Presence(const Presence&) = delete;
      Presence& operator=(const Presence&) = delete;
      Progress& progress;
    };
    Session& session_;
    Presence presence_;
    std::unique_lock<std::recursive_mutex> lock_;
    alignas(16) unsigned char environment_[64];
  };

  /// The device; opened at the first call that needs one. Ends the process with exit code 2 and one line on stderr if
  /// the platform that the environment asks for cannot be served.
  [[nodiscard]] gpu::Device& device();
  [[nodiscard]] bool is_open() const { return device_ != nullptr; }

  /// Null while it is not open.
  [[nodiscard]] gpu::Device* opened() const { return device_.get(); }

  [[nodiscard]] LoadedModules& modules() { return modules_; }
  [[nodiscard]] const LoadedModules& modules() const { return modules_; }
  [[nodiscard]] Streams& streams() { return streams_; }
  [[nodiscard]] Graphs& graphs() { return graphs_; }

  /// Waits; ApiError with the device's fault if there is one.
  void wait_for(gpu::Ticket ticket);
  void synchronize(Stream& stream) {
    streams_.submit_job(stream);
    wait_for(stream.last);
  }
  void synchronize_device();
  /// Simulated host time passes, as much as the machine says for such a call.
  void charge(gpu::HostCall call);
  /// The same, until a time; nothing happens if it has passed.
  void wait_until(gpu::Picoseconds time);
  /// ApiError if the device has faulted: every later call returns the same code until the device is reset.
  void check_fault();
  /// Code of the device's fault once a call has returned it; cudaGetLastError cannot take it away.
  [[nodiscard]] cudaError_t sticky_error() const { return sticky_error_; }
  /// Writes out what device code has printed so far.
  void flush_prints();
  void reset_device();

  /// True inside a function that the simulation calls, in the thread that runs it.
  [[nodiscard]] bool called_from_host_call() const { return host_call_thread_.load() == std::this_thread::get_id(); }
  /// Appends a function of the program to a stream. API calls in it return cudaErrorNotPermitted; it must not throw. It
  /// gets cudaSuccess, or, if it is one that hears of them, the fault because of which the stream never came to it.
  void submit_host_function(Stream& stream, HostFunctions::Call call, bool hears_faults);
  /// The program has memory that the device writes and the host sees without a call.
  void shares_memory() { progress_.watch_memory(); }

  /// Memory handed out with host addresses (managed, pinned) and device memory alike: device address of a pointer that
  /// the program holds, if it is one.
  [[nodiscard]] std::optional<std::uint64_t> device_address(const void* pointer);

  /// A block of the device cannot go on: model and RTL differ, say. No result of the program is worth anything then, so
  /// it ends, whatever it would do with an error code: message on stderr, waves and timeline closed, exit code 1.
  [[noreturn]] void end_failed(const base::Error& error);

  std::set<const void*> registered_host_memory;  ///< cudaHostRegister
  std::map<int, std::size_t> limits;             ///< cudaDeviceSetLimit

 private:
  Session();
  void open();
  void finish(int code);
  bool end_run();
  [[noreturn]] void end_interrupted();
  [[noreturn]] void end_stopped();
  void note_thread();
  void announce_fault();
  [[nodiscard]] bool move_on(std::uint64_t epoch, Progress::Certainty certainty);
  void move_to_function();
  void move_in_slices();
  void ended(gpu::Outcome outcome);
  void handle_forks();

  std::optional<std::recursive_mutex> mutex_{std::in_place};  ///< made anew in the child of a fork
  std::unique_ptr<gpu::Device> device_;
  RunOptions options_;
  LoadedModules modules_;
  Streams streams_;
  Graphs graphs_;
  HostFunctions functions_;
  Progress progress_;
  std::uint64_t judged_moves_ = 0;  ///< of the device, without a proof that the program waited
  std::string printed_;
  std::thread::id first_thread_;
  bool several_threads_ = false;
  std::atomic<std::thread::id> host_call_thread_{};
  bool fault_announced_ = false;
  std::atomic<cudaError_t> sticky_error_{cudaSuccess};
  bool finished_ = false;
  bool finishing_ = false;  ///< the program has ended, its work is waited for
};

/// CUDA code of a fault.
[[nodiscard]] cudaError_t error_of(gpu::FaultKind kind);

/// Last error of the calling thread (cudaGetLastError).
[[nodiscard]] cudaError_t& last_error();

/// Body of an API function: takes the lock, turns exceptions into codes, remembers the last error.
template <class F>
cudaError_t api(F body);

}  // namespace castor::runtime

#include "runtime/session_inline.h"
