#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "castor/base/time.h"

namespace castor::gpu {

/// Progress line of a run on stderr: cycles, simulated time, warp instructions per second of host time, completed share
/// and remaining time of the oldest kernel, and the remaining time to the cycle limit, if there is one. The line is
/// never longer than the terminal is wide: the speed is omitted first, then the kernel. Nothing is written if stderr is
/// not a terminal.
///
///     12.3 M cycles  17.4 ms simulated  3.1 M warp instructions/s  add 37.1 % of 4096 blocks, 1:12 left
///     ...  scan<4> 0.0 % of 64 blocks (+2 kernels)  at most 4:07 left
///
/// The line is written at most five times per second of host time. `update`, or `due` and `show`, may be called in
/// every cycle. The host's clock is read in at most one of up to 1024 calls.
class Progress {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;
  using Sink = std::function<void(std::string_view)>;

  /// The oldest kernel in the kernel table, for display.
  struct Kernel {
    std::string name;  ///< name in the PTX source
    std::uint64_t ticket = 0;
    std::uint64_t done = 0, blocks = 0;  ///< completed thread blocks and all thread blocks
    unsigned others = 0;                 ///< number of other running kernels
  };
  using Width = std::function<unsigned()>;

  /// `limit`: cycle in which the run ends at the latest.
  explicit Progress(std::optional<base::Cycle> limit = {});
  /// For tests: with another terminal and clock.
  Progress(
      std::optional<base::Cycle> limit, Sink sink, Clock clock, Width width = [] { return 200U; });
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the line.
  ~Progress();

  [[nodiscard]] bool enabled() const { return sink_ != nullptr; }
  /// Shows the line if it is due. `warp_instructions`: number issued since the start of the run.
  void update(base::Cycle cycle, base::Picoseconds time, std::uint64_t warp_instructions,
              const std::optional<Kernel>& kernel = {}) {
    if (due()) show(cycle, time, warp_instructions, kernel);
  }
  /// Counts a call; true if `show` must follow. For callers that want to compute the values only when needed.
  [[nodiscard]] bool due() { return --countdown_ == 0; }
  /// Writes the line, if enough host time has passed.
  void show(base::Cycle cycle, base::Picoseconds time, std::uint64_t warp_instructions,
            const std::optional<Kernel>& kernel = {});
  /// Clears the line for other output on the terminal; the next update writes it again.
  void clear();

 private:
  [[nodiscard]] std::string kernel_text(const Kernel& kernel, std::chrono::nanoseconds now, std::size_t room) const;

  std::optional<base::Cycle> limit_;
  Sink sink_;
  Clock clock_;
  Width width_;
  bool shown_ = false, started_ = false;
  std::uint64_t countdown_ = 1, stride_ = 1;  ///< remaining calls and number of calls between two reads of the clock
  std::chrono::nanoseconds looked_{0}, written_{0};  ///< host times of the last clock read and the last write
  base::Cycle cycle_at_write_ = 0;
  std::uint64_t instructions_at_write_ = 0;
  /// Kernel that was shown last; `kernel_seen_` and `done_then_` are the time and the kernel's completed blocks when it
  /// was shown first.
  std::optional<std::uint64_t> ticket_;
  std::chrono::nanoseconds kernel_seen_{0};
  std::uint64_t done_then_ = 0;
};

}  // namespace castor::gpu
