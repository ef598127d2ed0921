#include "castor/gpu/sm/launch_pointers.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::gpu {

void LaunchPointers::note_older(unsigned w, WarpMask block) {
  if (warps_.empty()) warps_.resize(slots_);
  WarpMask& older = warps_[w].older;
  older = 0;
  for (WarpMask left = block; left != 0; left &= left - 1) {
    if (scoreboard_.unacknowledged(lowest(left)) != 0) older |= warp_bit(lowest(left));
  }
}

void LaunchPointers::add(unsigned w, const std::vector<Pointer>& pointers) {
  if (pointers.empty()) return;
  OfWarp& calls = warps_[w];
  for (std::size_t k = 0; k < pointers.size(); ++k) {
    Open open;
    static_cast<Pointer&>(open) = pointers[k];
    open.from = clock_.tick() + k;
    open.number = ++last_number_;
    calls.pointers.push_back(open);
  }
  open_ |= warp_bit(w);
  if (pointers.front().group) groups_ |= warp_bit(w);
  unsent_ |= warp_bit(w);
  if (calls.older != 0) behind_ |= warp_bit(w);
  due_ = clock_.tick();
}

void LaunchPointers::record_stored(unsigned w, std::uint32_t number) {
  OfWarp& calls = warps_[w];
  const auto found = std::find_if(calls.pointers.begin(), calls.pointers.end(),
                                  [number](const Open& pointer) { return pointer.number == number; });
  CASTOR_ASSERT_AT(clock_.now(), found != calls.pointers.end(), "SM %u: record of no launch is stored", sm_);
  found->stored = true;
  --calls.records_out;
  scoreboard_.acknowledged(w);
  look_at_first(w);
  due_ = clock_.tick();
}

WarpMask LaunchPointers::advance() {
  for (WarpMask left = behind_; left != 0; left &= left - 1) update_older(lowest(left));
  if (unsent_ != 0) send_record();
  WarpMask over = 0;
  if ((stored_ & ~behind_ & groups_) != 0) over = leave_groups();
  if (first_due() <= clock_.tick()) over |= send_pointer();
  due_ = next();
  return over;
}

// Removes warps without stores in flight from calls.older: stores that they issue later are younger than the call.
void LaunchPointers::update_older(unsigned w) {
  OfWarp& calls = warps_[w];
  for (WarpMask left = calls.older; left != 0; left &= left - 1) {
    const unsigned other = lowest(left);
    const std::uint32_t records = other == w ? calls.records_out : 0;
    if (scoreboard_.unacknowledged(other) == records) calls.older &= ~warp_bit(other);
  }
  if (calls.older == 0) behind_ &= ~warp_bit(w);
}

void LaunchPointers::look_at_first(unsigned w) {
  const OfWarp& calls = warps_[w];
  const auto is_stored = [](const Open& pointer) { return pointer.stored; };
  bool stored = !calls.pointers.empty() && calls.pointers.front().stored;
  if (stored && calls.pointers.front().group)
    stored = std::all_of(calls.pointers.begin(), calls.pointers.end(), is_stored);
  stored_ = (stored_ & ~warp_bit(w)) | (stored ? warp_bit(w) : 0);
}

// Sends at most one launch record per tick, the record that has been due longest.
void LaunchPointers::send_record() {
  Open* first = nullptr;
  unsigned of = 0;
  for (WarpMask left = unsent_; left != 0; left &= left - 1) {
    OfWarp& calls = warps_[lowest(left)];
    Open& pointer = calls.pointers[calls.sent];
    if (pointer.from > clock_.tick() || (first != nullptr && pointer.from >= first->from)) continue;
    first = &pointer;
    of = lowest(left);
  }
  if (first == nullptr || !memory_.store_record(first->record, of, table_[of].tb, first->number)) return;
  OfWarp& calls = warps_[of];
  ++calls.records_out;
  if (++calls.sent == calls.pointers.size()) unsent_ &= ~warp_bit(of);
  scoreboard_.expect_acknowledge(of);
}

// Sends at most one pointer per tick, the pointer that has been due longest. Returns the warp if this was its last
// pointer.
WarpMask LaunchPointers::send_pointer() {
  OfWarp* first = nullptr;
  unsigned of = 0;
  for (WarpMask left = stored_ & ~behind_; left != 0; left &= left - 1) {
    OfWarp& calls = warps_[lowest(left)];
    const Open& pointer = calls.pointers.front();
    if (pointer.due > clock_.tick()) continue;
    if (first != nullptr && first->pointers.front().due <= pointer.due) continue;
    first = &calls;
    of = lowest(left);
  }
  if (first == nullptr) return 0;
  outbox_.point({clock_.now() + 1, first->pointers.front().launch});
  first->pointers.pop_front();
  first_due_of_ = 0;
  --first->sent;
  look_at_first(of);
  if (!first->pointers.empty()) return 0;
  open_ &= ~warp_bit(of);
  return warp_bit(of);
}

WarpMask LaunchPointers::leave_groups() {
  const WarpMask over = stored_ & ~behind_ & groups_;
  for (WarpMask left = over; left != 0; left &= left - 1) {
    OfWarp& calls = warps_[lowest(left)];
    calls.pointers.clear();
    calls.sent = 0;
  }
  stored_ &= ~over;
  groups_ &= ~over;
  open_ &= ~over;
  first_due_of_ = 0;
  return over;
}

// Returns the first tick in which a pointer may leave. Recomputed when the set of warps with pointers to send has
// changed, or a pointer was sent.
Tick LaunchPointers::first_due() {
  const WarpMask of = stored_ & ~behind_;
  if (of == 0) return base::kForever;
  if (of != first_due_of_) {
    first_due_of_ = of;
    first_due_ = base::kForever;
    for (WarpMask left = of; left != 0; left &= left - 1) {
      first_due_ = std::min(first_due_, warps_[lowest(left)].pointers.front().due);
    }
  }
  return first_due_;
}

// Returns the next tick with work for `advance`; kForever if no such tick is known before a launch record is stored.
// While older stores of the block are in flight, `advance` has work in every tick, because a store may be acknowledged
// in any tick.
Tick LaunchPointers::next() {
  const Tick soonest = clock_.tick() + 1;
  if (behind_ != 0) return soonest;
  Tick next = first_due();
  for (WarpMask left = unsent_; left != 0; left &= left - 1) {
    const OfWarp& calls = warps_[lowest(left)];
    next = std::min(next, calls.pointers[calls.sent].from);
  }
  return next == base::kForever ? next : std::max(next, soonest);
}

}  // namespace castor::gpu
