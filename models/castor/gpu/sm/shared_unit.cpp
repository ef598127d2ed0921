#include "castor/gpu/sm/shared_unit.h"

#include <algorithm>

namespace castor::gpu {

using isa::LaneMask;

SharedUnit::SharedUnit(const Machine& machine)
    : banks_(SharedBanks::of(machine)),
      lanes_(machine.sm.lanes),
      latency_(machine.smem.latency),
      atomic_latency_(machine.smem.atomic_latency),
      round_ticks_(machine.smem.round_ticks),
      conflict_ticks_(machine.smem.conflict_ticks),
      atomic_ticks_(machine.smem.atomic_ticks),
      replay_ticks_(machine.smem.replay_ticks),
      replay_rounds_(machine.smem.replay_rounds),
      loop_(machine.smem.atomics == SharedAtomics::kLoop),
      lock_ticks_(machine.smem.lock_ticks),
      retry_ticks_(machine.smem.retry_ticks),
      context_words_(machine.sm.max_tb_smem / 4),
      plain_(!loop_ && replay_ticks_ == 0 && round_ticks_ == 1 && conflict_ticks_ == 1 && atomic_ticks_ == 1),
      locked_(loop_ ? machine.sm.tb_contexts * context_words_ : 0) {
  back_.reserve(machine.sm.warps);
}

const MemoryOperation* SharedUnit::back_of(unsigned warp) const {
  for (const Back& one : back_)
    if (one.operation->issue.warp == warp) return one.operation;
  return nullptr;
}

void SharedUnit::begin(MemoryOperation& operation) const {
  SharedRounds& rounds = operation.rounds;
  rounds.conflicts = rounds.total > rounds.groups;
  rounds.unlocks = rounds.returns = false;
  rounds.waiting = operation.shared;
  rounds.locked = 0;
  begin_access(operation);
}

// Starts an access: none of its rounds is done yet. With replays, the rounds of bank conflicts are done in later visits
// to the unit.
void SharedUnit::begin_access(MemoryOperation& operation) const {
  SharedRounds& rounds = operation.rounds;
  rounds.left = rounds.total;
  rounds.visit = replays(operation) ? std::min(rounds.total, rounds.groups) : rounds.total;
  rounds.ticks = 0;
}

void SharedUnit::count_rounds(MemoryOperation& operation, LaneMask lanes) const {
  SharedRounds& rounds = operation.rounds;
  const isa::Access& access = operation.access;
  // A turn in which no lane holds a lock still executes its access.
  rounds.groups = std::max(1U, lane_groups(lanes, lanes_, access.lane_bytes, banks_));
  rounds.total = std::max(1U, bank_rounds(access.address, lanes, lanes_, access.lane_bytes, banks_, false));
  begin_access(operation);
}

unsigned SharedUnit::round_ticks(const MemoryOperation& operation) const {
  const SharedRounds& rounds = operation.rounds;
  if (rounds.total - rounds.left < rounds.groups) return round_ticks_;
  return operation.is_atomic() && !loop_ ? atomic_ticks_ : conflict_ticks_;
}

void SharedUnit::come_back(MemoryOperation& operation, Tick due) {
  operation.rounds.returns = true;
  const auto behind =
      std::upper_bound(back_.begin(), back_.end(), due, [](Tick tick, const Back& one) { return tick < one.due; });
  back_.insert(behind, {&operation, due});
}

void SharedUnit::take_locks(MemoryOperation& operation) {
  SharedRounds& rounds = operation.rounds;
  rounds.locked = 0;
  for (LaneMask left = rounds.waiting; left != 0; left &= left - 1) {
    const std::uint64_t at = word(operation, lowest(left));
    if (locked_[at]) continue;
    locked_[at] = true;
    rounds.locked |= LaneMask{1} << lowest(left);
  }
}

void SharedUnit::give_locks(const MemoryOperation& operation) {
  for (LaneMask left = operation.rounds.locked; left != 0; left &= left - 1)
    locked_[word(operation, lowest(left))] = false;
}

SharedUnit::Result SharedUnit::visit(MemoryOperation& operation, Tick now) {
  SharedRounds& rounds = operation.rounds;
  const bool was_back = back(now) == &operation;
  if (rounds.returns) {
    rounds.returns = false;
    reissued_ |= warp_bit(operation.issue.warp);
  }
  if (rounds.ticks == 0) rounds.ticks = round_ticks(operation);
  Result result;
  if (--rounds.ticks != 0) return result;
  result.round = true;
  --rounds.left;
  if (--rounds.visit != 0) return result;

  result.leaves = true;
  if (was_back) back_.erase(back_.begin());
  if (rounds.left != 0) {  // rounds of bank conflicts are left for a replay
    rounds.visit = std::min(rounds.left, replay_rounds_);
    come_back(operation, now + replay_ticks_);
  } else if (!locks(operation)) {
    result.over = true;
    result.lanes = operation.shared;
  } else if (!rounds.unlocks) {
    take_locks(operation);
    rounds.unlocks = true;
    count_rounds(operation, rounds.locked);
    come_back(operation, now + lock_ticks_);
  } else {
    give_locks(operation);
    result.lanes = rounds.locked;
    rounds.waiting &= ~rounds.locked;
    rounds.unlocks = false;
    result.over = rounds.waiting == 0;
    if (!result.over) {
      count_rounds(operation, rounds.waiting);
      come_back(operation, now + retry_ticks_);
    }
  }
  return result;
}

}  // namespace castor::gpu
