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

/// Rows of the register file that stand for registers of several warps (docs/gpu/fetch-filter.md, "FetchFilter"): who
/// has them, their values, when they are written and read.
///
/// S0 `start`, `take`, `begin_tick`; S1 `tell` and `ready`; S5 the others; S8 `give_back`. Times are ticks.
class RowPool {
 public:
  static constexpr std::int16_t kNone = -1;

  /// `virtual_rows` rows have numbers behind those of the register file; nobody takes them.
  RowPool(const Machine& machine, WarpTable& warps, Scoreboard& scoreboard, Pipelines& pipelines, EventWheel& wheel,
          SmMemory& memory, unsigned virtual_rows = 0);

  /// Rows of the register file.
  [[nodiscard]] unsigned real() const { return rows_; }
  /// All rows.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(read_until_.size()); }
  /// Takes `count` rows, the highest that lie together, and returns the first; kNone if there are none.
  [[nodiscard]] std::int16_t take(unsigned count);
  void give_back(unsigned first, unsigned count);
  /// A warp begins in the slot.
  void start(unsigned w);
  void begin_tick() { written_.clear(); }

  /// Value of a row.
  [[nodiscard]] const std::byte* value(unsigned row) const { return values_.data() + row * row_bytes_; }
  /// The warp's own register gets the value of a row.
  void load(unsigned w, unsigned reg, unsigned row);
  /// The same through the copy port, if both banks are free in `tick` and nothing of the warp still reads or writes the
  /// register.
  [[nodiscard]] bool copy(unsigned w, unsigned reg, unsigned row, Tick tick);
  /// An instruction issues and reads its sources in `rows` (kNone: own register), the last one in `last_operand`.
  void read(unsigned w, const Decoded& decoded, const std::int16_t* rows, Tick last_operand, Tick tick);
  /// Last tick in which a row is read.
  [[nodiscard]] Tick read_until(unsigned row) const { return read_until_[row]; }
  /// Instructions of the warp have operands to read behind `tick`.
  [[nodiscard]] bool reading(unsigned w, Tick tick) const { return warp_reads_until_[w] > tick; }
  /// All such warps.
  [[nodiscard]] WarpMask readers(Tick tick);

  /// The next write of a warp's register also goes to a row.
  void lead(unsigned w, unsigned reg, unsigned row) { lead_row_[w][reg] = static_cast<std::int16_t>(row); }
  /// What the instruction writes goes to rows.
  [[nodiscard]] bool leads(unsigned w, const Decoded& decoded) const {
    return decoded.dst_count != 0 && lead_row_[w][decoded.dst] != kNone;
  }
  /// Reserves the writes of such an instruction, of one or two registers, to rows of a pool that begins at `base`. Data
  /// of a load come with the first.
  void expect(unsigned w, const Decoded& decoded, unsigned base, Tick tick, Tick earliest, MemoryOperation* operation);
  /// What it has left in the warp's own registers goes to its rows.
  void store(unsigned w, const Decoded& decoded);
  /// Event kRowWritten: a row of a TB's pool is written in this tick.
  void tell(const SmEvent& event) { written_.push_back({event.warp, event.first}); }
  /// Those of the tick.
  [[nodiscard]] View<RowEvent> written() const { return {written_.data(), written_.size()}; }
  /// Event kRowReady: registers were written to their rows in the tick before. `head` as for Scoreboard::written.
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
  std::vector<Tick> read_until_;                                   // per row
  std::array<Tick, kMaxWarps> warp_reads_until_{};                 // last tick in which an operand of the warp is read
  WarpMask readers_ = 0;                                           // those that may have some left
  std::array<std::array<std::int16_t, 256>, kMaxWarps> lead_row_;  // row that a pending register is written to
  std::vector<RowEvent> written_;
};

}  // namespace castor::gpu
