#include "castor/gpu/sm/icache.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::gpu {

InstructionCache::InstructionCache(const Machine& machine)
    : line_(machine.icache.line),
      line_shift_(static_cast<unsigned>(__builtin_ctz(line_))),
      ways_per_set_(machine.icache.ways),
      ideal_(machine.icache.ideal),
      sets_(std::max(1U, machine.icache.bytes / (machine.icache.line * machine.icache.ways))),
      set_mask_((sets_ & (sets_ - 1)) == 0 ? sets_ - 1 : 0),
      ways_(sets_ * ways_per_set_),
      mshrs_(machine.icache.mshrs) {}

bool InstructionCache::lookup(std::uint64_t line) {
  if (ideal_) return true;
  Way* const set = set_of(line);
  Way* const found = std::find_if(set, set + ways_per_set_, [&](const Way& way) { return way.line == line; });
  if (found == set + ways_per_set_) return false;
  found->used = ++uses_;
  return true;
}

InstructionCache::Miss InstructionCache::miss(std::uint64_t line, unsigned warp, bool can_send) {
  Mshr* free = nullptr;
  for (Mshr& mshr : mshrs_) {
    if (mshr.open && mshr.line == line) {
      mshr.waiters |= WarpMask{1} << warp;
      return Miss::kJoined;
    }
    if (!mshr.open && free == nullptr) free = &mshr;
  }
  if (free == nullptr || !can_send) return Miss::kDropped;
  *free = {line, WarpMask{1} << warp, true};
  return Miss::kRequest;
}

WarpMask InstructionCache::fill(std::uint64_t line) {
  const auto mshr = std::find_if(mshrs_.begin(), mshrs_.end(), [&](const Mshr& m) { return m.open && m.line == line; });
  CASTOR_ASSERT(mshr != mshrs_.end(), "an instruction line arrives without an outstanding fetch");
  mshr->open = false;
  Way* const set = set_of(line);
  Way* const oldest =
      std::min_element(set, set + ways_per_set_, [](const Way& a, const Way& b) { return a.used < b.used; });
  *oldest = {line, ++uses_};
  return mshr->waiters;
}

WarpMask InstructionCache::waiting() const {
  WarpMask result = 0;
  for (const Mshr& mshr : mshrs_) {
    if (mshr.open) result |= mshr.waiters;
  }
  return result;
}

void InstructionCache::forget(WarpMask warps) {
  for (Mshr& mshr : mshrs_) mshr.waiters &= ~warps;
}

}  // namespace castor::gpu
