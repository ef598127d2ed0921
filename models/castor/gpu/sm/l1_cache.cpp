#include "castor/gpu/sm/l1_cache.h"

namespace castor::gpu {

L1Cache::L1Cache(const Machine& machine)
    : ways_(machine.l1.ways),
      hash_sets_(machine.l1.set_hash == AddressHash::kXor),
      line_shift_(static_cast<unsigned>(__builtin_ctz(machine.l1.line))),
      set_mask_((std::uint64_t{1} << (31 - static_cast<unsigned>(__builtin_clz(machine.l1.sets)))) - 1),
      words_per_set_((machine.l1.ways + 63) / 64),
      lines_(std::size_t{machine.l1.sets} * machine.l1.ways),
      data_(lines_.size()),
      sets_(machine.l1.sets),
      free_(std::size_t{machine.l1.sets} * words_per_set_, 0),
      hash_(lines_.size(), machine.l1.line),
      owned_(machine.sm.tb_contexts, 0) {
  for (std::size_t set = 0; set < sets_.size(); ++set)
    for (unsigned way = 0; way < ways_; ++way) {
      free_[set * words_per_set_ + way / 64] |= std::uint64_t{1} << (way % 64);
      lines_[set * ways_ + way].set = static_cast<std::uint32_t>(set);
    }
}

std::uint32_t L1Cache::way_for(std::uint64_t line) const {
  const std::uint32_t set = set_of(line);
  for (unsigned word = 0; word < words_per_set_; ++word) {
    const std::uint64_t free = free_[std::size_t{set} * words_per_set_ + word];
    if (free != 0) return set * ways_ + word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(free));
  }
  std::uint32_t slot = sets_[set].oldest;
  while (slot != kNone && lines_[slot].claims != 0) slot = lines_[slot].newer;
  return slot;
}

void L1Cache::place(std::uint32_t slot, std::uint64_t line, std::uint16_t owner) {
  Line& to = lines_[slot];
  if (to.present) {
    drop(slot);
  } else {
    const std::uint32_t way = slot - to.set * ways_;
    free_[std::size_t{to.set} * words_per_set_ + way / 64] &= ~(std::uint64_t{1} << (way % 64));
  }
  to.address = line;
  to.stamp = 0;
  to.valid = to.dirty = {};
  to.claims = 0;
  to.owner = owner;
  if (owner != kNobody) ++owned_[owner];
  to.present = true;
  hash_.insert(slot, line);
  link_newest(slot);
}

void L1Cache::touch(std::uint32_t slot) {
  if (lines_[slot].newer == kNone) return;
  unlink(slot);
  link_newest(slot);
}

void L1Cache::release(std::uint32_t slot) {
  const std::uint32_t set = lines_[slot].set;
  const std::uint32_t way = slot - set * ways_;
  free_[std::size_t{set} * words_per_set_ + way / 64] |= std::uint64_t{1} << (way % 64);
  drop(slot);
  lines_[slot].present = false;
}

void L1Cache::drop(std::uint32_t slot) {
  if (lines_[slot].owner != kNobody) --owned_[lines_[slot].owner];
  hash_.erase(slot);
  unlink(slot);
}

void L1Cache::unlink(std::uint32_t slot) {
  Set& set = sets_[lines_[slot].set];
  const Line& line = lines_[slot];
  (line.older == kNone ? set.oldest : lines_[line.older].newer) = line.newer;
  (line.newer == kNone ? set.newest : lines_[line.newer].older) = line.older;
}

void L1Cache::link_newest(std::uint32_t slot) {
  Set& set = sets_[lines_[slot].set];
  Line& line = lines_[slot];
  line.older = set.newest;
  line.newer = kNone;
  (set.newest == kNone ? set.oldest : lines_[set.newest].newer) = slot;
  set.newest = slot;
}

}  // namespace castor::gpu
