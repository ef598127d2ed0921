#pragma once

#include <cstdint>

namespace castor::gpu::functional {

/// When the functional machine looks for thread blocks that wait for each other, or for nobody, by spinning
/// (docs/gpu/faults.md, "Watchdogs", fixed point). Time counts in warp instructions of the device.
///
/// After a quiet time, in which no block began or ended, no warp met a barrier and no packet was served, all resident
/// blocks are watched. The watch ends with the first thing that may end a loop, or after its time; the next one is
/// longer. So a program that makes progress pays for a small share of its instructions.
class SpinCheck {
 public:
  /// `window`: length of the first watch, at least 1 (`watchdog.cycles`).
  explicit SpinCheck(std::uint64_t window) : window_(window), length_(window) {}

  /// Something happened that may end a loop of any block.
  void progress(std::uint64_t now) {
    quiet_since_ = now;
    length_ = window_;
    watching_ = false;
  }
  /// A watch begins if one is due, and ends if it has lasted too long. `blocks`: resident ones.
  void look(std::uint64_t now, std::uint64_t blocks);
  /// A watched block did something that may end its loop.
  void disturb(std::uint64_t now);

  [[nodiscard]] bool watching() const { return watching_; }
  /// The number of the watch under way: 1, 2, ...
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  static constexpr std::uint64_t kQuiet = 8;        ///< lengths of a watch between two
  static constexpr std::uint64_t kTurn = 4 * 1024;  ///< of a block that spins
  static constexpr std::uint64_t kTurns = 4;        ///< that every block has in a watch
  static constexpr std::uint64_t kLongest = std::uint64_t{1} << 40;

  std::uint64_t window_, length_;
  std::uint64_t quiet_since_ = 0;
  std::uint64_t end_ = 0;  ///< of the watch
  std::uint64_t number_ = 0;
  bool watching_ = false;
};

}  // namespace castor::gpu::functional
