#include "castor/gpu/front_end/pending_pool.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kNext = 0x38;  // in a launch record: the address of the next one
constexpr unsigned kRecordBytes = 64;
constexpr std::uint32_t kRead = 1;  // tag; links have 0

}  // namespace

void PendingPool::look() {
  moved_ = false;
  offered_ = -1;
  for (std::size_t i = 0; i < window_.size() && offered_ < 0; ++i) {
    if (launcher_.may_start(window_[i].launch)) offered_ = static_cast<int>(i);
  }
}

PendingPool::Pending PendingPool::take() {
  const Pending taken = window_[static_cast<std::size_t>(offered_)];
  window_.erase(window_.begin() + offered_);
  offered_ = -1;
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
    reading_ = false;
    moved_ = true;
  }
  if (reading_ || listed_.empty() || window_.size() >= scan_) return;
  memory_.read(listed_.front().record, kRecordBytes, kRead);
  reading_ = true;
}

}  // namespace castor::gpu
