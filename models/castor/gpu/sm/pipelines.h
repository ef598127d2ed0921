#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/event_wheel.h"

namespace castor::gpu {

/// Counters of Pipelines.
struct PipelineCounters {
  std::uint64_t bank_conflict_delay = 0;  ///< ticks by which bank conflicts delayed the last operand
};

/// Register banks, operand collectors and execution units of an SM, modelled as reservation calendars. An instruction
/// reserves its whole path when it issues, first come first served, and needs no work later (docs/gpu/sm.md, "Issue,
/// operands, pipelines"). Steps: `written` and `free_collectors` in S1, events; reservations in S3 and S5. All times
/// are ticks.
class Pipelines {
 public:
  static constexpr unsigned kMaxSchedulers = 8;

  /// `wheel` gets the releases of operand collectors as events.
  Pipelines(const Machine& machine, EventWheel& wheel, PipelineCounters& counters);

  /// Returns whether a scheduler may issue an instruction of the pool in `tick`: a collector is free, and a unit of the
  /// scheduler (or of the SM) is free in `tick` + oc_cycles + 1 at the latest, which allows one tick of queueing.
  [[nodiscard]] bool accepts(UnitPool pool, unsigned scheduler, Tick tick) const {
    return collector_free() && unit_free(pool, scheduler) <= tick + oc_cycles_ + 1;
  }
  [[nodiscard]] bool collector_free() const { return !collectors_used_ || collectors_free_ != 0; }
  /// Returns the first tick in which a unit of the pool accepts an instruction of the scheduler, collectors ignored.
  [[nodiscard]] Tick accepts_from(UnitPool pool, unsigned scheduler) const {
    const Tick free = unit_free(pool, scheduler);
    return free > oc_cycles_ + 1 ? free - oc_cycles_ - 1 : 0;
  }
  /// Returns whether each scheduler owns units of this pool (sub-cores).
  [[nodiscard]] bool divided(UnitPool pool) const { return pools_[static_cast<std::size_t>(pool)].divided; }

  /// Reserved path of an instruction: tick of its last operand read, and tick of its dispatch to the unit.
  struct Path {
    Tick last_operand = 0;
    Tick dispatch = 0;
  };
  /// Reserves operand reads, collector and unit of an instruction that issues in `tick`. `accepts` must hold.
  Path reserve(const Decoded& decoded, unsigned warp, unsigned scheduler, Tick tick);
  /// Reserves the path of an instruction whose sources may lie in pool rows. `rows`: row of each source, -1 = the
  /// warp's own register.
  Path reserve_rows(const Decoded& decoded, const std::int16_t* rows, unsigned warp, unsigned scheduler, Tick tick);
  /// Reserves the copy of a row to a register of a warp in `tick`, before any issue of that tick. Returns false if one
  /// of the two banks is busy.
  [[nodiscard]] bool copy(unsigned row, unsigned reg, unsigned warp, Tick tick);
  /// Reserves the write of a pool row in the first free tick from `earliest` on, and ends the reservation after the
  /// write.
  Tick reserve_row_write(unsigned row, Tick earliest);
  void row_written(unsigned row, Tick tick) {
    if (banks_ != 0) writes_[row % banks_][tick % EventWheel::kHorizon / 64] &= ~(std::uint64_t{1} << (tick % 64));
  }
  /// Reserves the write of a register in the first free tick from `earliest` on, and returns that tick.
  Tick reserve_write(unsigned reg, unsigned warp, Tick earliest);
  /// Ends the write reservation of `tick`.
  void written(unsigned reg, unsigned warp, Tick tick) {
    if (banks_ != 0) writes_[bank(reg, warp)][tick % EventWheel::kHorizon / 64] &= ~(std::uint64_t{1} << (tick % 64));
  }
  void free_collectors(unsigned count) { collectors_free_ += count; }

 private:
  // Read reservations of a bank. Issues come in ascending ticks and each read takes the first free port, so
  // reservations have no gaps: all ports are taken before `tick`, and `used` ports in `tick`.
  struct Reads {
    Tick tick = 0;
    unsigned used = 0;  // below the number of ports
  };
  // write reservations of a bank: bit per tick, modulo the horizon
  using Writes = std::array<std::uint64_t, EventWheel::kHorizon / 64>;
  // Group of units that belong to one scheduler or to all schedulers. A ring in ascending order holds, for each unit,
  // the first tick in which the unit accepts a dispatch. Units of a group are interchangeable, and most become free in
  // the order of their use.
  struct Units {
    Tick earliest = 0;  // free[head]: first tick in which any of the units is free
    unsigned head = 0;
    std::vector<Tick> free;
  };
  // All units of a pool.
  struct Pool {
    bool divided = false;
    std::array<Units, kMaxSchedulers> units;  // [scheduler], or [0] for all schedulers if the pool is not divided
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
  unsigned collectors_free_;  // number of free operand collectors
  unsigned schedulers_;
  std::vector<Reads> reads_;    // [bank] read reservations
  std::vector<Writes> writes_;  // [bank] write reservations
  std::array<Pool, kRealPools> pools_;
  EventWheel& wheel_;
  PipelineCounters& counters_;
};

}  // namespace castor::gpu
