#include "castor/gpu/sm/scoreboard.h"

#include <algorithm>

namespace castor::gpu {

void Scoreboard::expect_writes(unsigned w, const Decoded& decoded, Tick tick, Tick earliest,
                               MemoryOperation* operation) {
  SmEvent event;
  event.kind = operation == nullptr ? SmEvent::Kind::kWritten : SmEvent::Kind::kLoaded;
  event.warp = static_cast<std::uint8_t>(w);
  event.first = decoded.dst;
  // Registers written in the same tick share an event.
  Tick slots[16];
  unsigned left = 0;
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    const unsigned reg = decoded.dst + i;
    slots[i] = pipelines_.reserve_write(reg, w, earliest);
    expect(w, reg);
    left |= 1U << i;
  }
  Tick when = earliest;
  if (decoded.predicates_written != 0) {
    pending_predicates_[w] |= decoded.predicates_written;
    event.predicates = decoded.predicates_written;
  } else if (left != 0) {
    when = *std::min_element(slots, slots + decoded.dst_count);
  } else if (operation == nullptr) {
    return;  // the instruction writes nothing
  }
  // The data of a load are written to all its rows with the first event.
  event.operation = operation;
  for (;;) {
    unsigned same = 0;
    for (unsigned bits = left; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(bits));
      if (slots[i] == when) same |= 1U << i;
    }
    event.registers = static_cast<std::uint16_t>(same);
    wheel_.add(tick, when + 1, event);
    left &= ~same;
    if (left == 0) return;
    event.operation = nullptr;
    event.predicates = 0;
    when = slots[__builtin_ctz(left)];
    for (unsigned bits = left; bits != 0; bits &= bits - 1) when = std::min(when, slots[__builtin_ctz(bits)]);
  }
}

}  // namespace castor::gpu
