#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/device.h"
#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/gpu/launch/launcher.h"

namespace castor::gpu::functional {

/// Instructions executed.
struct Counters {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

/// Executes warps. One interpreter serves a device; it holds no state of any warp.
/// Limits: %clock counts the device's warp instructions, %globaltimer stands still inside a turn.
class Interpreter {
 public:
  using Services = DeviceServices;
  explicit Interpreter(Services services, MemoryCheck check = MemoryCheck::kAllocation)
      : services_(std::move(services)), memory_(*services_.store, check) {}

  [[nodiscard]] Services& services() { return services_; }
  [[nodiscard]] MemoryPath& memory() { return memory_; }
  /// Who serves calls of the device runtime; without, no program may make any.
  void set_launcher(Launcher* launcher) { launcher_ = launcher; }

  /// Runs one warp for at most `budget` instructions, until it blocks, or is done. Adds to `counters`, whose warp
  /// instructions are also the clock that programs read.
  [[nodiscard]] std::optional<Fault> run(ThreadBlock& block, Warp& warp, std::uint64_t budget,
                                         std::uint64_t global_timer, Counters& counters);

 private:
  /// `run`; with or without those who look at every record.
  template <bool observed>
  [[nodiscard]] std::optional<Fault> turn(ThreadBlock& block, Warp& warp, std::uint64_t budget,
                                          std::uint64_t global_timer, Counters& counters);
  [[nodiscard]] std::optional<ExecutionFault> barrier(ThreadBlock& block, Warp& warp, const isa::Record& record,
                                                      isa::LaneMask mask);

  Services services_;
  MemoryPath memory_;
  SeenAccess seen_;  ///< of the access under way
  Launcher* launcher_ = nullptr;
};

}  // namespace castor::gpu::functional
