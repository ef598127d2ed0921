#include "castor/gpu/front_end/page_side.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/note_largest.h"
#include "castor/gpu/store.h"

namespace castor::gpu {
namespace {

// Allocates the region for images. Throws InputError if it does not fit into device memory.
std::uint64_t take_region(const FrontEndParts& parts) {
  const std::uint64_t bytes = parts.machine.context.region;
  const auto region = parts.store.allocate(bytes, AllocationKind::kBlock, "contexts of swapped-out thread blocks",
                                           PageAllocator::kLargePage);
  if (region) return *region;
  throw base::InputError(
      "no device memory left for the contexts of swapped-out thread blocks: " + std::to_string(bytes) + " bytes",
      "a smaller context.region");
}

}  // namespace

PageSide::PageSide(const FrontEndParts& parts)
    : sms_(parts.sms), table_(parts.table), requested_(parts.sms.size()), last_grant_(parts.sms.size()) {
  if (parts.hooks.hub == nullptr || !parts.machine.chip.sync.limits.images) return;
  allocator_.emplace(parts.machine, take_region(parts));
  counters_.emplace(parts.place.statistics);
}

void PageSide::accept_messages(Cycle now) {
  bool requests = false;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    if (sms_[sm]->page_requests().head(now) == nullptr) continue;
    requested_[sm] = take_messages(*sms_[sm], now);
    requests = requests || requested_[sm] != 0;
  }
  if (!requests) return;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    for (; requested_[sm] != 0; --requested_[sm]) grant_image(*sms_[sm], now);
  }
}

unsigned PageSide::take_messages(SmUnit& sm, Cycle now) {
  unsigned requests = 0;
  Mailbox<PageRequestMessage>& messages = sm.page_requests();
  for (; messages.head(now) != nullptr; messages.pop()) {
    const PageRequestMessage message = *messages.head(now);
    if (!kernel_ || message.ticket != *kernel_) continue;
    if (message.returns == 0) {
      ++requests;
      continue;
    }
    CASTOR_ASSERT_AT(now, allocator_->in_use(message.returns), "SM %u gives back the image at 0x%llx, not in use",
                     sm.index(), static_cast<unsigned long long>(message.returns));
    allocator_->give_back(message.returns);
    ++progress_;
  }
  return requests;
}

// Grants an image. Request and reply take a cycle each. The latency of a new page counts from the request.
void PageSide::grant_image(SmUnit& sm, Cycle now) {
  const std::uint64_t pages = allocator_->pages();
  const PageAllocator::Image image = allocator_->take(now - 1);
  Cycle& last = last_grant_[sm.index()];
  if (image.ready > now + 1) {
    ++counters_->waits;
    counters_->wait_cycles += image.ready - (now + 1);
  }
  last = std::max({last, now + 1, image.ready});
  sm.grant_page({last, *kernel_, image.address});
  ++progress_;
  ++counters_->images;
  counters_->taken += allocator_->pages() - pages;
  note_largest(counters_->images_max, allocator_->used());
  note_largest(counters_->taken_max, allocator_->pages());
}

void PageSide::started(const KernelEvent& kernel) {
  const KernelEntry& entry = table_[kernel.kd];
  if (entry.killed || entry.context().image_bytes == 0) return;
  kernel_ = entry.context().ticket;
  allocator_->start(entry.context().image_bytes);
}

void PageSide::completed(const LaunchRecord& record) {
  if (kernel_ && record.context.ticket == *kernel_) end();
}

void PageSide::stopped(unsigned entry) {
  if (kernel_ && table_[entry].context().ticket == *kernel_) end();
}

void PageSide::end() {
  kernel_.reset();
  allocator_->clear();
}

Cycle PageSide::next_work(Cycle now) const {
  Cycle next = kForever;
  for (SmUnit* const sm : sms_) next = std::min(next, sm->page_requests().next());
  return next == kForever ? next : std::max(next, now + 1);
}

void PageSide::add_waves(Waves& waves, const std::string& scope) const {
  const std::string pages = scope + ".pages";
  waves.add(pages, "images", 32, [this] { return allocator_->used(); });
  waves.add(pages, "taken", 32, [this] { return allocator_->pages(); });
}

}  // namespace castor::gpu
