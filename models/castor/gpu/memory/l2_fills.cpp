#include "castor/gpu/memory/l2_fills.h"

#include "castor/gpu/memory/store_access.h"

namespace castor::gpu {

L2Fills::L2Fills(unsigned entries, unsigned merges, TagArray& tags) : merges_(merges), tags_(tags), entries_(entries) {
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i) entries_[i].next = static_cast<std::int32_t>(i + 1);
}

std::size_t L2Fills::waiting() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    for (std::int32_t e = tags_.line(i).first; e != kNone; e = entries_[static_cast<std::size_t>(e)].next) {
      count += entries_[static_cast<std::size_t>(e)].count;
    }
  }
  return count;
}

std::uint32_t L2Fills::open(Transaction& transaction, std::size_t way, std::uint8_t sectors) {
  MemoryRequest& request = transaction.request;
  const std::int32_t index = free_;
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  free_ = entry.next;
  ++in_use_;
  request.next = nullptr;
  request.missed = true;
  entry = {&transaction, &transaction, 1, static_cast<std::uint32_t>(way), kNone, sectors, false};
  TagArray::Line& line = tags_.line(way);
  if (line.first == kNone) {
    line.first = index;
  } else {
    entries_[static_cast<std::size_t>(line.last)].next = index;
  }
  line.last = index;
  line.pending |= sectors;
  if (request.is_write()) line.pending |= whole_sectors(request);
  return static_cast<std::uint32_t>(index);
}

void L2Fills::join(Transaction& transaction, std::size_t way) {
  MemoryRequest& request = transaction.request;
  Entry& entry = entries_[last(way)];
  request.next = nullptr;
  request.missed = true;
  entry.last->request.next = &transaction;
  entry.last = &transaction;
  ++entry.count;
  if (request.is_write()) tags_.line(way).pending |= whole_sectors(request);
}

bool L2Fills::set_aside(std::uint32_t index) {
  Entry& entry = entries_[index];
  if (tags_.line(entry.way).first == static_cast<std::int32_t>(index)) return false;
  entry.filled = true;
  return true;
}

Transaction& L2Fills::serve() {
  Entry& entry = entries_[static_cast<std::size_t>(serving_)];
  Transaction& waiter = *entry.first;
  tags_.line(entry.way).valid |= entry.sectors;
  entry.first = waiter.request.next;
  if (--entry.count == 0) finish(serving_);
  return waiter;
}

void L2Fills::finish(std::int32_t index) {
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  TagArray::Line& line = tags_.line(entry.way);
  line.first = entry.next;
  serving_ = kNone;
  if (line.first == kNone) {
    line.last = kNone;
    line.pending = 0;
  } else if (entries_[static_cast<std::size_t>(line.first)].filled) {
    serving_ = line.first;
  }
  entry.next = free_;
  free_ = index;
  --in_use_;
}

}  // namespace castor::gpu
