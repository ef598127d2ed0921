#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Timing rules between the banks of one DRAM channel: data bus and its turnarounds, bank groups, activates. Times are
/// DRAM clocks. The timing rules inside one bank are in DramChannel.
class DramTimes {
 public:
  explicit DramTimes(const Machine& machine)
      : timing_(machine.dram),
        burst_(std::max(1U, timing_.atom / timing_.bytes_per_clk)),
        read_to_write_(std::max(std::int64_t{timing_.cl} + burst_ + timing_.rtw - timing_.wl, std::int64_t{0})),
        write_to_read_(std::int64_t{timing_.wl} + burst_ + timing_.cdlr),
        group_from_(timing_.groups) {}

  /// Returns the clocks that the data of one column command occupy the bus.
  [[nodiscard]] unsigned burst() const { return burst_; }
  /// Returns the first clock in which a column command to a bank group is legal.
  [[nodiscard]] std::uint64_t column_from(bool write, unsigned group) const {
    return std::max({column_from_, group_from_[group], write ? write_from_ : read_from_});
  }
  /// Returns the first clock in which an activate is legal.
  [[nodiscard]] std::uint64_t activate_from() const { return activate_from_; }

  /// Records a column command issued at `clock`.
  void column(bool write, unsigned group, std::uint64_t clock) {
    column_from_ = clock + std::max(timing_.ccd, burst_);
    group_from_[group] = clock + std::max(timing_.ccdl, burst_);
    (write ? read_from_ : write_from_) = clock + static_cast<std::uint64_t>(write ? write_to_read_ : read_to_write_);
  }
  /// Records an activate issued at `clock`.
  void activate(std::uint64_t clock) {
    // At most four activates may fall into one window of tFAW clocks.
    windows_[oldest_] = clock + timing_.faw;
    oldest_ = (oldest_ + 1) % windows_.size();
    activate_from_ = std::max(clock + timing_.rrd, windows_[oldest_]);
  }

 private:
  Machine::Dram timing_;
  unsigned burst_;
  std::int64_t read_to_write_,
      write_to_read_;  // clocks from a read to a write command, and from a write to a read command
  std::uint64_t column_from_ = 0, read_from_ = 0, write_from_ = 0, activate_from_ = 0;
  std::vector<std::uint64_t> group_from_;   // first legal column command, per bank group
  std::array<std::uint64_t, 4> windows_{};  // ends of the tFAW windows opened by the last four activates
  std::size_t oldest_ = 0;
};

}  // namespace castor::gpu
