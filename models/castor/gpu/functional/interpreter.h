#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "castor/gpu/device.h"
#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/functional/thread_block.h"

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
  struct Services {
    Store* store = nullptr;
    std::function<void(std::string_view)> print;        ///< device printf
    std::uint64_t heap_bytes = std::uint64_t{8} << 20;  ///< limit of device-side malloc
  };
  explicit Interpreter(Services services) : services_(std::move(services)), memory_(*services_.store) {}

  [[nodiscard]] Services& services() { return services_; }

  /// Runs one warp for at most `budget` instructions, until it blocks, or is done. Adds to `counters`, whose warp
  /// instructions are also the clock that programs read.
  [[nodiscard]] std::optional<Fault> run(ThreadBlock& block, Warp& warp, std::uint64_t budget,
                                         std::uint64_t global_timer, Counters& counters);

 private:
  [[nodiscard]] Fault fault(FaultKind kind, const ThreadBlock& block, const Warp& warp, std::uint32_t pc, unsigned lane,
                            const std::string& what) const;
  [[nodiscard]] std::optional<Fault> system_call(ThreadBlock& block, Warp& warp, const isa::Record& record,
                                                 std::uint32_t pc, isa::LaneMask mask);
  [[nodiscard]] std::optional<Fault> barrier(ThreadBlock& block, Warp& warp, const isa::Record& record,
                                             std::uint32_t pc, isa::LaneMask mask);
  [[nodiscard]] std::optional<Fault> call(ThreadBlock& block, Warp& warp, const isa::Record& record, std::uint32_t pc,
                                          isa::LaneMask mask);
  [[nodiscard]] std::optional<std::string> read_text(std::uint64_t address, unsigned lane, const ThreadBlock& block,
                                                     const Warp& warp);

  Services services_;
  MemoryPath memory_;
};

}  // namespace castor::gpu::functional
