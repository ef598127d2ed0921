#include "castor/gpu/functional/spin_check.h"

#include <algorithm>

namespace castor::gpu::functional {

void SpinCheck::look(std::uint64_t now, std::uint64_t blocks) {
  if (watching_) {
    if (now >= end_) disturb(now);
    return;
  }
  if (now - quiet_since_ < kQuiet * length_) return;
  watching_ = true;
  ++number_;
  end_ = now + std::max(length_, kTurns * kTurn * blocks);
}

void SpinCheck::disturb(std::uint64_t now) {
  watching_ = false;
  quiet_since_ = now;
  if (length_ < kLongest) length_ *= 2;
}

}  // namespace castor::gpu::functional
