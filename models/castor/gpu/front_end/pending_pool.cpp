#include "castor/gpu/front_end/pending_pool.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kNext = 0x38;  // in a launch record: the address of the next one
constexpr std::uint32_t kRead = 1;     // tag; links have 0

}  // namespace

LaunchId PendingPool::take() {
  const LaunchId taken = window_.front().launch;
  window_.pop_front();
  offers_ = false;
  moved_ = true;
  return taken;
}

void PendingPool::arrive(const Pending& pending) {
  moved_ = true;
  if (window_.size() < places_ && listed_.empty()) {
    window_.push_back(pending);
    return;
  }
  const Pending& before = listed_.empty() ? window_.back() : listed_.back();
  memory_.write(before.record + kNext, &pending.record, sizeof pending.record);
  listed_.push_back(pending);
}

void PendingPool::step(Cycle now) {
  while (memory_.has_reply(now)) {
    const bool read = memory_.reply().tag == kRead;
    memory_.pop();
    if (!read) continue;
    window_.push_back(listed_.front());
    listed_.pop_front();
    --reading_;
    moved_ = true;
  }
  if (wants_read()) memory_.read(listed_[reading_++].record, sizeof(PacketImage), kRead);
}

}  // namespace castor::gpu
