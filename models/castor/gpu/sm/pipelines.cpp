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
  CASTOR_ASSERT(schedulers_ <= kMaxSchedulers && ports_ <= kMaxPorts, "%u schedulers, %u ports", schedulers_, ports_);
  const unsigned shared = machine.units.mem_shared;
  const unsigned units[kRealPools] = {machine.units.mem - shared, shared,          machine.units.sfu, machine.units.dp,
                                      machine.units.integer,      machine.units.sp};
  for (std::size_t p = 0; p < kRealPools; ++p) {
    Pool& pool = pools_[p];
    pool.free.assign(std::max(units[p], 1U), 0);
    // Fewer units than schedulers, or a number that does not divide, are shared by all.
    pool.divided = machine.sub_core && units[p] != 0 && units[p] % schedulers_ == 0;
    const unsigned each = pool.divided ? units[p] / schedulers_ : static_cast<unsigned>(pool.free.size());
    for (unsigned s = 0; s < schedulers_; ++s) {
      pool.first[s] = static_cast<std::uint8_t>(pool.divided ? s * each : 0);
      pool.count[s] = static_cast<std::uint8_t>(each);
    }
  }
}

inline Tick Pipelines::read(unsigned bank, Tick from) {
  Reads& reads = reads_[bank];
  const Tick passed = from - reads.base;
  std::uint64_t all = ~std::uint64_t{0};
  for (unsigned p = 0; p < ports_; ++p) {
    std::uint64_t& busy = reads.busy[p];
    busy = passed < 64 ? busy >> passed : 0;
    all &= busy;
  }
  reads.base = from;
  CASTOR_ASSERT(all != ~std::uint64_t{0}, "a register bank is booked for more than 64 ticks");
  const std::uint64_t bit = ~all & (all + 1);
  unsigned p = 0;
  while ((reads.busy[p] & bit) != 0) ++p;
  reads.busy[p] |= bit;
  return from + static_cast<unsigned>(__builtin_ctzll(bit));
}

// Takes the unit that is free first, of equal ones the lowest, and returns the tick of its dispatch.
inline Tick Pipelines::take_unit(Pool& pool, unsigned scheduler, Tick earliest, unsigned interval) {
  Tick* const units = pool.free.data() + pool.first[scheduler];
  unsigned taken = 0;
  Tick first = units[0], second = base::kForever;
  for (unsigned i = 1; i < pool.count[scheduler]; ++i) {
    const Tick free = units[i];
    if (free < first) {
      second = first;
      first = free;
      taken = i;
    } else if (free < second) {
      second = free;
    }
  }
  const Tick dispatch = std::max(earliest, first);
  units[taken] = dispatch + interval;
  pool.earliest[pool.divided ? scheduler : 0] = std::min(second, dispatch + interval);
  return dispatch;
}

// Reserves unit and collector of an instruction whose last operand is read in `last`.
[[gnu::always_inline]] inline Pipelines::Path Pipelines::dispatch(const Decoded& decoded, unsigned scheduler, Tick tick,
                                                                  Tick last) {
  Path path;
  path.last_operand = last;
  path.dispatch = take_unit(pools_[static_cast<std::size_t>(decoded.pool)], scheduler,
                            std::max(tick + oc_cycles_, last + 1), decoded.interval);
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
  Reads& reads = reads_[row % banks_];
  CASTOR_ASSERT(reads.base <= tick, "a row is copied behind what issued in the same tick");
  const Tick passed = tick - reads.base;
  if (passed >= 64) return true;
  for (unsigned p = 0; p < ports_; ++p) {
    if ((reads.busy[p] >> passed & 1) == 0) return true;
  }
  return false;
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
