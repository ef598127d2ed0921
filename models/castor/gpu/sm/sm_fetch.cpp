// Fetch and decode of an SM: steps S6 and S7.

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_filter.h"
#include "castor/gpu/sm/sm_hook_state.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

WarpMask Sm::fetch_eligible() const {
  const WarpMask may = warps_.live() & ~fetch_out_ & ~unfetchable_;
  return machine_.ibuffer.refill == IbufferRefill::kEmpty ? may & ~buffer_.valid() : may & ~buffer_.full();
}

void Sm::fetch(WarpMask eligible) {
  const WarpMask held = hook_state_->fetch_held();
  eligible &= warps_.live() & ~held;
  for (unsigned n = 0; n < machine_.fetch.warps && eligible != 0; ++n) {
    const unsigned w = next_after(eligible, last_fetched_);
    eligible &= ~warp_bit(w);
    last_fetched_ = static_cast<std::uint8_t>(w);
    const WarpState& warp = warps_[w];
    const std::uint32_t pc = warp.pc + buffer_.size(w);
    const std::uint64_t address = warp.code_base + std::uint64_t{8} * pc;
    const auto to_line_end = static_cast<unsigned>((icache_.line_of(address) + icache_.line_bytes() - address) / 8);
    const auto to_code_end = static_cast<unsigned>(warp.code_size - pc);
    const unsigned room = machine_.ibuffer.entries - buffer_.size(w);
    fetching_[w] = static_cast<std::uint8_t>(std::min({machine_.fetch.insns, room, to_line_end, to_code_end}));
    fetch_out_ |= warp_bit(w);
    decode_next_ |= warp_bit(w);
    ++counters_.fetches;
    busy_ = true;
  }
}

void Sm::fetched(std::uint64_t line) {
  filled_ |= icache_.fill(line);
  busy_ = true;
}

// Looks for the line of a fetch that is out; on a miss it is asked for.
[[gnu::always_inline]] inline bool Sm::instructions_present(unsigned w) {
  const WarpState& warp = warps_[w];
  const std::uint64_t address = warp.code_base + std::uint64_t{8} * (warp.pc + buffer_.size(w));
  const std::uint64_t line = icache_.line_of(address);
  if (icache_.lookup(line)) return true;
  ++counters_.icache_misses;
  switch (icache_.miss(line, w, memory_side_.can_fetch())) {
    case InstructionCache::Miss::kRequest:
      memory_side_.fetch(line, warp.tb);
      break;
    case InstructionCache::Miss::kJoined:
      break;
    case InstructionCache::Miss::kDropped:
      fetch_out_ &= ~warp_bit(w);
      break;
  }
  return false;
}

bool Sm::instructions_of_filter(unsigned w) { return instructions_present(w); }

void Sm::decode(WarpMask arrived) {
  WarpMask due = decode_next_ | arrived;
  decode_next_ = 0;
  busy_ = true;
  if (filter_ != nullptr) due = filter_decode(due);
  for (; due != 0; due &= due - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctzll(due));
    const WarpState& warp = warps_[w];
    const std::uint32_t first = warp.pc + buffer_.size(w);
    if ((arrived & warp_bit(w)) == 0 && !instructions_present(w)) continue;
    fetch_out_ &= ~warp_bit(w);
    unsigned taken = 0;
    bool ends = false;
    while (taken < fetching_[w] && !ends) {
      // Behind a control transfer, and where the paths of a branch meet, the next instruction may be another one.
      ends = (warp.decoded[first + taken].flags & kEndsDecode) != 0 || first + taken + 1 == warp.meeting;
      ++taken;
    }
    counters_.wasted_fetches += fetching_[w] - taken;
    buffer_.fill(w, taken, ends);
  }
}

}  // namespace castor::gpu
