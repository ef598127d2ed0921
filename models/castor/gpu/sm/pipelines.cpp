#include "castor/gpu/sm/pipelines.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::gpu {

Pipelines::Pipelines(const Machine& machine, EventWheel& wheel, PipelineCounters& counters)
    : oc_cycles_(machine.oc_cycles),
      banks_(machine.rf.banks),
      bank_mask_(banks_ > 1 && (banks_ & (banks_ - 1)) == 0 ? banks_ - 1 : 0),
      ports_(machine.rf.ports),
      collectors_used_(machine.rf.collectors > 0),
      collectors_free_(machine.rf.collectors),
      schedulers_(machine.schedulers),
      reads_(banks_),
      writes_(banks_),
      wheel_(wheel),
      counters_(counters) {
  CASTOR_ASSERT(schedulers_ <= kMaxSchedulers, "%u schedulers", schedulers_);
  const unsigned shared = machine.units.mem_shared;
  const unsigned units[kRealPools] = {machine.units.mem - shared, shared,          machine.units.sfu, machine.units.dp,
                                      machine.units.integer,      machine.units.sp};
  for (std::size_t p = 0; p < kRealPools; ++p) {
    Pool& pool = pools_[p];
    // Load/store units belong to the whole SM. So do the units of a pool whose number of units is not a multiple of the
    // number of schedulers.
    const bool own = static_cast<UnitPool>(p) > UnitPool::kShared && units[p] != 0;
    pool.divided = machine.sub_core && own && units[p] % schedulers_ == 0;
    const unsigned groups = pool.divided ? schedulers_ : 1;
    for (unsigned s = 0; s < groups; ++s) pool.units[s].free.assign(std::max(units[p], 1U) / groups, 0);
  }
}

inline Tick Pipelines::read(unsigned bank, Tick from) {
  Reads& reads = reads_[bank];
  if (reads.tick < from) {
    reads.tick = from;
    reads.used = 0;
  }
  const Tick tick = reads.tick;
  CASTOR_ASSERT(tick - from < 64, "a register bank is booked for more than 64 ticks");
  if (++reads.used == ports_) {
    ++reads.tick;
    reads.used = 0;
  }
  return tick;
}

// Reserves the unit of the group that is free first, and returns the tick of the dispatch.
inline Tick Pipelines::take_unit(Units& units, Tick earliest, unsigned interval) {
  const Tick dispatch = std::max(earliest, units.earliest);
  const Tick again = dispatch + interval;
  const auto count = static_cast<unsigned>(units.free.size());
  Tick* const free = units.free.data();
  unsigned at = units.head;  // the unit is inserted again behind all units that are free earlier
  units.head = at + 1 == count ? 0 : at + 1;
  while (at != units.head) {
    const unsigned before = at == 0 ? count - 1 : at - 1;
    if (free[before] <= again) break;
    free[at] = free[before];
    at = before;
  }
  free[at] = again;
  units.earliest = free[units.head];
  return dispatch;
}

// Reserves unit and collector for an instruction whose last operand is read in tick `last`.
[[gnu::always_inline]] inline Pipelines::Path Pipelines::dispatch(const Decoded& decoded, unsigned scheduler, Tick tick,
                                                                  Tick last) {
  Path path;
  path.last_operand = last;
  Pool& pool = pools_[static_cast<std::size_t>(decoded.pool)];
  path.dispatch =
      take_unit(pool.units[pool.divided ? scheduler : 0], std::max(tick + oc_cycles_, last + 1), decoded.interval);
  if (!collectors_used_) return path;
  if (last > tick + 1) counters_.bank_conflict_delay += last - tick - 1;
  --collectors_free_;
  wheel_.free_collector(path.dispatch);
  return path;
}

Pipelines::Path Pipelines::reserve(const Decoded& decoded, unsigned warp, unsigned scheduler, Tick tick) {
  Tick last = collectors_used_ ? tick : tick + 1;
  for (unsigned i = 0; collectors_used_ && i < decoded.source_count; ++i) {
    last = std::max(last, read(bank(decoded.sources[i], warp), tick + 1));
  }
  return dispatch(decoded, scheduler, tick, last);
}

Pipelines::Path Pipelines::reserve_rows(const Decoded& decoded, const std::int16_t* rows, unsigned warp,
                                        unsigned scheduler, Tick tick) {
  Tick last = collectors_used_ ? tick : tick + 1;
  for (unsigned i = 0; collectors_used_ && i < decoded.source_count; ++i) {
    const unsigned from = rows[i] < 0 ? bank(decoded.sources[i], warp) : static_cast<unsigned>(rows[i]) % banks_;
    last = std::max(last, read(from, tick + 1));
  }
  return dispatch(decoded, scheduler, tick, last);
}

bool Pipelines::copy(unsigned row, unsigned reg, unsigned warp, Tick tick) {
  if (banks_ == 0) return true;
  const Writes& writes = writes_[bank(reg, warp)];
  if ((writes[tick % EventWheel::kHorizon / 64] >> (tick % 64) & 1) != 0) return false;
  if (!collectors_used_) return true;
  return reads_[row % banks_].tick <= tick;
}

[[gnu::always_inline]] inline Tick Pipelines::write(unsigned bank, Tick earliest) {
  Writes& writes = writes_[bank];
  Tick tick = earliest;
  while ((writes[tick % EventWheel::kHorizon / 64] >> (tick % 64) & 1) != 0) ++tick;
  writes[tick % EventWheel::kHorizon / 64] |= std::uint64_t{1} << (tick % 64);
  return tick;
}

Tick Pipelines::reserve_write(unsigned reg, unsigned warp, Tick earliest) {
  return banks_ == 0 ? earliest : write(bank(reg, warp), earliest);
}

Tick Pipelines::reserve_row_write(unsigned row, Tick earliest) {
  return banks_ == 0 ? earliest : write(row % banks_, earliest);
}

}  // namespace castor::gpu
