#pragma once

#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/page_allocator.h"
#include "castor/gpu/page_statistics.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Front end's side of the page allocator: mechanism that answers the SMs' requests for images, the memory for
/// swapped-out TBs (docs/gpu/sync-network.md, "Images"). Present on a machine with a block that stores swapped-out TBs
/// in images, if a synchronisation hub or `context.mover: engine` asks for them. The region for images is allocated
/// when the machine is built.
///
/// Every kernel whose context has `image_bytes` may have images, several kernels at once. The images and pages of a
/// kernel are given back when it is complete: all its TBs have retired then, and no store of it is in flight. Requests
/// for a stopped kernel are not answered. A request that finds no room waits until an image or page is given back.
///
/// In a cycle: `accept_messages` in F2, first the images that SMs give back, then requests, in the order of their
/// arrival, and those of a cycle in the order of the SMs.
class PageSide : public FrontEndMechanism {
 public:
  explicit PageSide(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return allocator_.has_value(); }
  void accept_messages(Cycle now);
  void completed(const LaunchRecord& record);
  void stopped(unsigned entry);
  void device_reset();
  [[nodiscard]] Cycle next_work(Cycle now) const;
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  [[nodiscard]] std::string waiting() const;
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  /// Request of an SM that has not been granted.
  struct Request {
    unsigned sm = 0;
    Ticket ticket = 0;  ///< of the message
    Ticket kernel = 0;  ///< ticket of the kernel in the table that owns the image
    std::uint64_t image_bytes = 0;
  };

  [[nodiscard]] const KernelEntry* kernel_of(const PageRequestMessage& message) const;
  void take_messages(SmUnit& sm, Cycle now);
  [[nodiscard]] bool grant_image(const Request& request, Cycle now);
  void drop_requests(Ticket kernel);

  const std::vector<SmUnit*> sms_;
  const KernelTable& table_;
  std::optional<PageAllocator> allocator_;
  std::optional<PageCounters> counters_;
  std::vector<Request> requests_;  // requests without a grant, oldest first
  bool retry_ = false;             // a request has come, or memory was given back, since requests were last tried
  std::vector<Cycle> last_grant_;  // [sm] stamp of the last grant, so that grants keep their order
  std::uint64_t progress_ = 0;     // images granted and given back so far
};

}  // namespace castor::gpu
