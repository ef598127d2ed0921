#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// What an SM keeps for its FetchFilter (docs/gpu.md, "FetchFilter"): pools of rows, warps whose instructions wait to
/// be decoded, what the filter said about instructions in the buffers, and the events of a tick.
///
/// The filter acts on warps of TBs that got a pool (`active`); of all others it hears start, exit and retire only.
struct Sm::Filter {
  static constexpr unsigned kMaxRows = 32;      ///< of a TB
  static constexpr unsigned kLeastRows = 4;     ///< fewer are not worth it
  static constexpr unsigned kMaxSlots = 32;     ///< registers of a warp that can live in rows
  static constexpr unsigned kMaxBuffered = 16;  ///< limit of ibuffer.entries
  static constexpr std::int16_t kNoRow = -1;

  /// What the filter said about an instruction when it was decoded.
  struct Verdict {
    bool lead = false;
    std::uint8_t tag[2] = {};
  };
  struct Pool {
    std::uint16_t base = 0, rows = 0, slots = 0;
    std::uint16_t full_barriers = 0;  ///< ids at which warps wait for the whole TB
  };
  /// An instruction that may issue in this tick.
  struct Candidate {
    std::uint32_t pc = 0;
    IssueRename rename;
  };

  explicit Filter(const Machine& machine)
      : rows(machine.sm.registers / machine.sm.lanes), row_bytes(std::size_t{machine.sm.lanes} * 4), used(rows) {
    values.assign_zero(rows * row_bytes);
    read_until.assign(rows, 0);
    for (auto& registers : lead_row) registers.fill(kNoRow);
  }

  /// Takes `count` rows, the highest that lie together; kNoRow if there are none.
  std::int16_t take_rows(unsigned count) {
    unsigned run = 0;
    for (unsigned row = rows; row-- > 0;) {
      run = used[row] ? 0 : run + 1;
      if (run < count) continue;
      std::fill_n(used.begin() + row, count, true);
      return static_cast<std::int16_t>(row);
    }
    return kNoRow;
  }
  void free_rows(const Pool& pool) { std::fill_n(used.begin() + pool.base, pool.rows, false); }
  [[nodiscard]] std::byte* value(unsigned row) const { return values.data() + row * row_bytes; }

  unsigned rows;
  std::size_t row_bytes;
  std::vector<bool> used;
  AlignedBytes values;
  std::vector<Tick> read_until;  ///< per row: last tick in which an operand read of it is booked

  WarpMask active = 0;
  TbMask active_tbs = 0;
  std::array<Pool, 64> pools;  ///< per TB context

  // Fetch and decode.
  WarpMask present = 0;  ///< their instructions are there, not decoded
  std::array<Tick, kMaxWarps> fetched{};
  std::array<std::array<Verdict, kMaxBuffered>, kMaxWarps> verdicts{};  ///< [warp][pc mod kMaxBuffered]

  // Issue.
  std::array<IssueSlot, kMaxIssue> slots;
  std::array<IssueSlot, kMaxIssue> issued_slots;
  std::array<std::array<Candidate, 2>, kMaxWarps> candidates{};  ///< of a warp that was picked
  std::array<std::uint8_t, kMaxIssue> slot_which{};              ///< first or second of its warp
  unsigned slot_count = 0, issued_count = 0;
  std::array<Tick, kMaxWarps> reads_until{};                      ///< per warp: last tick in which an operand is read
  std::array<std::array<std::int16_t, 256>, kMaxWarps> lead_row;  ///< row that a pending register is written to

  WarpMask hold = 0;      ///< not to be fetched in this tick
  WarpMask eligible = 0;  ///< at S0: what the filter may act on
  FetchIn fetch;
  std::array<std::uint64_t, kMaxWarps> pc_of{};

  // Events of a tick.
  std::vector<RowEvent> written;
  TbMask stores = 0, barriers = 0;
  bool global_op = false;
  WarpMask branch = 0, taken = 0, leave = 0;
  WarpMask leaving = 0;                  ///< exited, registers pending
  Maybe<std::uint8_t> retired, retires;  ///< told in this tick, in the next
  FetchOut out;
};

}  // namespace castor::gpu
