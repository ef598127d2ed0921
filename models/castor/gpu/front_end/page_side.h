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
/// swapped-out TBs (docs/gpu/sync-network.md, "Images"). Present on a machine with a synchronisation hub and a block
/// that stores swapped-out TBs in images. The region for images is allocated when the machine is built.
///
/// At most one kernel has images: the one that synchronises. Its images and pages are given back when it is complete,
/// when a fault stops it, and when the device is reset. Requests that arrive later are not answered.
///
/// In a cycle: `accept_messages` in F2, first the images that SMs give back, then requests, both in the order of the
/// SMs.
class PageSide : public FrontEndMechanism {
 public:
  explicit PageSide(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return allocator_.has_value(); }
  void accept_messages(Cycle now);
  void started(const KernelEvent& kernel);
  void completed(const LaunchRecord& record);
  void stopped(unsigned entry);
  void device_reset() { end(); }
  [[nodiscard]] Cycle next_work(Cycle now) const;
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  // Removes the visible messages of an SM: returns its images to the allocator, and records how many images it
  // requests.
  [[nodiscard]] unsigned take_messages(SmUnit& sm, Cycle now);
  void grant_image(SmUnit& sm, Cycle now);
  void end();

  const std::vector<SmUnit*> sms_;
  const KernelTable& table_;
  std::optional<PageAllocator> allocator_;
  std::optional<PageCounters> counters_;
  Maybe<Ticket> kernel_;             // ticket of the kernel that has images
  std::vector<unsigned> requested_;  // [sm] images requested in this cycle
  std::vector<Cycle> last_grant_;    // [sm] stamp of the last grant, so that grants keep their order
  std::uint64_t progress_ = 0;       // images granted and given back so far
};

}  // namespace castor::gpu
