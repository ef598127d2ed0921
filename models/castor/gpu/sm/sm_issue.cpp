// Issue: step S5 of an SM.

#include "castor/base/error.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_hook_state.h"

namespace castor::gpu {

// What is combinational in a tick depends only on what stands before it: state -> early outputs of hooks -> ready warps
// -> picks of the issue policy -> fetch filter -> commits.
void Sm::issue() {
  const std::uint8_t barrier_ok = hook_state_->barrier_ok;
  if (!issue_.look(clock_.tick(), barrier_ok)) {
    // An issue policy decides about nothing but barriers while nothing is ready.
    if (hooks_.issue != nullptr) settle_issue(0, 0);
    return;
  }
  issue_.judge(clock_.tick(), barrier_ok, filter_ != nullptr);
  if (hooks_.issue != nullptr) {
    settle_issue(issue_.ready(), issue_.offered());
  } else {
    issue_.pick();
  }
  if (filter_ != nullptr) settle_filter();
  if (issue_.ready() != 0) {
    issue_.commit(clock_.tick(), [this](unsigned scheduler, unsigned w) { return execute(scheduler, w); });
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
    if (filter_ != nullptr && filter_issues(scheduler, w, record, decoded, mask)) return lanes;
  }
  executor_.execute(scheduler, w, record, decoded, mask);
  return lanes;
}

}  // namespace castor::gpu
