#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/hooks/source_order.h"
#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Pool of launches by device code that are ready to run and wait only for the kernel table (docs/gpu/launches.md,
/// "Launches by device code"). The device launcher owns it.
///
/// The pool is a window of `pool.window` launches on the chip, followed by a list through the launch records in device
/// memory. The oldest launch of the window is offered. With a source order the pool has such a list for each level of
/// launches, or for each level and SM. The lists of a level share the window evenly, with at least one launch for each.
///
/// In a cycle: `look` in F1, `take` in F8 (parse), `arrive` and `step` in F9.
class PendingPool {
 public:
  struct Pending {
    LaunchId launch = 0;
    std::uint64_t record = 0;  ///< device address of the launch record
  };

  /// `order`: null = one list. `memory`: client used only by the pool.
  PendingPool(const Machine& machine, const SourceOrder* order, MemoryClient& memory);

  [[nodiscard]] unsigned lists() const { return static_cast<unsigned>(lists_.size()); }
  [[nodiscard]] unsigned levels() const { return levels_; }
  /// Returns the list for launches of a level, 1 or more, by a TB on an SM.
  [[nodiscard]] unsigned list_of(unsigned sm, unsigned level) const {
    return (by_sm_ ? sm : 0) * levels_ + (level < levels_ ? level : levels_) - 1;
  }

  /// Starts a cycle: fixes the launch of each list that is offered in it.
  void look();
  /// Returns the launch that a list offers in this cycle, 0 = none.
  [[nodiscard]] LaunchId offered(unsigned list = 0) const {
    return lists_[list].offers ? lists_[list].window.front().launch : 0;
  }
  /// Returns the launch that a list will offer in the next cycle if its window does not change; 0 = none.
  [[nodiscard]] LaunchId next_offered(unsigned list) const {
    return lists_[list].window.empty() ? 0 : lists_[list].window.front().launch;
  }
  /// Takes the launch that the list offers.
  LaunchId take(unsigned list = 0);
  /// Appends a launch whose pointer has arrived from its SM.
  void arrive(const Pending& pending, unsigned list = 0);
  /// Moves launches whose records were read into their windows, and requests the next read.
  void step(Cycle now);
  /// Returns whether a list may offer another launch in the next cycle than in this one.
  [[nodiscard]] bool stirs() const;

 private:
  struct List {
    std::deque<Pending> window;
    std::deque<Pending> listed;  ///< launches in device memory, the head first
    std::size_t reading = 0;     ///< number of records being read, from the head of `listed` on
    bool offers = false;         ///< the oldest launch of the window is offered in this cycle
  };
  [[nodiscard]] bool wants_read(const List& list) const {
    return list.reading < list.listed.size() && list.window.size() + list.reading < places_;
  }

  std::size_t places_;  ///< slots in the window of each list
  unsigned levels_ = 1;
  bool by_sm_ = false;
  std::vector<List> lists_;
  MemoryClient& memory_;
  std::size_t next_read_ = 0;  ///< list that may read a record next (round robin)
  bool moved_ = false;         ///< a launch arrived, was taken or entered a window since `look`
};

}  // namespace castor::gpu
