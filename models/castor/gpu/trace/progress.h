#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "castor/base/time.h"

namespace castor::gpu {

/// One line on stderr that says how far a run is: cycles, simulated time, warp instructions per second of host time,
/// how much of the oldest kernel's thread blocks is done and when the rest will be at the pace so far, and when the run
/// will end if a cycle limit is known. No longer than the terminal is wide: of what does not fit the
/// speed is left out first, then the kernel. Only on a terminal; in a pipe or a file
/// nothing is written.
///
///     12.3 M cycles  17.4 ms simulated  3.1 M warp instructions/s  add 37.1 % of 4096 blocks, 1:12 left
///     ...  scan<4> 0.0 % of 64 blocks (+2 kernels)  at most 4:07 left
///
/// Written at most five times a second of host time. `update`, or `due` and `show`, may be called in every cycle: the
/// host's clock is looked at only once in up to 1024 calls.
class Progress {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;
  using Sink = std::function<void(std::string_view)>;

  /// The oldest kernel in the kernel table.
  struct Kernel {
    std::string name;  ///< as it stands in PTX
    std::uint64_t ticket = 0;
    std::uint64_t done = 0, blocks = 0;  ///< thread blocks that are complete, all of them
    unsigned others = 0;                 ///< kernels beside it
  };
  using Width = std::function<unsigned()>;

  /// `limit`: cycle in which the run ends at the latest.
  explicit Progress(std::optional<base::Cycle> limit = {});
  /// For tests: another terminal and another clock.
  Progress(
      std::optional<base::Cycle> limit, Sink sink, Clock clock, Width width = [] { return 200U; });
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the line.
  ~Progress();

  [[nodiscard]] bool enabled() const { return sink_ != nullptr; }
  /// `warp_instructions`: issued since the start of the run.
  void update(base::Cycle cycle, base::Picoseconds time, std::uint64_t warp_instructions,
              const std::optional<Kernel>& kernel = {}) {
    if (due()) show(cycle, time, warp_instructions, kernel);
  }
  /// Counts a call; true if `show` must follow. For callers to whom the values are dear.
  [[nodiscard]] bool due() { return --countdown_ == 0; }
  void show(base::Cycle cycle, base::Picoseconds time, std::uint64_t warp_instructions,
            const std::optional<Kernel>& kernel = {});
  /// Clears the line, for other output on the terminal; the next update writes it anew.
  void clear();

 private:
  [[nodiscard]] std::string kernel_text(const Kernel& kernel, std::chrono::nanoseconds now, std::size_t room) const;

  std::optional<base::Cycle> limit_;
  Sink sink_;
  Clock clock_;
  Width width_;
  bool shown_ = false, started_ = false;
  std::uint64_t countdown_ = 1, stride_ = 1;  ///< calls until the clock is looked at
  std::chrono::nanoseconds looked_{0}, written_{0};
  base::Cycle cycle_at_write_ = 0;
  std::uint64_t instructions_at_write_ = 0;
  std::optional<std::uint64_t> ticket_;  ///< of the kernel that was seen last, and how it was when it came into sight
  std::chrono::nanoseconds kernel_seen_{0};
  std::uint64_t done_then_ = 0;
};

}  // namespace castor::gpu
