#include "castor/gpu/sm/spin_watch.h"

#include <algorithm>
#include <cstring>

namespace castor::gpu {

void SpinWatch::open(base::Cycle since) {
  open_ = true;
  since_ = since;
  repeating_ = 0;
  for (Remembered& warp : warps_) warp.replace_after = 0;
}

bool SpinWatch::same(const Remembered& before, const State& now) {
  const auto& entries = now.stack->entries();
  const auto equal = [](const isa::SimtStack::Entry& a, const isa::SimtStack::Entry& b) {
    return a.pc == b.pc && a.reconvergence == b.reconvergence && a.mask == b.mask && a.frame == b.frame;
  };
  return before.stack.size() == entries.size() && before.live == now.stack->live() &&
         before.registers.size() == now.register_bytes &&
         std::equal(entries.rbegin(), entries.rend(), before.stack.rbegin(), equal) &&
         std::equal(before.predicates, before.predicates + 8, now.predicates) &&
         std::memcmp(before.registers.data(), now.registers, now.register_bytes) == 0;
}

void SpinWatch::compare(unsigned warp, const State& state) {
  Remembered& before = warps_[warp];
  if (before.replace_after != 0 && same(before, state)) {
    repeating_ |= WarpMask{1} << warp;
    return;
  }
  if (before.replace_after != 0 && ++before.looks < before.replace_after) return;
  before.stack = state.stack->entries();
  before.live = state.stack->live();
  std::copy(state.predicates, state.predicates + 8, before.predicates);
  before.registers.assign(state.registers, state.registers + state.register_bytes);
  before.replace_after = before.replace_after == 0 ? 1 : before.replace_after * 2;
  before.looks = 0;
  before.polls.clear();
  before.more = false;
}

void SpinWatch::reads(unsigned warp, const Poll& poll) {
  if (!notes_reads(warp)) return;
  Remembered& reader = warps_[warp];
  const bool known = std::any_of(reader.polls.begin(), reader.polls.end(), [&](const Poll& other) {
    return other.address == poll.address && other.shared == poll.shared;
  });
  if (known) return;
  if (reader.polls.size() == kPolls) {
    reader.more = true;
  } else {
    reader.polls.push_back(poll);
  }
}

}  // namespace castor::gpu
