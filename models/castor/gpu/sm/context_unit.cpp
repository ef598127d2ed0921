#include "castor/gpu/sm/context_unit.h"

#include <algorithm>
#include <cstring>

namespace castor::gpu {

bool ContextUnit::only_waits(const TbState& tb, WarpMask busy_warps) const {
  if (tb.killed || (tb.live & ~(runtime_.await_children() | blocked_.held_at_barrier())) != 0) return false;
  if ((tb.warps & busy_warps) != 0) return false;
  for (WarpMask left = tb.live; left != 0; left &= left - 1) {
    if (!scoreboard_.quiet(lowest(left))) return false;
  }
  return true;
}

void ContextUnit::look(WarpMask busy_warps) {
  if (!suspends_) return;
  for (WarpMask left = runtime_.await_children(); left != 0; left &= left - 1) {
    const unsigned context = warps_[lowest(left)].tb;
    if ((in_saving_ >> context & 1) != 0 || !only_waits(tbs_[context], busy_warps)) continue;
    in_saving_ |= TbMask{1} << context;
    runtime_.keep_waiting(tbs_[context].warps);
    saving_.push_back({context, clock_.tick() + context_move_time(machine_, tbs_[context].kernel->need)});
  }
}

int ContextUnit::due() const {
  for (const Saving& one : saving_) {
    if (one.until <= clock_.tick()) return static_cast<int>(one.context);
  }
  return -1;
}

Tick ContextUnit::next() const {
  Tick next = base::kForever;
  for (const Saving& one : saving_) next = std::min(next, std::max(one.until, clock_.tick() + 1));
  return next;
}

void ContextUnit::forget(unsigned context) {
  if ((in_saving_ >> context & 1) == 0) return;
  in_saving_ &= ~(TbMask{1} << context);
  saving_.erase(
      std::find_if(saving_.begin(), saving_.end(), [context](const Saving& one) { return one.context == context; }));
}

void ContextUnit::save(unsigned context, SuspendedTb& saved) {
  forget(context);
  const TbState& tb = tbs_[context];
  saved.kernel = tb.kernel;
  saved.item = tb.item;
  saved.gid = tb.gid;
  saved.group = tb.group;
  saved.caller = runtime_.caller(context);
  saved.warp_instructions = tb.warp_instructions;
  saved.thread_instructions = tb.thread_instructions;
  saved.barriers = tb.barriers;
  saved.shared.assign(tb.shared.data(), tb.shared.data() + tb.kernel->shared_bytes);
  memory_.save_local(context, saved.local);
  const std::size_t row_bytes = std::size_t{tb.kernel->program->registers} * warps_.lanes() * 4;
  saved.warps.resize(tb.warp_count);
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned w = tb.slots[i];
    SuspendedWarp& to = saved.warps[i];
    to.live = (tb.live & warp_bit(w)) != 0;
    if (!to.live) continue;
    const WarpState& warp = warps_[w];
    to.at_barrier = (blocked_.held_at_barrier() & warp_bit(w)) != 0;
    to.pc = warp.pc;
    to.meeting = warp.meeting;
    to.stack = warp.stack;
    std::copy(std::begin(warp.predicates), std::end(warp.predicates), to.predicates.begin());
    to.registers.assign(warp.registers, warp.registers + row_bytes);
    to.barrier = warp.barrier;
    to.runtime = runtime_.take_values(w);
  }
}

Tick ContextUnit::restore(unsigned context, const SuspendedTb& saved) {
  tbs_.restore(context, saved);
  const TbState& tb = tbs_[context];
  WarpMask exited = 0;
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned w = tb.slots[i];
    const SuspendedWarp& from = saved.warps[i];
    if (!from.live) {
      exited |= warp_bit(w);
      continue;
    }
    warps_.restore(w, from);
    runtime_.give_values(w, from.runtime.get());
    if (from.at_barrier) blocked_.wait_at_barrier(w);
  }
  warps_.stop(exited);
  runtime_.give_caller(context, saved.caller);
  memory_.forget_local(context);
  return context_move_time(machine_, tb.kernel->need);
}

}  // namespace castor::gpu
