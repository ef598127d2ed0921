#include "castor/gpu/front_end/pending_pool.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kNext = 0x38;  // offset in a launch record: address of the next record of the list
constexpr std::uint32_t kLink = 0;     // tag of link writes; reads have their list's number + 1 as tag

}  // namespace

PendingPool::PendingPool(const Machine& machine, const SourceOrder* order, MemoryClient& memory)
    : places_(machine.pool.window), memory_(memory) {
  if (order != nullptr) {
    levels_ = order->listing().levels;
    by_sm_ = order->listing().by_sm;
    CASTOR_ASSERT(levels_ >= 1 && levels_ <= 16, "lists for %u levels", levels_);
  }
  const unsigned of_level = by_sm_ ? machine.chip.sms : 1;
  lists_.resize(levels_ * of_level);
  places_ = std::max(places_ / of_level, std::size_t{1});
}

void PendingPool::look() {
  moved_ = false;
  for (List& list : lists_) list.offers = !list.window.empty();
}

LaunchId PendingPool::take(unsigned number) {
  List& list = lists_[number];
  const LaunchId taken = list.window.front().launch;
  list.window.pop_front();
  list.offers = false;
  moved_ = true;
  return taken;
}

void PendingPool::arrive(const Pending& pending, unsigned number) {
  List& list = lists_[number];
  moved_ = true;
  if (list.window.size() < places_ && list.listed.empty()) {
    list.window.push_back(pending);
    return;
  }
  const Pending& before = list.listed.empty() ? list.window.back() : list.listed.back();
  memory_.write(before.record + kNext, &pending.record, sizeof pending.record, kLink);
  list.listed.push_back(pending);
}

void PendingPool::step(Cycle now) {
  while (memory_.has_reply(now)) {
    const std::uint32_t tag = memory_.reply().tag;
    memory_.pop();
    if (tag == kLink) continue;
    List& list = lists_[tag - 1];
    list.window.push_back(list.listed.front());
    list.listed.pop_front();
    --list.reading;
    moved_ = true;
  }
  // One record is read per cycle, in round robin over the lists.
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    const std::size_t number = (next_read_ + i) % lists_.size();
    List& list = lists_[number];
    if (!wants_read(list)) continue;
    memory_.read(list.listed[list.reading++].record, sizeof(PacketImage), static_cast<std::uint32_t>(number + 1));
    next_read_ = (number + 1) % lists_.size();
    return;
  }
}

bool PendingPool::stirs() const {
  return moved_ || std::any_of(lists_.begin(), lists_.end(), [this](const List& list) { return wants_read(list); });
}

}  // namespace castor::gpu
