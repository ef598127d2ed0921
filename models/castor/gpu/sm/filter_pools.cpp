#include "castor/gpu/sm/filter_pools.h"

#include <algorithm>

#include "castor/gpu/occupancy.h"

namespace castor::gpu {

// Assigns a pool to a TB. Returns the counter to increment: the type of pool, or the reason why the TB gets none.
FilterPools::Outcome FilterPools::give_pool(const TbState& tb, unsigned context) {
  const isa::Program& program = *tb.kernel->program;
  if (terms_.marked && program.marks.empty()) return &FilterCounts::tbs_unmarked;
  if (terms_.marked && tb.warp_count < 2) return &FilterCounts::tbs_of_one_warp;
  Pool& pool = pools_[context];
  pool.slots = terms_.slots;
  if (terms_.marked) pool.slots = static_cast<std::uint16_t>(std::min<unsigned>(program.renamed_registers, pool.slots));
  pool.led.assign(program.code.size(), {RowPool::kNone, RowPool::kNone});
  return fetch_ ? give_rows(tb, context) : &FilterCounts::tbs_with_pool;
}

// Assigns to a TB the rows of its study, or an equal part of the register-file rows that its kernel leaves free.
// Returns the counter to increment.
FilterPools::Outcome FilterPools::give_rows(const TbState& tb, unsigned context) {
  Pool& pool = pools_[context];
  if (terms_.study != nullptr) {
    pool.rows = static_cast<std::uint16_t>(terms_.study->rows());
    pool.base = static_cast<std::uint16_t>(rows_.real() + pool.rows * context);
    return &FilterCounts::tbs_with_pool;
  }
  const KernelContext& kernel = *tb.kernel;
  const unsigned rows =
      kernel.fit == 0 ? 0 : filter_rows(machine_, kernel.fit, kernel.need.reg_units, terms_.rows, terms_.least_rows);
  if (rows == 0) return &FilterCounts::tbs_without_rows;
  const std::int16_t base = rows_.take(rows);
  if (base == RowPool::kNone) return &FilterCounts::tbs_without_run;
  pool.base = static_cast<std::uint16_t>(base);
  pool.rows = static_cast<std::uint16_t>(rows);
  return &FilterCounts::tbs_with_pool;
}

void FilterPools::start(const TbState& tb, unsigned context, TbStartEvent& event, bool restored) {
  warps_ &= ~tb.warps;
  tbs_ &= ~(TbMask{1} << context);
  const Dim3& block = tb.kernel->block;
  const bool power = block.x <= 32 && (block.x & (block.x - 1)) == 0;
  Pool& pool = pools_[context];
  pool = {};
  event.promote = pool.promote = std::uint64_t{block.y} * block.z > 1 && power;
  if (restored) return;
  pool.moves = !blocks_.pinned() && (machine_.context.random != 0 || machine_.context.mover == ContextMover::kRate ||
                                     tb.kernel->program->reach.launches);
  const Outcome outcome = give_pool(tb, context);
  counters_.add(context, [outcome](FilterCounts& counts) { ++(counts.*outcome); });
  if (outcome != &FilterCounts::tbs_with_pool) return;
  event.enable = true;
  event.base = pool.base;
  event.rows = pool.rows;
  event.slots = pool.slots;
  warps_ |= tb.warps;
  tbs_ |= TbMask{1} << context;
}

void FilterPools::retired(unsigned context) {
  if ((tbs_ >> context & 1) == 0) return;
  if (terms_.study == nullptr) rows_.give_back(pools_[context].base, pools_[context].rows);
  tbs_ &= ~(TbMask{1} << context);
  warps_ &= ~blocks_[context].warps;
}

}  // namespace castor::gpu
