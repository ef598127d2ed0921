#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/resource_view.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Ledger: the dispatcher's account of free resources per SM. Resources of TBs in flight to an SM are already
/// subtracted (docs/gpu/front-end.md, "Placement"). The front end owns it.
///
/// A placement debits and a retire message credits the account in the same cycle. Resources freed by a retire message
/// of cycle c can be used by the placement of c. For watched entries (entries with TBs to place) the ledger keeps the
/// set of SMs on which the next TB fits, updated incrementally.
class Ledger final : public ResourceView {
 public:
  explicit Ledger(const Machine& machine);

  [[nodiscard]] unsigned sms() const override { return static_cast<unsigned>(free_.size()); }
  [[nodiscard]] const SmMask& all() const { return all_; }
  [[nodiscard]] const SmResources& capacity() const override { return capacity_; }
  [[nodiscard]] const SmResources& free(unsigned sm) const override { return free_[sm]; }
  /// Returns the number of TBs of a kernel table entry on an SM or in flight to it.
  [[nodiscard]] unsigned resident(unsigned sm, unsigned entry) const override {
    return resident_[sm * entries_ + entry];
  }
  [[nodiscard]] unsigned resident_total() const { return resident_total_; }
  [[nodiscard]] std::uint64_t changes() const override { return changes_; }
  [[nodiscard]] bool fits(unsigned sm, const TbNeed& need) const override;
  /// Returns the number of TBs for which an SM has resources.
  [[nodiscard]] unsigned room_for(unsigned sm, const TbNeed& need) const;
  /// Returns the load of an SM. A TB placed in cycle c is in flight in c + 1 and resident from c + 2 on.
  [[nodiscard]] SmLoad load(unsigned sm, Cycle now) const;

  /// Starts to keep `fits(entry)` up to date, until `unwatch`.
  void watch(unsigned entry, const TbNeed& need);
  void unwatch(unsigned entry);
  [[nodiscard]] bool watches(unsigned entry) const {
    return std::find(watched_.begin(), watched_.end(), entry) != watched_.end();
  }
  /// Returns the SMs on which a TB of a watched entry fits; empty for other entries.
  [[nodiscard]] const SmMask& fits(unsigned entry) const override { return fit_[entry]; }
  [[nodiscard]] const std::vector<std::uint16_t>& watched() const { return watched_; }

  /// Subtracts the resources of a TB that is placed on an SM.
  void debit(unsigned sm, unsigned entry, const TbNeed& need, Cycle now);
  /// Adds back the resources of a TB that has left an SM.
  void credit(unsigned sm, unsigned entry, const TbNeed& need);

 private:
  struct Placed {
    Cycle cycle = kForever;
    std::uint32_t warps = 0;
  };
  void update(unsigned sm);

  unsigned entries_;
  SmMask all_;
  SmResources capacity_;
  std::vector<SmResources> free_;
  std::vector<Placed> last_placed_;      // [sm]: cycle and warps of the last placement
  std::vector<std::uint16_t> resident_;  // [sm * entries + entry]: TBs on the SM or in flight to it
  unsigned resident_total_ = 0;
  std::uint64_t changes_ = 0;  // debits and credits so far
  std::vector<std::uint16_t> watched_;
  std::vector<TbNeed> need_;  // [entry]: resources of a TB of a watched entry
  std::vector<SmMask> fit_;   // [entry]: SMs on which the next TB fits
};

/// Circular search over SMs, from the SM after the last chosen one; the first search starts at SM 0.
class SmSearch {
 public:
  explicit SmSearch(unsigned sms) : sms_(sms), last_(sms - 1) {}
  /// Returns the first SM of a non-empty set in the order of the search.
  [[nodiscard]] unsigned first(const SmMask& set) const {
    unsigned sm = last_;
    do {
      sm = sm + 1 == sms_ ? 0 : sm + 1;
    } while (!set[sm]);
    return sm;
  }
  void chosen(unsigned sm) { last_ = sm; }

 private:
  unsigned sms_, last_;
};

}  // namespace castor::gpu
