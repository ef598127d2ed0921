#include "castor/gpu/sm/filter_events.h"

#include <utility>

#include "castor/gpu/execution/barrier_arrival.h"

namespace castor::gpu {
namespace {

using isa::Kind;
using isa::MemoryKind;
using isa::Ordering;
using isa::Record;
using isa::Space;

// Returns whether the record is a store or atomic whose effect other threads of the TB can see.
bool is_store(const Record& record) {
  return record.kind == Kind::kMemory && record.memory.kind != MemoryKind::kLoad &&
         record.memory.space != Space::kLocal;
}

// Returns whether threads of other SMs can observe the record's execution: atomic, fence beyond the block, acquire,
// release or volatile access.
bool communicates(const Record& record) {
  if (record.kind == Kind::kFence) return static_cast<isa::FenceScope>(record.imm) != isa::FenceScope::kBlock;
  if (record.kind != Kind::kMemory) return false;
  const isa::MemoryOp& op = record.memory;
  if (op.space != Space::kGlobal && op.space != Space::kGeneric) return false;
  if (op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction) return true;
  return op.ordering == Ordering::kVolatile || op.ordering == Ordering::kAcquire || op.ordering == Ordering::kRelease ||
         op.ordering == Ordering::kAcqRel;
}

}  // namespace

void FilterEvents::begin_tick() {
  stores_ = barriers_ = 0;
  global_op_ = false;
  branch_ = taken_ = leave_ = 0;
  retired_ = std::exchange(retires_, std::nullopt);
}

void FilterEvents::issued(unsigned w, const Record& record, LaneMask mask) {
  if (mask == 0) return;
  if (communicates(record)) global_op_ = true;
  if ((pools_.warps() & warp_bit(w)) != 0 && is_store(record)) stores_ |= TbMask{1} << warps_[w].tb;
}

// Records control transfers and barriers: branch_, taken_ and leave_, and full barriers of the TB.
void FilterEvents::control(unsigned w, const Record& record, LaneMask mask) {
  const WarpState& warp = warps_[w];
  const bool conditional = record.guard != isa::kNoGuard;
  const bool kernel_end = record.kind == Kind::kExit || (record.kind == Kind::kReturn && warps_[w].stack.depth() == 0);
  switch (record.kind) {
    case Kind::kBranch:
    case Kind::kCall:
    case Kind::kExit:
    case Kind::kReturn:
      if ((record.kind == Kind::kReturn && !kernel_end) || (mask != 0 && mask != warp.active)) {
        leave_ |= warp_bit(w);
      } else if (conditional && !(kernel_end && mask != 0)) {
        branch_ |= warp_bit(w);
        if (mask != 0) taken_ |= warp_bit(w);
      }
      break;
    case Kind::kBranchIndirect:
    case Kind::kCallIndirect:
      leave_ |= warp_bit(w);
      break;
    case Kind::kBarrier: {
      if (record.barrier.kind == isa::BarrierKind::kWarp || mask == 0) break;
      const auto arrival = barrier_arrival(record, warps_.view(w), mask, warp.warp_in_tb);
      const unsigned whole = tbs_[warp.tb].warp_count * 32 * (warps_.lanes() / 32);
      const bool full = record.barrier.kind != isa::BarrierKind::kArrive && arrival.barrier < 16 &&
                        (arrival.threads ? *arrival.threads == whole : arrival.barrier == 0);
      if (full) {
        full_barriers_[warp.tb] |= static_cast<std::uint16_t>(1U << arrival.barrier);
      } else {
        leave_ |= warp_bit(w);
      }
      break;
    }
    default:
      break;
  }
}

void FilterEvents::barrier_met(unsigned context, unsigned barrier) {
  std::uint16_t& full = full_barriers_[context];
  if ((pools_.tbs() >> context & 1) == 0 || (full >> barrier & 1) == 0) return;
  full &= static_cast<std::uint16_t>(~(1U << barrier));
  barriers_ |= TbMask{1} << context;
}

bool FilterEvents::tell(FetchIn& in, View<WarpExit> exits, WarpMask in_flight, WarpMask starts) {
  in.stores = stores_;
  in.global_op = global_op_;
  in.branch = branch_;
  in.taken = taken_;
  in.leave = leave_;
  in.barrier = barriers_;
  for (TbMask left = barriers_; left != 0; left &= left - 1) in.barrier_join |= joins(tbs_[lowest(left)]);
  for (const WarpExit& exit : exits) leaving_ |= warp_bit(exit.warp);
  const WarpMask out = leaving_ & ~in_flight;
  in.exit = out & ~starts;
  leaving_ &= ~in.exit;
  return retires_.has_value() || in.exit != out;
}

// Returns the warps that may join the majority after a barrier of the whole TB: full warps without divergence whose PC
// equals that of the lowest such warp.
WarpMask FilterEvents::joins(const TbState& tb) const {
  WarpMask result = 0;
  std::uint32_t pc = 0;
  for (WarpMask left = tb.live; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const isa::SimtStack& stack = warps_[w].stack;
    if (stack.entries().size() != 1 || stack.live() != warps_.all_lanes()) continue;
    if (result == 0) pc = warps_[w].pc;
    if (warps_[w].pc == pc) result |= warp_bit(w);
  }
  return result;
}

}  // namespace castor::gpu
