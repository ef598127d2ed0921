#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "castor/gpu/replay/virtual_clocks.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Wires of the pulse of a replayed SM. Their values per cycle have fractions, which are carried over from cycle to
/// cycle: a wire of 2.25 shows 2, 2, 2 and 3. Values are x 2^32.
class PulseWires {
 public:
  static constexpr unsigned kWires = 4;
  /// Lanes, misses of L1, memory stall, outstanding reads.
  using Values = std::array<VirtualTime, kWires>;

  /// Advances to cycle `now`. In the cycles since the last one no wire has changed. Returns true if the last pulse was
  /// not read: the fractions then start at 0, and the values must be set.
  bool advance(Cycle now) {
    const bool begins = at_ == kForever;
    if (begins) {
      at_ = now - 1;
      rest_ = {};
    }
    const Cycle skipped = now - at_ - 1;
    at_ = now;
    for (unsigned i = 0; i < kWires; ++i) rest_[i] += (wire_[i] & kFraction) * skipped;
    return begins;
  }
  /// Records that the pulse of the last tick was not read.
  void stop() { at_ = kForever; }
  /// Sets the values per cycle, given x 2^64.
  void set(const Values& values) {
    for (unsigned i = 0; i < kWires; ++i) {
      wire_[i] = static_cast<std::uint64_t>(std::min<VirtualTime>(values[i] >> 32U, kMost[i] << 32U));
    }
  }
  /// Returns the pulse of the cycle and carries the fractions over. Called once per `advance`.
  [[nodiscard]] SmPulse pulse() {
    std::array<std::uint64_t, kWires> out{};
    for (unsigned i = 0; i < kWires; ++i) {
      const std::uint64_t total = rest_[i] + wire_[i];
      out[i] = total >> 32U;
      rest_[i] = total & kFraction;
      carried_[i] = out[i] != wire_[i] >> 32U;
      out[i] = std::min(out[i], kMost[i]);
    }
    SmPulse pulse;
    pulse.lanes = static_cast<std::uint16_t>(out[0]);
    pulse.l1_primary_misses = static_cast<std::uint8_t>(out[1]);
    pulse.memory_stall = out[2] != 0;
    pulse.outstanding = static_cast<std::uint16_t>(out[3]);
    return pulse;
  }
  /// Returns the first cycle after `now`, the cycle of the last pulse, in which a wire changes, or kForever.
  [[nodiscard]] Cycle next(Cycle now) const {
    Cycle next = kForever;
    for (unsigned i = 0; i < kWires; ++i) {
      const std::uint64_t step = wire_[i] & kFraction;
      if (step == 0) continue;
      if (carried_[i]) return now + 1;
      next = std::min<Cycle>(next, now + (VirtualClocks::kFullSpeed - rest_[i] + step - 1) / step);
    }
    return next;
  }
  /// Leaves out cycles in which the SM was disabled.
  void pause(Cycle cycles) {
    if (at_ != kForever) at_ += cycles;
  }

 private:
  static constexpr std::uint64_t kFraction = VirtualClocks::kFullSpeed - 1;
  static constexpr std::array<std::uint64_t, kWires> kMost = {0xffff, 0xff, 1, 0xffff};  // largest values of the wires

  std::array<std::uint64_t, kWires> wire_{}, rest_{};  // value per cycle, and the fraction carried over
  std::array<bool, kWires> carried_{};                 // the last pulse shows one more than the whole part of the wire
  Cycle at_ = kForever;                                // cycle of the last pulse; kForever: it was not read
};

}  // namespace castor::gpu
