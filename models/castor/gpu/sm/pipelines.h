#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/event_wheel.h"

namespace castor::gpu {

/// What Pipelines counts.
struct PipelineCounters {
  std::uint64_t bank_conflict_delay = 0;  ///< ticks by which bank conflicts moved the last operand
};

/// Register banks, operand collectors and execution units of an SM as calendars: an instruction reserves its whole path
/// when it issues, first come first served, so nothing has to be done for it later (docs/gpu/sm.md, "Issue, operands,
/// pipelines"). S1 `written` and `free_collectors`; S3 and S5 reserve. All times are ticks.
class Pipelines {
 public:
  static constexpr unsigned kMaxSchedulers = 8;

  /// `wheel` tells when collectors become free.
  Pipelines(const Machine& machine, EventWheel& wheel, PipelineCounters& counters);

  /// Whether an instruction of the pool may issue in `tick` from a scheduler: a unit of its own, or one that all share,
  /// takes it in `tick` + oc_cycles + 1 at the latest (one tick of queueing), and a collector is free.
  [[nodiscard]] bool accepts(UnitPool pool, unsigned scheduler, Tick tick) const {
    return collector_free() && unit_free(pool, scheduler) <= tick + oc_cycles_ + 1;
  }
  [[nodiscard]] bool collector_free() const { return !collectors_used_ || collectors_free_ != 0; }
  /// First tick in which the scheduler's units of the pool accept again, collectors aside.
  [[nodiscard]] Tick accepts_from(UnitPool pool, unsigned scheduler) const {
    const Tick free = unit_free(pool, scheduler);
    return free > oc_cycles_ + 1 ? free - oc_cycles_ - 1 : 0;
  }
  /// Each scheduler owns units of this pool, and no other can use them.
  [[nodiscard]] bool divided(UnitPool pool) const { return pools_[static_cast<std::size_t>(pool)].divided; }

  struct Path {
    Tick last_operand = 0;
    Tick dispatch = 0;
  };
  /// Reserves operand reads, collector and unit of an instruction that issues in `tick`. `accepts` holds.
  Path reserve(const Decoded& decoded, unsigned warp, unsigned scheduler, Tick tick);
  /// The same with sources that are read from rows of a pool: row of each source, -1 = the warp's own register.
  Path reserve_rows(const Decoded& decoded, const std::int16_t* rows, unsigned warp, unsigned scheduler, Tick tick);
  /// Reads a row and writes a register of a warp in `tick`, before anything issues in it, if both banks are free.
  [[nodiscard]] bool copy(unsigned row, unsigned reg, unsigned warp, Tick tick);
  /// The same as `reserve_write` and `written` for a row of a pool.
  Tick reserve_row_write(unsigned row, Tick earliest);
  void row_written(unsigned row, Tick tick) {
    if (banks_ != 0) writes_[row % banks_][tick % EventWheel::kHorizon / 64] &= ~(std::uint64_t{1} << (tick % 64));
  }
  /// Reserves the write of a register in the first free tick from `earliest` on.
  Tick reserve_write(unsigned reg, unsigned warp, Tick earliest);
  /// Forgets the write of `tick`.
  void written(unsigned reg, unsigned warp, Tick tick) {
    if (banks_ != 0) writes_[bank(reg, warp)][tick % EventWheel::kHorizon / 64] &= ~(std::uint64_t{1} << (tick % 64));
  }
  void free_collectors(unsigned count) { collectors_free_ += count; }

 private:
  // Instructions issue in ascending ticks and reads take the first free port, so what is booked leaves no gap: all
  // ports before `tick`, and `used` of them in it.
  struct Reads {
    Tick tick = 0;
    unsigned used = 0;  // < ports
  };
  using Writes = std::array<std::uint64_t, EventWheel::kHorizon / 64>;  // bit per tick modulo the horizon
  // Units of one scheduler, or of all, for each the first tick in which it can be dispatched to: a ring in ascending
  // order. Nothing else tells units from each other, and most free up in the order in which they were taken.
  struct Units {
    Tick earliest = 0;  // free[head]
    unsigned head = 0;
    std::vector<Tick> free;
  };
  struct Pool {
    bool divided = false;
    std::array<Units, kMaxSchedulers> units;  // of a scheduler; [0] if not divided
  };

  [[nodiscard]] Tick unit_free(UnitPool pool, unsigned scheduler) const {
    const Pool& units = pools_[static_cast<std::size_t>(pool)];
    return units.units[units.divided ? scheduler : 0].earliest;
  }
  [[nodiscard]] unsigned bank(unsigned reg, unsigned warp) const {
    return bank_mask_ != 0 ? (reg + warp) & bank_mask_ : (reg + warp) % banks_;
  }
  Tick read(unsigned bank, Tick from);
  Tick write(unsigned bank, Tick earliest);
  Path dispatch(const Decoded& decoded, unsigned scheduler, Tick tick, Tick last);
  static Tick take_unit(Units& units, Tick earliest, unsigned interval);

  unsigned oc_cycles_;
  unsigned banks_, bank_mask_, ports_;
  bool collectors_used_;
  unsigned collectors_free_;
  unsigned schedulers_;
  std::vector<Reads> reads_;    // per bank
  std::vector<Writes> writes_;  // per bank
  std::array<Pool, kRealPools> pools_;
  EventWheel& wheel_;
  PipelineCounters& counters_;
};

}  // namespace castor::gpu
