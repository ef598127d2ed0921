#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/device.h"
#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/gpu/launch/launcher.h"

namespace castor::gpu::functional {

/// Number of executed instructions.
struct Counters {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

/// Interpreter of warps for the functional machine. One interpreter serves a device and holds no warp state.
///
/// Limits: %clock counts the device's warp instructions; %globaltimer does not advance within a turn.
class Interpreter {
 public:
  using Services = DeviceServices;
  explicit Interpreter(Services services, MemoryCheck check = MemoryCheck::kAllocation)
      : services_(std::move(services)), memory_(*services_.store, check) {}

  [[nodiscard]] Services& services() { return services_; }
  [[nodiscard]] MemoryPath& memory() { return memory_; }
  /// Sets the launcher that serves calls of the device runtime. Without it no program may make such calls.
  void set_launcher(Launcher* launcher) { launcher_ = launcher; }

  /// Sets whether waiting thread blocks lose the state that need not be saved (check.live): the registers and
  /// predicates that the program's site leaves out, and the shared memory that is promised to be read-only.
  void check_live(bool on) { check_live_ = on; }
  /// Reads the lost shared memory of a woken block from the addresses in its promises.
  void restore(ThreadBlock& block);

  /// Executes at most `budget` instructions of one warp; returns earlier when the warp blocks, exits or faults. Adds to
  /// `counters`, whose warp instructions are also the clock that programs read.
  [[nodiscard]] std::optional<Fault> run(ThreadBlock& block, Warp& warp, std::uint64_t budget,
                                         std::uint64_t global_timer, Counters& counters);

 private:
  /// Implementation of `run`. `observed`: with calls of the marks check, limit study, study hook and spin watch.
  template <bool observed>
  [[nodiscard]] std::optional<Fault> turn(ThreadBlock& block, Warp& warp, std::uint64_t budget,
                                          std::uint64_t global_timer, Counters& counters);
  /// Reports the effects of warp `index`'s current access, made at `pc`, to the spin watch.
  void note_access(SpinWatch& watch, unsigned index, std::uint32_t pc) const;
  [[nodiscard]] std::optional<ExecutionFault> barrier(ThreadBlock& block, Warp& warp, const isa::Record& record,
                                                      isa::LaneMask mask);

  /// Executes device-wide synchronisation at record `pc` for the lanes of `mask`.
  [[nodiscard]] std::optional<ExecutionFault> synchronise(ThreadBlock& block, Warp& warp, std::uint32_t pc,
                                                          isa::LaneMask mask) const;

  Services services_;
  MemoryPath memory_;
  SeenAccess seen_;  ///< effects of the current access
  Launcher* launcher_ = nullptr;
  bool check_live_ = false;
};

}  // namespace castor::gpu::functional
