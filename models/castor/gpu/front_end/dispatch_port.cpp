#include "castor/gpu/front_end/dispatch_port.h"

#include "castor/base/error.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {

DispatchPort::DispatchPort(const FrontEndParts& parts)
    : DispatchPort(parts.hooks.dispatch, parts.place, parts.ledger,
                   parts.memory.client(FrontEndMemory::User::kDispatchPolicy), parts.events) {}

DispatchPort::DispatchPort(DispatchPolicy* policy, const HookMount& place, const ResourceView& room,
                           MemoryClient& memory, const HookEvents& events)
    : policy_(policy), memory_(memory), events_(events), checks_(!place.machine.run.sleep) {
  in_.room = &room;
  if (policy != nullptr) mounted_.emplace(*policy, "dispatch_policy", place, &memory);
}

const Maybe<Placement>& DispatchPort::settle(const KdMask& fits, const SmMask& open, const Quota* quota, Cycle now,
                                             const KdMask* withheld) {
  in_.now = now;
  in_.fits = &fits;
  in_.open = open;
  in_.quota = quota;
  in_.withheld = withheld;
  in_.push.reset();
  in_.taken = false;
  in_.reply.reset();
  if (memory_.has_reply(now)) {
    in_.reply = memory_.reply();
    memory_.pop();
  }
  in_.ev = events_.with(mounted_->access());
  if (checks_) settle_early();
  const DispatchOut& out = policy_->settle(in_);
  CASTOR_HOOK_CHECK(
      *policy_, now,
      !checks_ || (out.push_ready == push_ready_ && out.attach_ready == attach_ready_ && out.hold == hold_),
      "dispatch policy changes push_ready, attach_ready or hold after settle: these outputs may depend on its state "
      "only");
  push_ready_ = out.push_ready;
  attach_ready_ = out.attach_ready;
  push_groups_ = out.push_groups;
  hold_ = out.hold;
  mounted_->take(out.reg, now);
  state_.fits_head = out.fits_head;
  state_.bound_wait = out.bound_wait;
  state_.ready = out.ready;
  return out.place;
}

// Calls `settle` before the inputs of the cycle are known, in runs that check that the early outputs depend only on the
// policy's state.
void DispatchPort::settle_early() {
  const KdMask nothing;
  DispatchIn early = in_;
  early.fits = &nothing;
  early.open.reset();
  early.ev = {};
  early.reply.reset();
  const DispatchOut& out = policy_->settle(early);
  push_ready_ = out.push_ready;
  attach_ready_ = out.attach_ready;
  hold_ = out.hold;
}

void DispatchPort::clock(Cycle now) {
  in_.now = now;
  in_.push = events_.all().pushed;
  in_.ev = events_.with(mounted_->access());
  policy_->clock(in_);
}

}  // namespace castor::gpu
