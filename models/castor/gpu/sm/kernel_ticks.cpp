#include "castor/gpu/sm/kernel_ticks.h"

namespace castor::gpu {

unsigned KernelTicks::find_owner() const {
  unsigned owner = none_;
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const unsigned entry = tbs_[lowest(left)].kernel->entry;
    if (owner != none_ && owner != entry) return several_;
    owner = entry;
  }
  return owner;
}

void KernelTicks::settle() {
  accounting_.flush();
  SmTime now;
  now.ticks = counters_.ticks;
  now.warps = counters_.occupancy_warps_sum;
  for (const auto& scheduler : counters_.stall) {
    for (std::size_t i = 0; i < kStallClasses; ++i) now.stalls[i] += scheduler[i];
  }
  SmTime& owner = times_[owner_];
  owner.ticks += now.ticks - settled_.ticks;
  owner.warps += now.warps - settled_.warps;
  for (std::size_t i = 0; i < kStallClasses; ++i) owner.stalls[i] += now.stalls[i] - settled_.stalls[i];
  settled_ = now;
}

}  // namespace castor::gpu
