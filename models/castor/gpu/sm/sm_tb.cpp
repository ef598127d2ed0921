// Thread blocks of an SM: start, barriers, fences, calls into the runtime, retire (steps S0 and S8).

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/execution/warp_start.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

void Sm::start_tb(const TbStartMessage& message) {
  watch_.disturb();
  const bool first = tbs_.resident() == 0;
  const unsigned context = tbs_.start(message, warps_.used(), clock_.now(), clock_.tick());
  const TbState& tb = tbs_[context];
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned slot = tb.slots[i];
    warps_.start(slot, {tb.kernel, tb.program, tb.index, context, i});
    fetch_.start(slot);
    buffer_.start(slot);
    scoreboard_.start(slot);
  }
  warps_.admit(tb.warps, message.level != 0);
  issue_.placed(tb.warps);
  fetch_.hold_back(tb.warps, clock_.tick(), tbs_.setup_ticks(message));
  if (hooks_.any()) {
    TbStartEvent event;
    event.tb = static_cast<std::uint8_t>(context);
    event.warps = tb.warps;
    for (WarpMask left = tb.warps; left != 0; left &= left - 1) {
      if (warps_[lowest(left)].stack.live() == warps_.all_lanes()) event.full |= warp_bit(lowest(left));
    }
    event.gid = static_cast<std::uint32_t>(tb.gid);
    event.entry = tb.kernel->entry;
    if (filter_ != nullptr) filter_->start(tb, context, event);
    hooks_.started(event, first);
  }
  if (tbs_.killed(*tb.kernel)) stop_tb(context);
}

// --- S8 --------------------------------------------------------------------------------------------------------------

void Sm::bookkeeping() {
  if (barriers_.any()) meet_barriers();
  if (blocked_.fences_over(scoreboard_.memory_busy()) != 0) end_fences();
  if (const WarpMask due = blocked_.calls_due(scoreboard_.memory_busy()); due != 0) {
    calls_.ask(due);
    busy_ = true;
  }
  if (tbs_.finished() != 0) retire_one();
}

void Sm::meet_barriers() {
  busy_ = true;
  watch_.disturb();
  barriers_.meet();
  if (filter_ == nullptr) return;
  for (const Barriers::Completed& one : barriers_.completed()) filter_->barrier_met(one.context, one.barrier);
}

void Sm::end_fences() {
  const WarpMask done = blocked_.fences_over(scoreboard_.memory_busy());
  for (WarpMask left = done; left != 0; left &= left - 1) {
    tbs_.acquire(warps_[lowest(left)].tb, clock_.now());
  }
  blocked_.end_fences(done);
  busy_ = true;
}

std::optional<Fault> Sm::serve(unsigned w, DeviceServices& services, Cycle resume) {
  wake_at(resume);
  return calls_.serve(w, services, resume);
}

// --- End of TBs ------------------------------------------------------------------------------------------------------

void Sm::retire_one() {
  busy_ |= !tbs_.may_retire(clock_.tick());
  const WarpMask under_way = scoreboard_.memory_busy() | scoreboard_.in_flight() |
                             (blocked_.in_call() & ~blocked_.before_call()) | blocked_.releasing() | fetch_.held_back();
  const std::optional<unsigned> context = tbs_.next_to_retire(under_way, done_credits_, clock_.now(), clock_.tick());
  if (!context) return;
  watch_.disturb();
  const WarpMask warps = tbs_[*context].warps;
  CASTOR_ASSERT_AT(clock_.now(), (warps & scoreboard_.memory_busy()) == 0,
                   "a TB retires from SM %u with accesses under way", index());
  outbox_.retire(tbs_.retire(*context, clock_.now(), clock_.tick()));
  issue_.left(warps);
  memory_side_.tb_retired(*context);
  warps_.release(warps);
  hooks_.retired(*context);
  if (filter_ != nullptr) filter_->retired(*context);
  busy_ = true;
}

void Sm::kill(const KernelContext& kernel, Cycle visible) {
  tbs_.kill(kernel, visible);
  wake_at(visible);
}

void Sm::stop_kernel(const KernelContext& kernel) {
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    if (tbs_[lowest(left)].kernel == &kernel) stop_tb(lowest(left));
  }
}

void Sm::stop_tb(unsigned context) {
  const TbState& tb = tbs_[context];
  if (tb.killed) return;
  if (filter_ != nullptr) filter_->stop(tb);
  warps_.stop(tb.warps);
  buffer_.stop(tb.warps);
  fetch_.stop(tb.warps);
  blocked_.stop(tb.warps);
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) scoreboard_.stop(lowest(left));
  tbs_.stop(context);
}

}  // namespace castor::gpu
