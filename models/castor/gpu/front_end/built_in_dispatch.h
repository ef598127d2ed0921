#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Why no TB was placed although kernels have TBs to place.
enum class DispatchWait : std::uint8_t {
  kNothing,      ///< no kernel waits, or a TB was placed
  kNoFit,        ///< no TB of a waiting kernel fits on any SM, or not all that must be resident at once
  kHeadBlocked,  ///< the current kernel's TB does not fit, a TB of a younger kernel would
  kClosed,       ///< the TB would fit, but only on SMs that are closed or at their quota
};

/// SMs that may take a TB of an entry now: they have room, are open, and are below quota.
struct DispatchView {
  const Ledger& ledger;
  const SmMask& open = kAllSms;
  const Quota* quota = nullptr;
  const KdMask* stopped = nullptr;  ///< entries of which no TB is placed; null = none
  const KdMask* passing = nullptr;  ///< entries whose TBs pass a current item that is stopped; null = none

  /// Returns the SMs with resources for a TB of the entry, open or not.
  [[nodiscard]] const SmMask& room(unsigned entry) const { return ledger.fits(entry); }
  /// Returns the SMs that may take a TB of the entry.
  [[nodiscard]] SmMask takers(unsigned entry) const {
    if (stopped != nullptr && (*stopped)[entry]) return {};
    return within_quota(ledger.fits(entry) & open, quota, ledger, entry);
  }
  /// Returns whether an entry is stopped on a machine with a grid that must be resident at once.
  [[nodiscard]] bool waits_for_grid(unsigned entry) const {
    return passing != nullptr && stopped != nullptr && (*stopped)[entry];
  }
  /// Returns whether TBs of `other` may be placed although those of the current item may not.
  [[nodiscard]] bool passes(unsigned other, unsigned current) const {
    return waits_for_grid(current) && (*passing)[other];
  }
};

/// Choice of the kernel by a scan that takes several cycles (dispatch.select_scan w). The scan runs in passes of NG =
/// queues / w cycles; a pass begins where cycle mod NG is 0. A pass considers the kernels whose TBs fitted in the
/// pass's first cycle. The oldest of them is offered during the next pass, in cycles in which it still fits. The offer
/// follows from what fitted at the starts of the last two passes. Skipped cycles change nothing and cost nothing.
class DispatchScan {
 public:
  DispatchScan(unsigned queues, unsigned width) : pass_(width == 0 ? 0 : (queues + width - 1) / width) {}
  [[nodiscard]] bool on() const { return pass_ != 0; }
  /// Advances the scan; called once per cycle that is not skipped. `oldest`: the oldest entry that fits now, -1 = none.
  void advance(int oldest, Cycle now) {
    const Cycle start = now - now % pass_;
    if (start == frozen_at_) return;
    offered_ = frozen_at_ != kForever && start - pass_ == frozen_at_ ? frozen_ : resting_;
    frozen_ = start == now ? oldest : resting_;
    frozen_at_ = start;
  }
  /// Sets the oldest entry that fits at the end of the cycle; the value is used for the skipped cycles that follow.
  void rest(int oldest) { resting_ = oldest; }
  /// Returns the entry offered in this cycle, -1 = none.
  [[nodiscard]] int offer() const { return offered_; }

 private:
  Cycle pass_;  // length of a pass in cycles; 0 = no scan
  // Oldest entry that fitted (-1 = none): at the start of the previous pass, of the current pass, at the end of the
  // last tick.
  int offered_ = -1, frozen_ = -1, resting_ = -1;
  Cycle frozen_at_ = kForever;  // first cycle of the current pass
};

/// Built-in dispatch policy, first come first served (docs/gpu/front-end.md, "Dispatch"). The dispatcher owns it.
///
/// Items are kernels in the order in which their entries were written. The current item is the oldest. With sticky
/// bypass it is the item that was placed last, as long as this item has TBs. If a TB of the current item fits on no SM,
/// nothing is placed; with sticky bypass the oldest item that fits becomes current at once. TBs of launches by device
/// code pass a current item that waits until all its TBs fit. An item is removed in the
/// cycle of its last TB, and the next item starts in the next cycle. All SMs are searched in one cycle, starting after
/// the SM used last. For studies the search can test one SM per cycle (`rr_one`: SM number = cycle mod SMs, so that
/// skipped cycles change nothing).
class FcfsDispatcher {
 public:
  struct Choice {
    int entry = -1;
    unsigned sm = 0;
    DispatchWait wait = DispatchWait::kNothing;
  };

