#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"

namespace castor::gpu {

/// When commands of one DRAM channel are legal by the rules between banks, in DRAM clocks: data bus and its turns, bank
/// groups, activates. What a bank's own last commands forbid is the channel's.
class DramTimes {
 public:
  explicit DramTimes(const Machine& machine)
      : timing_(machine.dram),
        burst_(std::max(1U, timing_.atom / timing_.bytes_per_clk)),
        read_to_write_(std::max(std::int64_t{timing_.cl} + burst_ + timing_.rtw - timing_.wl, std::int64_t{0})),
        write_to_read_(std::int64_t{timing_.wl} + burst_ + timing_.cdlr),
        group_from_(timing_.groups) {}

  /// Clocks that the data of one column command take.
  [[nodiscard]] unsigned burst() const { return burst_; }
  /// First clock in which a column command of a bank group is legal.
  [[nodiscard]] std::uint64_t column_from(bool write, unsigned group) const {
    return std::max({column_from_, group_from_[group], write ? write_from_ : read_from_});
  }
  [[nodiscard]] std::uint64_t activate_from() const { return activate_from_; }

  void column(bool write, unsigned group, std::uint64_t clock) {
    column_from_ = clock + std::max(timing_.ccd, burst_);
    group_from_[group] = clock + std::max(timing_.ccdl, burst_);
    (write ? read_from_ : write_from_) = clock + static_cast<std::uint64_t>(write ? write_to_read_ : read_to_write_);
  }
  void activate(std::uint64_t clock) {
    // The next one must not be the fifth in a window.
    windows_[oldest_] = clock + timing_.faw;
    oldest_ = (oldest_ + 1) % windows_.size();
    activate_from_ = std::max(clock + timing_.rrd, windows_[oldest_]);
  }

 private:
  Machine::Dram timing_;
  unsigned burst_;
  std::int64_t read_to_write_, write_to_read_;  // from command to command
  std::uint64_t column_from_ = 0, read_from_ = 0, write_from_ = 0, activate_from_ = 0;
  std::vector<std::uint64_t> group_from_;   // column commands, per bank group
  std::array<std::uint64_t, 4> windows_{};  // ends of those that the last four activates opened
  std::size_t oldest_ = 0;
};

}  // namespace castor::gpu
