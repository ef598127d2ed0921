#pragma once

#include "castor/tb_swap/ports.h"

namespace castor::tb_swap {

/// Table of the read-only segments of the TBs: lines of shared memory that equal lines of the global memory. Segments
/// of a TB do not overlap. Both machines read the table.
class Segments {
 public:
  static constexpr unsigned kNone = ~0U;  ///< no segment

  /// Empties the table.
  void reset(const Params& params);
  /// Writes the row at the ports ro_*; a context or segment without a row is ignored.
  void write(const Inputs& in);
  /// Removes the segments of a context.
  void clear(unsigned slot);

  /// Returns the row of the first segment of context `slot` that covers a line of shared memory, or kNone.
  [[nodiscard]] unsigned find(unsigned slot, unsigned line) const {
    for (unsigned s = 0, row = slot * per_tb_; s < per_tb_; ++s, ++row) {
      if (line - first_[row] < lines_[row]) return row;
    }
    return kNone;
  }
  [[nodiscard]] unsigned lines(unsigned row) const { return lines_[row]; }
  /// Returns the first line behind the segment.
  [[nodiscard]] unsigned end(unsigned row) const { return first_[row] + lines_[row]; }
  /// Returns the address in lines of the global memory that equals `line`, which the segment covers.
  [[nodiscard]] U64 address(unsigned row, unsigned line) const;

  void probes(Probes& probes) const;

 private:
  void set(unsigned row, U16 lines, U16 first, U64 address);

  U8 tbs_ = 0;                // MaxTb
  U8 per_tb_ = 0;             // RoSegs
  SegmentLines lines_;        // lines of each segment; 0: no segment
  SegmentLines first_;        // first line of shared memory; 0 without a segment
  SegmentAddresses address_;  // address in lines of the global memory; 0 without a segment
};

}  // namespace castor::tb_swap
