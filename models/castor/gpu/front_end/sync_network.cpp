#include "castor/gpu/front_end/sync_network.h"

#include "castor/base/error.h"
#include "castor/gpu/note_largest.h"

namespace castor::gpu {

SyncNetwork::SyncNetwork(const std::vector<SmUnit*>& sms, base::StatisticGroup& front_end)
    : sms_(sms), heads_(sms.size()), counters_(front_end) {
  for (SmUnit* const sm : sms_) {
    SyncLink* const link = sm->sync_link();
    CASTOR_ASSERT(link != nullptr, "SM %u has no link to the synchronisation network", sm->index());
    room_[links_.size()] = true;
    link->connect(*this, static_cast<unsigned>(links_.size()));
    links_.push_back(link);
    free_.push_back(link->depth());
  }
}

void SyncNetwork::sent(unsigned sm, Cycle visible) {
  ++in_flight_;
  ++progress_;
  arrivals_.emplace_back(visible, sm);
}

void SyncNetwork::freed(unsigned sm, Cycle from) {
  --in_flight_;
  ++progress_;
  freed_.emplace_back(from, sm);
}

void SyncNetwork::show(unsigned sm, Cycle now) {
  const SyncMessage* const head = links_[sm]->arrived(now);
  arrived_[sm] = head != nullptr;
  if (head != nullptr) {
    heads_[sm] = *head;
  } else {
    heads_[sm].reset();
  }
}

void SyncNetwork::begin(Cycle now) {
  for (; first(arrivals_) <= now; arrivals_.pop_front()) {
    if (!arrived_[arrivals_.front().second]) show(arrivals_.front().second, now);
  }
  for (; first(freed_) <= now; freed_.pop_front()) {
    const unsigned sm = freed_.front().second;
    ++free_[sm];
    room_[sm] = true;
  }
}

void SyncNetwork::take(const SmMask& sms, Cycle now) {
  for (std::size_t sm = sms._Find_first(); sm < sms.size(); sm = sms._Find_next(sm)) {
    const auto index = static_cast<unsigned>(sm);
    if (links_[index]->take_arrived(now)) sms_[index]->wake_at(now + 1);
    show(index, now);
    ++counters_.taken;
    --in_flight_;
    ++progress_;
  }
}

void SyncNetwork::send(const SyncDown& down, Cycle now) {
  CASTOR_ASSERT_AT(now, down.to.any() && fits(down.to), "a message of the synchronisation hub has no room");
  if (down.to.count() > 1) ++counters_.broadcasts;
  for (std::size_t sm = down.to._Find_first(); sm < down.to.size(); sm = down.to._Find_next(sm)) {
    if (--free_[sm] == 0) room_[sm] = false;
    note_largest(counters_.fill_max, links_[sm]->depth() - free_[sm]);
    sms_[sm]->wake_at(links_[sm]->send_down(down.message, now));
    ++counters_.sent;
    ++in_flight_;
    ++progress_;
  }
}

void SyncNetwork::start(const SyncKernel& kernel, Cycle visible) {
  for (std::size_t sm = 0; sm < links_.size(); ++sm) {
    links_[sm]->start(kernel, visible);
    sms_[sm]->wake_at(visible);
  }
}

void SyncNetwork::reset() {
  for (std::size_t sm = 0; sm < links_.size(); ++sm) {
    links_[sm]->reset();
    heads_[sm].reset();
    free_[sm] = links_[sm]->depth();
    room_[sm] = true;
  }
  arrived_.reset();
  arrivals_.clear();
  freed_.clear();
  in_flight_ = 0;
}

}  // namespace castor::gpu
