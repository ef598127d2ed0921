#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>

#include "castor/gpu/device.h"
#include "driver_types.h"

namespace castor::runtime {

/// Host functions of the program that streams call (cudaLaunchHostFunc, cudaStreamAddCallback), from submission to
/// call. Owned by the Session. Only `pending` is thread-safe.
class HostFunctions {
 public:
  using Number = std::uint64_t;
  using Call = std::function<void(cudaError_t)>;

  /// Adds a function. `hears_faults`: if the device faults before the stream reaches the function, the function is
  /// called with the fault's code.
  [[nodiscard]] Number add(Call call, bool hears_faults);
  /// Stores the completion handle of the function's packet. Has no effect if the function has already run.
  void submitted(Number number, gpu::Ticket ticket);
  /// Calls the function, when its stream reaches it. Has no effect for a function that is no longer pending.
  void run(Number number);

  /// True if functions are pending. May be called from any thread.
  [[nodiscard]] bool pending() const { return pending_.load() != 0; }
  /// Returns the number of functions that have been started.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  /// Forgets the functions whose packets were dropped by the device.
  void drop_lost(const gpu::Device& device);
  /// Handles a device fault: calls the functions with `hears_faults`, in the order of submission, and forgets all.
  void fail(cudaError_t code);
  /// Forgets all functions after a device reset.
  void forget();

 private:
  /// Pending host function.
  struct Function {
    Call call;
    bool hears_faults = false;
    gpu::Ticket ticket = 0;  ///< completion handle of the packet; 0: not in a queue yet
  };
  void count() { pending_ = functions_.size(); }

  std::map<Number, Function> functions_;
  std::atomic<std::size_t> pending_{0};
  Number last_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace castor::runtime