  explicit FcfsDispatcher(const Machine& machine)
      : sticky_(machine.dispatch.bypass == DispatchBypass::kSticky),
        one_(machine.dispatch.search == DispatchSearch::kRoundRobinOne),
        sms_(machine.chip.sms) {}

  /// Appends a kernel whose entry was written.
  void push(unsigned entry) { items_.push_back(static_cast<std::uint16_t>(entry)); }
  /// Removes an exhausted or stopped kernel from the list.
  void remove(unsigned entry) {
    items_.erase(std::remove(items_.begin(), items_.end(), entry), items_.end());
    if (current_ == static_cast<int>(entry)) current_ = -1;
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] const std::vector<std::uint16_t>& items() const { return items_; }
  /// Returns the item that is placed next if it fits, -1 = none.
  [[nodiscard]] int current() const { return current_ >= 0 ? current_ : items_.empty() ? -1 : items_.front(); }

  /// Returns the item whose TB is placed next, on the first SM that may take it; -1 = none. `bypass`: items may pass
  /// the current one.
  [[nodiscard]] int next(const DispatchView& view, bool bypass) const {
    const int item = current();
    if (item < 0 || !(bypass || sticky_) || view.takers(static_cast<unsigned>(item)) != 0) return item;
    const int other = oldest(view);
    return other >= 0 ? other : item;
  }

  /// Returns the entry and SM of the TB that can be placed in cycle `now`, without changing state. The caller reports
  /// an actual placement by `placed`.
  [[nodiscard]] Choice choose(const DispatchView& view, const SmSearch& search, Cycle now) const {
    Choice choice;
    if (items_.empty()) return choice;
    const auto item = static_cast<unsigned>(current());
    if (try_item(item, view, search, now, choice)) return choice;
    bool other_fits = false;
    for (const std::uint16_t other : items_) {
      if (other == item) continue;
      if ((sticky_ || view.passes(other, item)) && try_item(other, view, search, now, choice)) return choice;
      other_fits = other_fits || view.takers(other).any();
    }
    if (view.room(item).any() && view.takers(item).none() && !view.waits_for_grid(item)) {
      choice.wait = DispatchWait::kClosed;
    } else {
      choice.wait = other_fits ? DispatchWait::kHeadBlocked : DispatchWait::kNoFit;
    }
    return choice;
  }
  /// Returns the oldest item that fits on an SM, -1 = none.
  [[nodiscard]] int oldest(const DispatchView& view) const {
    const auto found = std::find_if(items_.begin(), items_.end(), [&](auto item) { return view.takers(item).any(); });
    return found == items_.end() ? -1 : static_cast<int>(*found);
  }
  /// Records that a TB of the entry was placed.
  void placed(unsigned entry) {
    if (sticky_) current_ = static_cast<int>(entry);
  }
  /// Returns whether a TB could be placed in a later cycle without any change of state.
  [[nodiscard]] bool pending(const DispatchView& view) const {
    if (items_.empty()) return false;
    const auto first = static_cast<unsigned>(current());
    if (view.takers(first).any()) return true;
    return (sticky_ || view.passing != nullptr) && std::any_of(items_.begin(), items_.end(), [&](std::uint16_t item) {
             return (sticky_ || view.passes(item, first)) && view.takers(item).any();
           });
  }

 private:
  [[nodiscard]] bool try_item(unsigned item, const DispatchView& view, const SmSearch& search, Cycle now,
                              Choice& choice) const {
    SmMask takers = view.takers(item);
    if (one_) takers &= SmMask{1} << now % sms_;
    if (takers.none()) return false;
    choice.entry = static_cast<int>(item);
    choice.sm = search.first(takers);
    return true;
  }

  bool sticky_, one_;
  unsigned sms_;
  std::vector<std::uint16_t> items_;  // entries with TBs to place, the oldest first
  int current_ = -1;                  // entry placed last, with sticky bypass; -1 = the oldest
};

}  // namespace castor::gpu
