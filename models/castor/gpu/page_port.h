#pragma once

#include <cstdint>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// An SM's end of the page allocator (front_end/page_side.h): sends requests, and receives grants. The SM owns it; the
/// part of the SM that moves contexts uses it in its tick.
///
/// A request of tick c is granted in c + 2 at the earliest (docs/gpu/sync-network.md, "Images"). An SM has one request
/// open at a time. It may abandon the request when the kernel is stopped.
class PagePort {
 public:
  PagePort(SmOutbox& outbox, Mailbox<PageGrantMessage>& grants) : outbox_(outbox), grants_(grants) {}

  /// Requests an image for a TB of the kernel.
  void request(const KernelContext& kernel, Cycle now) { send(kernel, 0, now); }
  /// Requests an image for a TB of the kernel, unless that has been done. Returns its address, once, when it has been
  /// granted. Afterwards, or for a TB of another kernel, the next call requests another image.
  [[nodiscard]] Maybe<std::uint64_t> image(const KernelContext& kernel, Cycle now) {
    if (requested_ != kernel.ticket) request(kernel, now);
    requested_ = kernel.ticket;
    const PageGrantMessage* const grant = granted(kernel, now);
    if (grant == nullptr) return std::nullopt;
    const std::uint64_t address = grant->address;
    take();
    requested_.reset();
    return address;
  }
  /// Returns an image of the kernel to the allocator. Only the image's own SM or an SM that has read it may do so,
  /// once.
  void give_back(const KernelContext& kernel, std::uint64_t address, Cycle now) { send(kernel, address, now); }
  /// Returns the oldest grant for the kernel that is visible in `now`, or null. Grants for other kernels, which were
  /// stopped before their grant arrived, are dropped.
  [[nodiscard]] const PageGrantMessage* granted(const KernelContext& kernel, Cycle now) {
    while (const PageGrantMessage* const grant = grants_.head(now)) {
      if (grant->ticket == kernel.ticket) return grant;
      grants_.pop();
    }
    return nullptr;
  }
  /// Removes the grant that `granted` returns.
  void take() { grants_.pop(); }
  /// Returns the cycle in which the oldest grant is visible; kForever if there is none.
  [[nodiscard]] Cycle next() const { return grants_.next(); }

 private:
  void send(const KernelContext& kernel, std::uint64_t returns, Cycle now) {
    outbox_.request_page({now + 1, kernel.ticket, kernel.entry, kernel.group, returns});
  }

  SmOutbox& outbox_;
  Mailbox<PageGrantMessage>& grants_;
  Maybe<Ticket> requested_;  // `image`: kernel or group for which an image was requested and not granted
};

}  // namespace castor::gpu
