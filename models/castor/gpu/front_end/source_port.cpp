#include "castor/gpu/front_end/source_port.h"

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {

SourcePort::SourcePort(SourceOrder* order, unsigned sms, const HookMount& place) : order_(order) {
  shown_.lists.resize(sms);
  in_.lists = {shown_.lists.data(), shown_.lists.size()};
  in_.eligible = &shown_.queues;
  if (order != nullptr) mounted_.emplace(*order, "source_order", place);
}

Maybe<SourcePick> SourcePort::settle(const Sources& sources, Cycle now) {
  shown_ = sources;
  in_.now = now;
  in_.lists = {shown_.lists.data(), shown_.lists.size()};
  in_.returns = shown_.returns;
  in_.reg = mounted_->access();
  const SourceOut& out = order_->settle(in_);
  mounted_->take(out.reg, now);
  return out.pick && ready(*out.pick) ? out.pick : std::nullopt;
}

// Returns whether a pick is still valid: a source picked in an earlier cycle may have become unavailable.
bool SourcePort::ready(const SourcePick& pick) const {
  switch (pick.kind) {
    case SourcePick::Kind::kReturn:
      return shown_.returns;
    case SourcePick::Kind::kQueue:
      CASTOR_HOOK_CHECK(*order_, in_.now, pick.queue < shown_.queues.size(), "source order picks queue %u", pick.queue);
      return shown_.queues[pick.queue];
    case SourcePick::Kind::kList:
      break;
  }
  CASTOR_HOOK_CHECK(*order_, in_.now, pick.sm < shown_.lists.size() && pick.level >= 1 && pick.level <= 16,
                    "source order picks a list of SM %u, level %u", pick.sm, pick.level);
  return (shown_.lists[pick.sm] >> (pick.level - 1) & 1U) != 0;
}

void SourcePort::clock(Cycle now) {
  in_.now = now;
  in_.reg = mounted_->access();
  order_->clock(in_);
}

}  // namespace castor::gpu
