#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/room_view.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// The dispatcher's account of free room per SM, placements under way already subtracted (docs/gpu/front-end.md,
/// "Placement").
///
/// A placement debits, a retire wire credits; both act at once, so what the wire of cycle c frees can be used by the
/// placement of c. For entries that are watched (those with TBs to place) the set of SMs on which their next TB fits is
/// kept up to date incrementally.
class Ledger final : public RoomView {
 public:
  explicit Ledger(const Machine& machine);

  [[nodiscard]] unsigned sms() const override { return static_cast<unsigned>(free_.size()); }
  [[nodiscard]] SmMask all() const { return all_; }
  [[nodiscard]] const SmRoom& capacity() const override { return capacity_; }
  [[nodiscard]] const SmRoom& free(unsigned sm) const override { return free_[sm]; }
  /// TBs of a kernel table entry on an SM or on their way to it.
  [[nodiscard]] unsigned resident(unsigned sm, unsigned entry) const override {
    return resident_[sm * entries_ + entry];
  }
  [[nodiscard]] unsigned resident_total() const { return resident_total_; }
  [[nodiscard]] bool fits(unsigned sm, const TbNeed& need) const override;
  /// TBs for which an SM has room.
  [[nodiscard]] unsigned room_for(unsigned sm, const TbNeed& need) const;
  /// A TB placed in cycle c is on its way in c + 1 and counted as here from c + 2 on.
  [[nodiscard]] SmLoad load(unsigned sm, Cycle now) const;

  /// Keeps `fits(entry)` up to date until `unwatch`.
  void watch(unsigned entry, const TbNeed& need);
  void unwatch(unsigned entry);
  [[nodiscard]] bool watches(unsigned entry) const {
    return std::find(watched_.begin(), watched_.end(), entry) != watched_.end();
  }
  /// SMs on which a TB of a watched entry fits; 0 for others.
  [[nodiscard]] SmMask fits(unsigned entry) const override { return fit_[entry]; }
  [[nodiscard]] const std::vector<std::uint16_t>& watched() const { return watched_; }

  void debit(unsigned sm, unsigned entry, const TbNeed& need, Cycle now);
  void credit(unsigned sm, unsigned entry, const TbNeed& need);

 private:
  struct Placed {
    Cycle cycle = kForever;
    std::uint32_t warps = 0;
  };
  void update(unsigned sm);

  unsigned entries_;
  SmMask all_;
  SmRoom capacity_;
  std::vector<SmRoom> free_;
  std::vector<Placed> last_placed_;
  std::vector<std::uint16_t> resident_;  // [sm * entries + entry]
  unsigned resident_total_ = 0;
  std::vector<std::uint16_t> watched_;
  std::vector<TbNeed> need_;  // [entry]
  std::vector<SmMask> fit_;   // [entry]
};

/// Searches SMs in a circle from the one behind the last that was chosen; at first that is SM 0.
class SmSearch {
 public:
  explicit SmSearch(unsigned sms) : last_(sms - 1) {}
  /// First SM of a non-empty set.
  [[nodiscard]] unsigned first(SmMask set) const {
    const SmMask behind = last_ == 63 ? 0 : set & (kAllSms << (last_ + 1));
    return static_cast<unsigned>(__builtin_ctzll(behind != 0 ? behind : set));
  }
  void chosen(unsigned sm) { last_ = sm; }

 private:
  unsigned last_;
};

}  // namespace castor::gpu
