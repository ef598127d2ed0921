#include "castor/gpu/front_end/pending_pool.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kNext = 0x38;  // in a launch record: the address of the next one
constexpr unsigned kRecordBytes = 64;
constexpr std::uint32_t kRead = 1;  // tag; links have 0

}  // namespace

PendingPool::Pending PendingPool::take() {
  const Pending taken = window_.front();
  window_.pop_front();
  offers_ = false;
  moved_ = true;
  return taken;
}

void PendingPool::arrive(const Pending& pending) {
  moved_ = true;
  if (window_.size() < scan_ && listed_.empty()) {
    window_.push_back(pending);
    return;
  }
  link(listed_.empty() ? window_.back() : listed_.back(), pending);
  listed_.push_back(pending);
}

void PendingPool::link(const Pending& before, const Pending& next) {
  memory_.write(before.record + kNext, &next.record, sizeof next.record);
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
  if (wants_read()) memory_.read(listed_[reading_++].record, kRecordBytes, kRead);
}

}  // namespace castor::gpu
