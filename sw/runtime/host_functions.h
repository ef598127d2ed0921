#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>

#include "castor/gpu/device.h"
#include "driver_types.h"

namespace castor::runtime {

/// Functions of the program that are called when a stream comes to them (cudaLaunchHostFunc, cudaStreamAddCallback),
/// from their submission to their call. Limits: for one thread at a time, but for `pending`.
class HostFunctions {
 public:
  using Number = std::uint64_t;
  using Call = std::function<void(cudaError_t)>;

  /// `hears_faults`: it is called, with the fault's code, if the device has faulted before the stream came to it.
  [[nodiscard]] Number add(Call call, bool hears_faults);
  /// Its packet is in a queue; it may have run by then.
  void submitted(Number number, gpu::Ticket ticket);
  /// The stream has come to it. Nothing for one that is not pending any more.
  void run(Number number);

  /// Some are pending; any thread may ask.
  [[nodiscard]] bool pending() const { return pending_.load() != 0; }
  /// How many have been begun.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  /// Forgets those whose packets were dropped.
  void drop_lost(const gpu::Device& device);
  /// The device has faulted: calls those that hear of it, in the order of their submission, and forgets all.
  void fail(cudaError_t code);
  /// Forgets all: the device was reset.
  void forget();

 private:
  struct Function {
    Call call;
    bool hears_faults = false;
    gpu::Ticket ticket = 0;  ///< 0: not in a queue yet
  };
  void count() { pending_ = functions_.size(); }

  std::map<Number, Function> functions_;
  std::atomic<std::size_t> pending_{0};
  Number last_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace castor::runtime
