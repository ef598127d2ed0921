#pragma once

#include <cstdint>

namespace castor::gpu::functional {

/// Decides when the functional machine watches thread blocks for spinning on each other or for ever
/// (docs/gpu/faults.md, "Watchdogs", fixed point). Time is measured in warp instructions of the device.
///
/// All resident blocks are watched after a quiet time, in which no block started or ended, no warp reached a barrier
/// and no packet was served. The watch ends with the first event that may end a loop, or after its maximum length. The
/// next watch is twice as long. A program that makes progress is thus watched for a small share of its instructions.
class SpinCheck {
 public:
  /// `window`: length of the first watch, at least 1 (`watchdog.cycles`).
  explicit SpinCheck(std::uint64_t window) : window_(window), length_(window) {}

  /// Records an event that may end a loop of any block.
  void progress(std::uint64_t now) {
    quiet_since_ = now;
    length_ = window_;
    watching_ = false;
  }
  /// Starts a watch if it is due, or ends it after its maximum length. `blocks`: number of resident blocks.
  void look(std::uint64_t now, std::uint64_t blocks);
  /// Ends the watch: a watched block did something that may end its loop.
  void disturb(std::uint64_t now);

  [[nodiscard]] bool watching() const { return watching_; }
  /// Returns the number of the current watch: 1, 2, ...
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  static constexpr std::uint64_t kQuiet = 8;        ///< quiet time before a watch, in lengths of a watch
  static constexpr std::uint64_t kTurn = 4 * 1024;  ///< turn of a spinning block, in instructions
  static constexpr std::uint64_t kTurns = 4;        ///< turns that every block gets in a watch
  static constexpr std::uint64_t kLongest = std::uint64_t{1} << 40;

  std::uint64_t window_, length_;  ///< lengths of the first and of the next watch
  std::uint64_t quiet_since_ = 0;
  std::uint64_t end_ = 0;  ///< end of the watch
  std::uint64_t number_ = 0;
  bool watching_ = false;
};

}  // namespace castor::gpu::functional
