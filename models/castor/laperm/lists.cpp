#include "castor/laperm/lists.h"

#include "castor/base/error.h"

namespace castor::laperm {

ChipLists::ChipLists(const Params& params)
    : level_count_(params.LvlMax), slots_(std::size_t{params.sets()} * params.BankDepth) {
  reset();
}

void ChipLists::reset() {
  free_ = kNoSlot;
  fresh_ = 0;
  levels_ = {};
  head_.fill(kNoSlot);
  tail_.fill(kNoSlot);
  position_ = {};
}

void ChipLists::append(unsigned set, unsigned list, const Item& item) {
  U16 slot = free_;
  if (slot != kNoSlot) {
    free_ = slots_[slot].next;
  } else {
    CASTOR_ASSERT(fresh_ < slots_.size(), "laperm: no slot is free; the policy may not change while items wait");
    slot = static_cast<U16>(fresh_++);
  }
  slots_[slot] = {item, kNoSlot};
  if (head_[list] == kNoSlot) {
    head_[list] = slot;
    levels_[set] |= level_bit(set, list);
  } else {
    slots_[tail_[list]].next = slot;
  }
  tail_[list] = slot;
}

void ChipLists::pop(unsigned set, unsigned list) {
  const U16 slot = head_[list];
  head_[list] = slots_[slot].next;
  slots_[slot].next = free_;
  free_ = slot;
  position_[list] = 0;
  if (head_[list] == kNoSlot) levels_[set] &= ~level_bit(set, list);
}

void MemoryLists::reset() {
  sets_ = 0;
  levels_ = {};
  count_ = {};
  oldest_ = {};
  fetches_ = {};
}

U32 MemoryLists::write(unsigned set, unsigned list, U32 mask) {
  const U32 at = (oldest_[list] + count_[list]) & mask;
  ++count_[list];
  levels_[set] |= U32{1} << (list - set * level_count_);
  sets_ |= U32{1} << set;
  return at;
}

U32 MemoryLists::read(unsigned set, unsigned list, U32 mask) {
  const U32 at = oldest_[list] & mask;
  oldest_[list] = (oldest_[list] + 1) & mask;
  ++fetches_[list];
  if (--count_[list] == 0) {
    levels_[set] &= ~(U32{1} << (list - set * level_count_));
    if (levels_[set] == 0) sets_ &= ~(U32{1} << set);
  }
  return at;
}

}  // namespace castor::laperm
