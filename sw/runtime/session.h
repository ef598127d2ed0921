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
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "driver_types.h"
#include "runtime/job_driver.h"
#include "runtime/module.h"
#include "runtime/run_options.h"

namespace castor::runtime {

/// A CUDA stream: an order of work on one of the device's queues (stream k is queue k mod queue.count).
struct Stream {
  unsigned id = 0;
  unsigned queue = 0;
  bool blocking = true;  ///< orders itself with the legacy default stream
  int priority = 0;
  unsigned flags = 0;
  gpu::Ticket last = 0;                    ///< youngest work
  std::optional<JobDriver::StreamId> job;  ///< it has deadlines: the driver's stream
  bool held = false;                       ///< kernels wait to be announced
};

/// A CUDA event.
struct Event {
  std::uint64_t id = 0;
  unsigned flags = 0;
  bool recorded = false;
  gpu::Ticket ticket = 0;   ///< of the youngest record
  std::uint64_t count = 0;  ///< records so far
};

/// Thrown inside API functions to end them with a CUDA error code.
struct ApiError {
  cudaError_t code;
};

/// Refuses a null pointer where the interface needs one. Errors: ApiError.
template <class T>
void need(T* pointer) {
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
}

/// Refuses every device but the one that there is. Errors: ApiError.
inline void only_device(int device) {
  if (device != 0) throw ApiError{cudaErrorInvalidDevice};
}

/// What a host stub of a kernel or a host shadow of a variable stands for.
struct RegisteredName {
  Module* module = nullptr;
  std::string name;
  std::size_t size = 0;
};

/// The state of the runtime in this process. Made at first use and never destroyed, since modules of the program may
/// register before and finish after everything else.
///
/// One lock serialises all API calls. The simulation runs in the thread that calls. With several host threads a waiting
/// call gives the lock up every 10 us of simulated time.
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
    Session& session_;
    std::unique_lock<std::recursive_mutex> lock_;
    alignas(16) unsigned char environment_[64];
  };

  /// The device; opened at the first call that needs one. Ends the process with exit code 2 and one line on stderr if
  /// the platform that the environment asks for cannot be served.
  [[nodiscard]] gpu::Device& device();
  [[nodiscard]] bool is_open() const { return device_ != nullptr; }

  // Registration by the compiler's module constructors.
  Module* add_module(std::string text, std::string name = {});
  void remove_module(Module* module);
  [[nodiscard]] bool has_module(const Module* module) const;
  /// Whether a loaded module has this kernel.
  [[nodiscard]] bool has_kernel(const LoadedKernel* kernel) const;
  void register_function(Module* module, const void* host, std::string name);
  void register_variable(Module* module, const void* host, std::string name, std::size_t size);
  [[nodiscard]] LoadedKernel& kernel_of(const void* host);  ///< ApiError: invalid device function, invalid PTX
  [[nodiscard]] DeviceSymbol symbol_of(const void* host);   ///< ApiError: invalid symbol
  /// Runs `use` and turns a loader's InputError into a message on stderr and cudaErrorInvalidPtx.
  template <class F>
  auto loading(F use) -> decltype(use());

  // Streams and events.
  [[nodiscard]] Stream& stream_of(cudaStream_t handle);  ///< ApiError: invalid resource handle
  [[nodiscard]] cudaStream_t create_stream(unsigned flags, int priority);
  void destroy_stream(cudaStream_t handle);
  /// A stream with deadlines. ApiError: invalid value, memory allocation (no queue left).
  [[nodiscard]] cudaStream_t create_job_stream(std::uint64_t deadline_ns);
  /// Announces what a stream with deadlines holds back.
  void submit_job(Stream& stream);
  /// The driver of jobs; made at first use.
  [[nodiscard]] JobDriver& jobs();
  [[nodiscard]] Event& event_of(cudaEvent_t handle);
  [[nodiscard]] cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t handle);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);

  /// Appends work to a stream with the legacy default stream's ordering.
  gpu::Ticket submit(Stream& stream, gpu::Packet packet);
  /// Waits; ApiError with the device's fault if there is one.
  void wait_for(gpu::Ticket ticket);
  void synchronize(Stream& stream) {
    submit_job(stream);
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
  /// Wraps a function that runs inside the simulation: API calls in it return cudaErrorNotPermitted.
  [[nodiscard]] gpu::HostCallPacket host_call(std::function<void()> call);

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

  std::recursive_mutex mutex_;
  std::unique_ptr<gpu::Device> device_;
  RunOptions options_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::unordered_map<const void*, RegisteredName> functions_;
  std::unordered_map<const void*, RegisteredName> variables_;
  Stream legacy_;
  std::map<std::thread::id, std::unique_ptr<Stream>> per_thread_;
  std::unordered_map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<cudaEvent_t, std::unique_ptr<Event>> events_;
  unsigned next_stream_ = 1;
  std::uint64_t next_event_ = 1;
  std::vector<gpu::Ticket> orphans_;  // youngest work of destroyed streams
  std::unique_ptr<JobDriver> jobs_;
  std::vector<JobDriver::StreamId> orphan_jobs_;  // of destroyed streams, under way then
  std::string printed_;
  std::thread::id first_thread_;
  bool several_threads_ = false;
  std::atomic<std::thread::id> host_call_thread_{};
  std::set<std::string> seen_messages_;  // a loader's message is printed once
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
