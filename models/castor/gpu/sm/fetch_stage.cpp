#include "castor/gpu/sm/fetch_stage.h"

#include <algorithm>

namespace castor::gpu {

void FetchStage::stop(WarpMask warps) {
  out_ &= ~warps;
  due_ &= ~warps;
  filled_ &= ~warps;
  icache_.forget(warps);
}

[[gnu::always_inline]] inline bool FetchStage::look_for(unsigned w) {
  const std::uint64_t line = this->line(w);
  if (icache_.lookup(line)) return true;
  ++counters_.icache_misses;
  switch (icache_.miss(line, w, memory_.can_fetch())) {
    case InstructionCache::Miss::kRequest:
      memory_.fetch(line, warps_[w].tb);
      break;
    case InstructionCache::Miss::kJoined:
      break;
    case InstructionCache::Miss::kDropped:
      out_ &= ~warp_bit(w);
      break;
  }
  return false;
}

bool FetchStage::present(unsigned w) { return look_for(w); }

void FetchStage::decode(WarpMask due) {
  for (; due != 0; due &= due - 1) {
    const unsigned w = lowest(due);
    const WarpState& warp = warps_[w];
    const std::uint32_t first = warp.pc + buffer_.size(w);
    if ((arrived_ & warp_bit(w)) == 0 && !look_for(w)) continue;
    unsigned taken = 0;
    bool ends = false;
    while (taken < fetching_[w] && !ends) {
      // Decode ends after a control transfer and at a reconvergence PC, because the next instruction may be at another
      // address.
      ends = (warp.decoded[first + taken].flags & kEndsDecode) != 0 || first + taken + 1 == warp.meeting;
      ++taken;
    }
    deliver(w, taken, ends);
  }
}

bool FetchStage::fetch(WarpMask eligible) {
  bool fetched = false;
  for (unsigned n = 0; n < warps_per_tick_ && eligible != 0; ++n) {
    const unsigned w = next_after(eligible, last_);
    eligible &= ~warp_bit(w);
    last_ = static_cast<std::uint8_t>(w);
    const std::uint64_t address = this->address(w);
    const auto to_line_end = static_cast<unsigned>((icache_.line_of(address) + icache_.line_bytes() - address) / 8);
    const unsigned to_code_end = warps_[w].code_size - (warps_[w].pc + buffer_.size(w));
    const unsigned room = buffer_.entries() - buffer_.size(w);
    fetching_[w] = static_cast<std::uint8_t>(std::min({instructions_, room, to_line_end, to_code_end}));
    out_ |= warp_bit(w);
    due_ |= warp_bit(w);
    ++counters_.fetches;
    fetched = true;
  }
  return fetched;
}

}  // namespace castor::gpu
