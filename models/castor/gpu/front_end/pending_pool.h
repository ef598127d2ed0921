#pragma once

#include <cstdint>
#include <deque>

#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Launches by device code that wait for nothing but the kernel table (docs/gpu.md, "Launches by device code"): a
/// window of `pool.window` launches on the chip, of which the oldest is offered, and behind it a list through the
/// launch records in device memory.
///
/// In a cycle: `look` in F1, `take` in F8, `arrive` and `step` in F9.
class PendingPool {
 public:
  struct Pending {
    LaunchId launch = 0;
    std::uint64_t record = 0;  ///< device address
  };

  /// `memory` is used by nobody else.
  PendingPool(const Machine& machine, MemoryClient& memory) : places_(machine.pool.window), memory_(memory) {}

  /// Start of a cycle: which launch is offered in it.
  void look() {
    moved_ = false;
    offers_ = !window_.empty();
  }
  /// The launch offered, 0 = none.
  [[nodiscard]] LaunchId offered() const { return offers_ ? window_.front().launch : 0; }
  /// Takes the launch that is offered.
  LaunchId take();
  /// A pointer has arrived.
  void arrive(const Pending& pending);
  /// A record that was read comes into the window; the next one is read.
  void step(Cycle now);
  /// The next cycle may differ from this one.
  [[nodiscard]] bool stirs() const { return moved_ || wants_read(); }

 private:
  [[nodiscard]] bool wants_read() const { return reading_ < listed_.size() && window_.size() + reading_ < places_; }

  std::size_t places_;
  MemoryClient& memory_;
  std::deque<Pending> window_;
  std::deque<Pending> listed_;  ///< in memory, the head first
  std::size_t reading_ = 0;     ///< records of the first ones
  bool moved_ = false;          ///< something arrived, left or came in since `look`
  bool offers_ = false;         ///< the oldest of the window, as of `look`
};

}  // namespace castor::gpu
