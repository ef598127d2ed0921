// Issue: step S5 of an SM.

#include "castor/base/error.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

// What is combinational in a tick depends only on what stands before it: state -> early outputs of hooks -> ready warps
// -> picks of the issue policy -> fetch filter -> commits.
void Sm::issue() {
  const Tick tick = clock_.tick();
  const std::uint8_t barrier_ok = hooks_.barrier_ok();
  const bool changed = issue_.look(tick, barrier_ok);
  if (changed) issue_.judge(tick, barrier_ok, filter_ != nullptr);
  if (hooks_.picks()) {
    HookPort::Offer offer;
    offer.valid = buffer_.valid();
    offer.long_wait = buffer_.valid() & ~scoreboard_.clear() & scoreboard_.waits_load();
    offer.ready = issue_.ready();
    offer.offered = issue_.offered();
    if (issue_.schedulers().by_class()) offer.issue_class = issue_.issue_classes();
    hooks_.settle(offer, issue_.picks());
  } else if (changed) {
    issue_.pick();
  }
  if (!changed) return;
  if (filter_ != nullptr) filter_->settle(issue_.picks(), hooks_.start());
  if (issue_.ready() != 0) {
    issue_.commit(tick, [this](unsigned scheduler, unsigned w) { return execute(scheduler, w); });
  }
  issue_.classify();
  busy_ |= issue_.acted();
}

// The head of a warp's buffer issues.
[[gnu::always_inline]] inline unsigned Sm::execute(unsigned scheduler, unsigned w) {
  const WarpState& warp = warps_[w];
  const isa::Record& record = warp.records[warp.pc];
  const Decoded& decoded = warp.decoded[warp.pc];
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  const unsigned lanes =
      mask == warps_.all_lanes() ? warps_.lanes() : static_cast<unsigned>(__builtin_popcountll(mask));
  CASTOR_ASSERT_AT(clock_.now(), (buffer_.valid() & scoreboard_.clear() & warp_bit(w)) != 0,
                   "warp %u of SM %u issues with a register pending", w, index());
  counter_.count(warp.tb, decoded, lanes);
  if (watched_) {
    if (counter_.observed()) counter_.tell(scheduler, w, warp, mask);
    if (filter_ != nullptr && filter_->issue(scheduler, w, record, decoded, mask)) return lanes;
  }
  executor_.execute(scheduler, w, record, decoded, mask);
  return lanes;
}

}  // namespace castor::gpu
