#pragma once

#include <cstdint>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// An SM's end of the page allocator (front_end/page_side.h): sends requests, and receives grants. The SM owns it; the
/// part of the SM that moves contexts uses it in its tick.
///
/// A request of tick c is granted in c + 2 at the earliest (docs/gpu/sync-network.md, "Images"). Grants come in the
/// order of the SM's requests.
class PagePort {
 public:
  PagePort(SmOutbox& outbox, Mailbox<PageGrantMessage>& grants) : outbox_(outbox), grants_(grants) {}

  /// Requests an image for a TB of the kernel.
  void request(const KernelContext& kernel, Cycle now) { outbox_.request_page({now + 1, kernel.ticket, 0}); }
  /// Returns an image of the kernel to the allocator. Only the image's own SM or an SM that has read it may do so,
  /// once.
  void give_back(const KernelContext& kernel, std::uint64_t address, Cycle now) {
    outbox_.request_page({now + 1, kernel.ticket, address});
  }
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
  SmOutbox& outbox_;
  Mailbox<PageGrantMessage>& grants_;
};

}  // namespace castor::gpu
