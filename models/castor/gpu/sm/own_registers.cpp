#include "castor/gpu/sm/own_registers.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"

namespace castor::gpu {

void OwnRegisters::skipped(unsigned w, unsigned reg, const std::byte* value) {
  written(w, reg, 1);
  const std::size_t bytes = warps_.view(w).row_bytes();
  if (!scoreboard_.pending(w, reg)) {
    std::memcpy(place(w, reg), value, bytes);
    return;
  }
  kept_.push_back({static_cast<std::uint8_t>(w), static_cast<std::uint8_t>(reg), {value, value + bytes}});
  keeping_ |= warp_bit(w);
}

void OwnRegisters::settle(unsigned w) {
  if ((keeping_ & warp_bit(w)) == 0) return;
  for (const Kept& one : kept_) {
    if (one.warp != w) continue;
    CASTOR_ASSERT(!scoreboard_.pending(w, one.reg), "register %u of warp %u is pending as its block moves", one.reg, w);
    std::copy(one.value.begin(), one.value.end(), place(w, one.reg));
  }
  drop(w, 0, kAll);
}

void OwnRegisters::drop(unsigned w, unsigned reg, unsigned count) {
  if ((keeping_ & warp_bit(w)) == 0) return;
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [=](const Kept& one) { return one.warp == w && one.reg - reg < count; }),
              kept_.end());
  const bool left = std::any_of(kept_.begin(), kept_.end(), [w](const Kept& one) { return one.warp == w; });
  if (!left) keeping_ &= ~warp_bit(w);
}

}  // namespace castor::gpu
