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

/// State of the CUDA runtime in this process. Created at first use and never destroyed, since the program's modules may
/// register before, and finish after, all other objects.
///
/// Images, streams and graphs have classes of their own. This class owns the device and the lock, and decides when a
/// wait or the program ends.
///
/// One lock serialises all API calls. The simulation runs in the calling thread, or in the runtime's own thread while
/// the whole program waits outside the API. If the program has several threads, a waiting call releases the lock every
/// 10 us of simulated time.
class Session {
 public:
  [[nodiscard]] static Session& instance();

  /// Locks the session for one API call. Saves the caller's floating-point environment and restores it at the end.
  class Call {
   public:
    explicit Call(Session& session);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    /// Marks the thread as inside the API, before it takes the lock and until it has released the lock.
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

  /// Returns the device; opens it at the first call. Ends the process with exit code 2 and one line on stderr if the
  /// requested platform cannot be opened.
  [[nodiscard]] gpu::Device& device();
  [[nodiscard]] bool is_open() const { return device_ != nullptr; }

  /// Returns the device; null while it is not open.
  [[nodiscard]] gpu::Device* opened() const { return device_.get(); }

  [[nodiscard]] LoadedModules& modules() { return modules_; }
  [[nodiscard]] const LoadedModules& modules() const { return modules_; }
  [[nodiscard]] Streams& streams() { return streams_; }
  [[nodiscard]] Graphs& graphs() { return graphs_; }

  /// Waits for a packet to complete. ApiError: the device's fault, if any.
  void wait_for(gpu::Ticket ticket);
  void synchronize(Stream& stream) {
    streams_.submit_job(stream);
    wait_for(stream.last);
  }
  void synchronize_device();
  /// Advances simulated time by the host time that the machine charges for a call of this class.
  void charge(gpu::HostCall call);
  /// Advances simulated time to `time`; no effect if `time` has passed.
  void wait_until(gpu::Picoseconds time);
  /// Throws ApiError if the device has faulted: every later call returns the same code until the device is reset.
  void check_fault();
  /// Returns the code of the device's fault after a call has returned it to the program; cudaGetLastError does not
  /// clear it.
  [[nodiscard]] cudaError_t sticky_error() const { return sticky_error_; }
  /// Writes the output of device printf so far to stdout.
  void flush_prints();
  void reset_device();

  /// Returns true inside a host function that the simulation calls, in the thread that runs it.
  [[nodiscard]] bool called_from_host_call() const { return host_call_thread_.load() == std::this_thread::get_id(); }
  /// Appends a host function of the program to a stream. API calls inside it return cudaErrorNotPermitted; it must not
  /// throw. It receives cudaSuccess. With `hears_faults` it is also called after a device fault, with the fault's code.
  void submit_host_function(Stream& stream, HostFunctions::Call call, bool hears_faults);
  /// Notes that the program has memory that the device writes and the host reads without a call.
  void shares_memory() { progress_.watch_memory(); }

  /// Returns the device address of a pointer that the program holds; nullopt if it does not refer to device memory.
  /// Accepts device addresses and the host addresses of managed and pinned memory.
  [[nodiscard]] std::optional<std::uint64_t> device_address(const void* pointer);

  /// Ends the process because a block of the device cannot continue, such as after a difference between model and RTL.
  /// The program's results are invalid then, so no error code is returned to it. Prints a message on stderr, closes
  /// waves and timeline, and exits with code 1.
  [[noreturn]] void end_failed(const base::Error& error);

  std::set<const void*> registered_host_memory;  ///< ranges given to cudaHostRegister
  std::map<int, std::size_t> limits;             ///< values given to cudaDeviceSetLimit

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

  std::optional<std::recursive_mutex> mutex_{std::in_place};  ///< recreated in the child of a fork
  std::unique_ptr<gpu::Device> device_;
  RunOptions options_;
  LoadedModules modules_;
  Streams streams_;
  Graphs graphs_;
  HostFunctions functions_;
  Progress progress_;
  std::uint64_t judged_moves_ = 0;  ///< times that the device advanced although the program may not have been waiting
  std::string printed_;
  std::thread::id first_thread_;
  bool several_threads_ = false;
  std::atomic<std::thread::id> host_call_thread_{};
  bool fault_announced_ = false;
  std::atomic<cudaError_t> sticky_error_{cudaSuccess};
  bool finished_ = false;
  bool finishing_ = false;  ///< the program has ended; only its remaining work is completed
};

/// Returns the CUDA error code of a fault.
[[nodiscard]] cudaError_t error_of(gpu::FaultKind kind);

/// Returns the last error of the calling thread (cudaGetLastError).
[[nodiscard]] cudaError_t& last_error();

/// Runs the body of an API function: takes the lock, turns exceptions into error codes, stores the last error.
template <class F>
cudaError_t api(F body);

}  // namespace castor::runtime

#include "runtime/session_inline.h"
