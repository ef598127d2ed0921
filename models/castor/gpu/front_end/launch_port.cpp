#include "castor/gpu/front_end/launch_port.h"

namespace castor::gpu {

LaunchPort::LaunchPort(LaunchUnit* unit, const HookMount& place, const HookEvents& events)
    : unit_(unit), events_(events) {
  if (unit != nullptr) mounted_.emplace(*unit, "launch_unit", place);
}

const LaunchOut& LaunchPort::settle(const Maybe<GroupBeat>& beat, const KernelKeys& keys, bool attach_ready,
                                    Cycle now) {
  in_.now = now;
  in_.beat = beat;
  in_.keys = &keys;
  in_.attach_ready = attach_ready;
  in_.ev = events_.with(mounted_->access());
  const LaunchOut& out = unit_->settle(in_);
  mounted_->take(out.reg, now);
  hold_ = out.hold;
  stirred_ = beat || out.attach || out.fallback || mounted_->access();
  return out;
}

void LaunchPort::clock(Cycle now) {
  in_.now = now;
  in_.ev = events_.with(mounted_->access());
  unit_->clock(in_);
}

}  // namespace castor::gpu
