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

PageSide::PageSide(const FrontEndParts& parts) : sms_(parts.sms), table_(parts.table), last_grant_(parts.sms.size()) {
  const bool asked = parts.hooks.hub != nullptr || parts.machine.context.mover == ContextMover::kEngine;
  if (!asked || !parts.machine.chip.sync.limits.images) return;
  allocator_.emplace(parts.machine, take_region(parts));
  counters_.emplace(parts.place.statistics);
}

void PageSide::accept_messages(Cycle now) {
  for (SmUnit* const sm : sms_) take_messages(*sm, now);
  if (!retry_) return;
  retry_ = false;
  requests_.erase(std::remove_if(requests_.begin(), requests_.end(),
                                 [this, now](const Request& request) { return grant_image(request, now); }),
                  requests_.end());
}

// Returns the entry of the kernel for whose TB an SM has sent a message; null if the kernel or group is complete.
const KernelEntry* PageSide::kernel_of(const PageRequestMessage& message) const {
  const KernelEntry& entry = table_[message.entry];
  if (entry.state != EntryState::kWritten) return nullptr;
  if (message.group == kNoGroup) return entry.context().ticket == message.ticket ? &entry : nullptr;
  if (!table_.groups().has(message.group)) return nullptr;
  const KernelContext& group = table_.groups().at(message.group).record->context;
  return group.ticket == message.ticket && group.entry == message.entry ? &entry : nullptr;
}

// Takes the visible messages of an SM: returns its images to the allocator, and keeps its requests.
void PageSide::take_messages(SmUnit& sm, Cycle now) {
  Mailbox<PageRequestMessage>& messages = sm.page_requests();
  for (; messages.head(now) != nullptr; messages.pop()) {
    const PageRequestMessage& message = *messages.head(now);
    const KernelEntry* const entry = kernel_of(message);
    if (entry == nullptr || entry->killed) continue;
    const KernelContext& kernel = entry->context();
    retry_ = true;
    if (message.returns == 0) {
      requests_.push_back({sm.index(), message.ticket, kernel.ticket, kernel.image_bytes});
      continue;
    }
    CASTOR_ASSERT_AT(now, allocator_->in_use(kernel.ticket, message.returns),
                     "SM %u gives back the image at 0x%llx, not in use", sm.index(),
                     static_cast<unsigned long long>(message.returns));
    allocator_->give_back(kernel.ticket, message.returns);
    ++progress_;
  }
}

// Grants an image if there is room. Request and reply take a cycle each. The latency of a new page counts from the
// request, or from the cycle before the one in which the region has room for the page.
bool PageSide::grant_image(const Request& request, Cycle now) {
  const std::uint64_t pages = allocator_->pages();
  if (!allocator_->has(request.kernel)) allocator_->start(request.kernel, request.image_bytes);
  const std::optional<PageAllocator::Image> image = allocator_->take(request.kernel, now - 1);
  if (!image) return false;
  Cycle& last = last_grant_[request.sm];
  if (image->ready > now + 1) {
    ++counters_->waits;
    counters_->wait_cycles += image->ready - (now + 1);
  }
  last = std::max({last, now + 1, image->ready});
  sms_[request.sm]->grant_page({last, request.ticket, image->address});
  ++progress_;
  ++counters_->images;
  counters_->taken += allocator_->pages() - pages;
  note_largest(counters_->images_max, allocator_->used());
  note_largest(counters_->taken_max, allocator_->pages());
  return true;
}

void PageSide::completed(const LaunchRecord& record) {
  const KernelContext& kernel = record.context;
  if (kernel.group != kNoGroup || !allocator_->has(kernel.ticket)) return;
  drop_requests(kernel.ticket);
  allocator_->end(kernel.ticket);
  retry_ = !requests_.empty();
}

void PageSide::stopped(unsigned entry) { drop_requests(table_[entry].context().ticket); }

void PageSide::drop_requests(Ticket kernel) {
  requests_.erase(std::remove_if(requests_.begin(), requests_.end(),
                                 [kernel](const Request& request) { return request.kernel == kernel; }),
                  requests_.end());
}

void PageSide::device_reset() {
  requests_.clear();
  allocator_->clear();
}

// A request that waits for room gives no work: a message or the end of a kernel does.
Cycle PageSide::next_work(Cycle now) const {
  Cycle next = retry_ ? now + 1 : kForever;
  for (SmUnit* const sm : sms_) next = std::min(next, sm->page_requests().next());
  return next == kForever ? next : std::max(next, now + 1);
}

std::string PageSide::waiting() const {
  std::string text;
  for (const Request& request : requests_) {
    text += "images: SM " + std::to_string(request.sm) + " waits for an image of " +
            std::to_string(request.image_bytes) + " bytes for a TB of ticket " + std::to_string(request.ticket) +
            ", context.region has no room for it (" + std::to_string(allocator_->used()) + " images in use)\n";
  }
  return text;
}

void PageSide::add_waves(Waves& waves, const std::string& scope) const {
  const std::string pages = scope + ".pages";
  waves.add(pages, "images", 32, [this] { return allocator_->used(); });
  waves.add(pages, "taken", 32, [this] { return allocator_->pages(); });
}

}  // namespace castor::gpu
