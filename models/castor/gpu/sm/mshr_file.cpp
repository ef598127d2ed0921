#include "castor/gpu/sm/mshr_file.h"

namespace castor::gpu {

MshrFile::MshrFile(const Machine& machine)
    : merges_(machine.l1.merges), entries_(machine.l1.mshrs), hash_(machine.l1.mshrs, machine.l1.line) {
  for (std::uint32_t i = machine.l1.mshrs; i-- > 0;) free_.push_back(i);
  targets_.reserve(isa::kMaxLanes + std::size_t{4} * machine.l1.mshrs);
}

std::uint32_t MshrFile::take(std::uint64_t line, std::uint8_t sectors, Cycle sent) {
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Entry& entry = entries_[index];
  entry = {};
  entry.line = line;
  entry.sectors = sectors;
  entry.sent = sent;
  entry.used = true;
  return index;
}

std::uint32_t MshrFile::open(std::uint64_t line, std::uint8_t sectors, Cycle sent, std::uint32_t slot) {
  const std::uint32_t index = take(line, sectors, sent);
  entries_[index].slot = slot;
  entries_[index].open = true;
  hash_.insert(index, line);
  return index;
}

void MshrFile::add_target(std::uint32_t entry, const Target& target) {
  std::uint32_t index = free_target_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(targets_.size());
    targets_.push_back(target);
  } else {
    free_target_ = targets_[index].next;
    targets_[index] = target;
  }
  targets_[index].next = kNone;
  Entry& to = entries_[entry];
  (to.first == kNone ? to.first : targets_[to.last].next) = index;
  to.last = index;
  ++to.targets;
}

void MshrFile::close(std::uint32_t entry) {
  entries_[entry].open = false;
  entries_[entry].slot = L1Cache::kNone;
  hash_.erase(entry);
}

void MshrFile::free(std::uint32_t entry) {
  Entry& from = entries_[entry];
  if (from.open) close(entry);
  if (from.first != kNone) {
    targets_[from.last].next = free_target_;
    free_target_ = from.first;
  }
  from.used = false;
  free_.push_back(entry);
}

}  // namespace castor::gpu
