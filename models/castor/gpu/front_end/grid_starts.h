#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"

namespace castor::gpu {

/// Starts of kernels whose TBs must all be resident at once (docs/gpu/launches.md, "Grid barriers"). The dispatcher
/// owns it. A kernel is on the list from the write of its entry to the placement of its last TB.
///
/// No TB of such a kernel is placed before the SMs have room for all its TBs. From its first TB to its last no TB of
/// another kernel is placed.
class GridStarts {
 public:
  GridStarts(const KernelTable& table, const Ledger& ledger) : table_(table), ledger_(ledger) {}

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void add(unsigned entry) { entries_.push_back(static_cast<std::uint16_t>(entry)); }
  /// Removes a kernel whose last TB was placed, or that was stopped.
  void remove(unsigned entry) { entries_.erase(std::remove(entries_.begin(), entries_.end(), entry), entries_.end()); }
  [[nodiscard]] bool has(unsigned entry) const {
    return std::find(entries_.begin(), entries_.end(), entry) != entries_.end();
  }

  /// Returns the entry of the kernel that has started and has TBs left to place, -1 = none.
  [[nodiscard]] int starting() const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [this](auto entry) { return table_[entry].started != 0; });
    return found == entries_.end() ? -1 : *found;
  }
  /// Returns the number of TBs of a kernel for which the SMs of `open` have room within `quota`.
  [[nodiscard]] std::uint64_t room(unsigned entry, const SmMask& open, const Quota* quota) const {
    const TbNeed& need = table_[entry].context().need;
    std::uint64_t tbs = 0;
    for (unsigned sm = 0; sm < ledger_.sms(); ++sm) {
      if (!open[sm]) continue;
      const unsigned fit = ledger_.room_for(sm, need);
      tbs += quota == nullptr ? fit : std::min(fit, quota->left(sm, entry, ledger_.resident(sm, entry)));
    }
    return tbs;
  }
  /// Returns the entries of which no TB may be placed now. `held`: entries that are held for other reasons. The
  /// returned reference is the same in every call.
  [[nodiscard]] const KdMask& withheld(const KdMask& held, const SmMask& open, const Quota* quota) const {
    if (const int one = starting(); one >= 0) {
      withheld_.set();
      withheld_[static_cast<unsigned>(one)] = false;
      return withheld_;
    }
    withheld_ = held;
    for (const std::uint16_t entry : entries_)
      withheld_[entry] = withheld_[entry] || room(entry, open, quota) < table_[entry].sequencer.left();
    return withheld_;
  }
  /// Returns the entries whose TBs pass a kernel that waits for room: launches by device code. TBs that wait for such
  /// launches may have the room. The returned reference is the same in every call.
  [[nodiscard]] const KdMask& passing() const {
    passing_.reset();
    for (const std::uint16_t entry : ledger_.watched()) passing_[entry] = table_[entry].by_device();
    return passing_;
  }

 private:
  const KernelTable& table_;
  const Ledger& ledger_;
  std::vector<std::uint16_t> entries_;
  mutable KdMask withheld_, passing_;  // results of the last calls
};

}  // namespace castor::gpu
