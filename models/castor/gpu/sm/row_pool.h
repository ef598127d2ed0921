#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Register-file rows that hold results shared by several warps (docs/gpu/fetch-filter.md, "FetchFilter"): allocation,
/// values, and the ticks of their writes and reads.
///
/// Steps: `start`, `take` and `begin_tick` in S0, start; `tell` and `ready` in S1, events; the other functions in S5,
/// issue; `give_back` in S8, bookkeeping. Times are ticks.
class RowPool {
 public:
  static constexpr std::int16_t kNone = -1;

  /// `study_rows` additional rows are numbered after those of the register file; `take` never returns them.
  RowPool(const Machine& machine, WarpTable& warps, Scoreboard& scoreboard, Pipelines& pipelines, EventWheel& wheel,
          SmMemory& memory, unsigned study_rows = 0);

  /// Returns the number of rows of the register file.
  [[nodiscard]] unsigned real() const { return rows_; }
  /// Returns the number of rows, those of a study included.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(read_until_.size()); }
  /// Allocates `count` adjacent rows, the highest that are free, and returns the first row, or kNone.
  [[nodiscard]] std::int16_t take(unsigned count);
  void give_back(unsigned first, unsigned count);
  /// Resets the slot's state for a warp that starts in it.
  void start(unsigned w);
  void begin_tick() { written_.clear(); }

  /// Returns the value of a row.
  [[nodiscard]] const std::byte* value(unsigned row) const { return values_.data() + row * row_bytes_; }
  /// Copies the value of a row to the warp's own register.
  void load(unsigned w, unsigned reg, unsigned row);
  /// Copies the value of a row to the warp's own register through the copy port. Returns false if a bank is busy in
  /// `tick`, the register has a pending write, or the warp has operands left to read.
  [[nodiscard]] bool copy(unsigned w, unsigned reg, unsigned row, Tick tick);
  /// Records that an issuing instruction reads its sources from `rows` (kNone: own register), the last one in tick
  /// `last_operand`.
  void read(unsigned w, const Decoded& decoded, const std::int16_t* rows, Tick last_operand, Tick tick);
  /// Returns the last tick in which an issued instruction reads the row.
  [[nodiscard]] Tick read_until(unsigned row) const { return read_until_[row]; }
  /// Returns whether issued instructions of the warp read operands after `tick`.
  [[nodiscard]] bool reading(unsigned w, Tick tick) const { return warp_reads_until_[w] > tick; }
  /// Returns the warps whose issued instructions read operands after `tick`.
  [[nodiscard]] WarpMask readers(Tick tick);

  /// Directs the next write of a warp's register to a row as well.
  void lead(unsigned w, unsigned reg, unsigned row) { lead_row_[w][reg] = static_cast<std::int16_t>(row); }
  /// Returns whether the instruction's results go to rows.
  [[nodiscard]] bool leads(unsigned w, const Decoded& decoded) const {
    return decoded.dst_count != 0 && lead_row_[w][decoded.dst] != kNone;
  }
  /// Reserves the writes of a leader's one or two results to rows of the pool that begins at `base`. The data of a load
  /// are written with the first of them.
  void expect(unsigned w, const Decoded& decoded, unsigned base, Tick tick, Tick earliest, MemoryOperation* operation);
  /// Copies a leader's results from the warp's own registers to the result's rows.
  void store(unsigned w, const Decoded& decoded);
  /// Handles a kRowWritten event: a row of a TB's pool is written in this tick.
  void tell(const SmEvent& event) { written_.push_back({event.warp, event.first}); }
  /// Returns the rows written in this tick.
  [[nodiscard]] View<RowEvent> written() const { return {written_.data(), written_.size()}; }
  /// Handles a kRowReady event: registers were written to their rows in the previous tick, and are no longer pending.
  /// `head`: oldest buffered instruction of the warp, or null.
  void ready(const SmEvent& event, Tick tick, const Decoded* head);

 private:
  [[nodiscard]] std::byte* place(unsigned row) { return values_.data() + row * row_bytes_; }

  WarpTable& warps_;
  Scoreboard& scoreboard_;
  Pipelines& pipelines_;
  EventWheel& wheel_;
  SmMemory& memory_;
  const unsigned rows_;
  const std::size_t row_bytes_;
  std::vector<bool> used_;
  AlignedBytes values_;
  std::vector<Tick> read_until_;  // [row] last tick in which the row is read
  // [warp] last tick in which an operand of the warp is read
  std::array<Tick, kMaxWarps> warp_reads_until_{};
  WarpMask readers_ = 0;  // warps that may have operands left to read
  // [warp][register] row to which the pending register is written; kNone = no row
  std::array<std::array<std::int16_t, 256>, kMaxWarps> lead_row_;
  std::vector<RowEvent> written_;
};

}  // namespace castor::gpu
