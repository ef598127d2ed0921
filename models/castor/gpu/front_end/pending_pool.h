#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/hooks/source_order.h"
#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Launches by device code that wait for nothing but the kernel table (docs/gpu/launches.md, "Launches by device
/// code"): a window of `pool.window` launches on the chip, of which the oldest is offered, and behind it a list through
/// the launch records in device memory. For a source order there is such a list for each level, or for each level and
/// SM; those of a level share the window evenly, a launch for each at least.
///
/// In a cycle: `look` in F1, `take` in F8, `arrive` and `step` in F9.
class PendingPool {
 public:
  struct Pending {
    LaunchId launch = 0;
    std::uint64_t record = 0;  ///< device address
  };

  /// `order`: null = one list; `memory` is used by nobody else.
  PendingPool(const Machine& machine, const SourceOrder* order, MemoryClient& memory);

  [[nodiscard]] unsigned lists() const { return static_cast<unsigned>(lists_.size()); }
  [[nodiscard]] unsigned levels() const { return levels_; }
  /// The list for launches of a level, 1 or more, by a TB on an SM.
  [[nodiscard]] unsigned list_of(unsigned sm, unsigned level) const {
    return (by_sm_ ? sm : 0) * levels_ + (level < levels_ ? level : levels_) - 1;
  }

  /// Start of a cycle: which launch of each list is offered in it.
  void look();
  /// The launch offered, 0 = none.
  [[nodiscard]] LaunchId offered(unsigned list = 0) const {
    return lists_[list].offers ? lists_[list].window.front().launch : 0;
  }
  /// The one that will be in the next cycle, as things stand.
  [[nodiscard]] LaunchId next_offered(unsigned list) const {
    return lists_[list].window.empty() ? 0 : lists_[list].window.front().launch;
  }
  /// Takes the launch that is offered.
  LaunchId take(unsigned list = 0);
  /// A pointer has arrived.
  void arrive(const Pending& pending, unsigned list = 0);
  /// A record that was read comes into its window; the next one is read.
  void step(Cycle now);
  /// The next cycle may differ from this one.
  [[nodiscard]] bool stirs() const;

 private:
  struct List {
    std::deque<Pending> window;
    std::deque<Pending> listed;  ///< in memory, the head first
    std::size_t reading = 0;     ///< records of the first ones
    bool offers = false;         ///< the oldest of the window, as of `look`
  };
  [[nodiscard]] bool wants_read(const List& list) const {
    return list.reading < list.listed.size() && list.window.size() + list.reading < places_;
  }

  std::size_t places_;
  unsigned levels_ = 1;
  bool by_sm_ = false;
  std::vector<List> lists_;
  MemoryClient& memory_;
  std::size_t next_read_ = 0;  ///< list whose turn it is to be read
  bool moved_ = false;         ///< something arrived, left or came in since `look`
};

}  // namespace castor::gpu
