// Issue: step S5 of an SM.

#include <algorithm>
#include <optional>

#include "castor/base/error.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_hook_state.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {
namespace {

// Issue classes of machines that issue one instruction of each (issue.warps 5).
constexpr std::array<std::uint8_t, kUnitPools> kIssueClass = {1, 2, 0, 0, 0, 0, 3, 4};

}  // namespace

// What is combinational in a tick depends only on what stands before it: state -> early outputs of hooks -> ready warps
// -> picks of the issue policy -> fetch filter -> commits.
void Sm::issue() {
  const WarpMask open = buffer_.valid() & ~blocked_.any() & ~(buffer_.drains() & scoreboard_.memory_busy());
  const WarpMask clear = open & scoreboard_.clear();
  if (stands_still(open, clear)) {
    if (!hooked_) return;
    if (hook_state_->judged_ok == hook_state_->barrier_ok) {
      settle_issue(0, 0);
      return;
    }
  }
  issued_ = refused_ = events_used_ = lanes_issued_ = 0;
  first_count_ = 0;
  unit_wake_ = kForever;
  WarpMask ready = clear != 0 ? acceptable(clear) : 0;
  if (hooked_) ready = permitted(ready);
  ready_left_ = ready != 0;
  // An issue policy decides about nothing but barriers while nothing is ready.
  standstill_.holds = ready == 0 && filter_ == nullptr;
  if (hooked_) hook_state_->judged_ok = hook_state_->barrier_ok;
  if (standstill_.holds) {
    standstill_.collector_free = pipelines_.collector_free();
    standstill_.full_queues = memory_side_.full_queues();
    standstill_.open = open;
    standstill_.clear = clear;
    standstill_.waits_load = open & scoreboard_.waits_load();
  }
  unsigned acting = (1U << schedulers_) - 1;
  if (machine_.issue.period > 1) {
    acting = 0;
    const auto phase = static_cast<unsigned>(clock_.tick() % machine_.issue.period);
    for (unsigned s = phase; s < schedulers_; s += machine_.issue.period) {
      acting |= 1U << s;
    }
  }
  if (hooks_.issue != nullptr) {
    settle_issue(ready, acting);
  } else if (ready != 0) {
    WarpMask mine = 0;
    for (unsigned s = 0; s < schedulers_; ++s) {
      if ((acting >> s & 1) != 0) mine |= scheduler_mask_[s];
    }
    pick(ready & mine);
  }
  if (filter_ != nullptr) settle_filter();
  if (ready != 0) {
    commit_picks();
    if (first_count_ != 0) commit_seconds();
  }
  classify(open, ready);
}

// Nothing was ready in the last tick, and nothing has changed since that decides about it: the stall classes are those
// of the last tick, too.
bool Sm::stands_still(WarpMask open, WarpMask clear) const {
  const Standstill& last = standstill_;
  if (!last.holds || open != last.open || clear != last.clear || (open & scoreboard_.waits_load()) != last.waits_load)
    return false;
  return clear == 0 || (clock_.tick() < unit_wake_ && pipelines_.collector_free() == last.collector_free &&
                        memory_side_.full_queues() == last.full_queues);
}

WarpMask Sm::acceptable(WarpMask candidates) {
  WarpMask result = candidates & (buffer_.of(UnitPool::kControl) | buffer_.of(UnitPool::kSync));
  candidates &= ~result;
  // A collector that becomes free is an event.
  if (candidates == 0 || !pipelines_.collector_free()) return result;
  for (std::size_t p = 0; p < kRealPools; ++p) {
    WarpMask mask = candidates & buffer_.of(static_cast<UnitPool>(p));
    if (mask == 0) continue;
    const auto pool = static_cast<UnitPool>(p);
    const unsigned groups = pipelines_.divided(pool) ? schedulers_ : 1;
    for (unsigned s = 0; s < groups; ++s) {
      const WarpMask mine = groups == 1 ? mask : mask & scheduler_mask_[s];
      if (mine == 0 || pipelines_.accepts(pool, s, clock_.tick())) continue;
      unit_wake_ = std::min(unit_wake_, pipelines_.accepts_from(pool, s));
      mask &= ~mine;
    }
    if (mask == 0) continue;
    if (pool <= UnitPool::kShared) mask = queue_room(mask);
    result |= mask;
  }
  return result;
}

WarpMask Sm::queue_room(WarpMask mask) const {
  const auto room = [this](unsigned w) { return memory_side_.can_accept(warps_[w].records[warps_[w].pc]); };
  // One queue takes all or none of them; where shared memory has its own, the space decides.
  if (machine_.units.mem_shared == 0) return room(lowest(mask)) ? mask : 0;
  for (WarpMask left = mask; left != 0; left &= left - 1) {
    if (!room(lowest(left))) mask &= ~warp_bit(lowest(left));
  }
  return mask;
}

unsigned Sm::pick_one(unsigned scheduler, unsigned which, WarpMask ready) const {
  switch (machine_.issue.policy) {
    case IssuePolicy::kGto: {
      const unsigned greedy = greedy_[scheduler][which];
      if (greedy < kMaxWarps && (ready & warp_bit(greedy)) != 0) return greedy;
      return warps_.ages().oldest(ready);
    }
    case IssuePolicy::kLrr:
      return next_after(ready, last_[scheduler]);
    case IssuePolicy::kOldest:
    case IssuePolicy::kTl:
    case IssuePolicy::kCatls:
      break;
  }
  return warps_.ages().oldest(ready);
}

std::array<WarpMask, kMaxPicks> Sm::issue_classes() const {
  std::array<WarpMask, kMaxPicks> classes{};
  for (std::size_t p = 0; p < kUnitPools; ++p) classes[kIssueClass[p]] |= buffer_.of(static_cast<UnitPool>(p));
  return classes;
}

// State moves on with what really issues; picks of one tick build on a copy.
void Sm::pick_in_groups(WarpMask ready) {
  const WarpMask waiting = scoreboard_.waits_load() | blocked_.any();
  const unsigned warps = machine_.issue.warps;
  std::optional<WarpGroups> trial;
  if (warps > 1) trial = *groups_;
  for (unsigned s = 0; s < schedulers_; ++s) {
    WarpMask mine = ready & scheduler_mask_[s];
    for (unsigned j = 0; j < warps && mine != 0; ++j) {
      const unsigned w = (trial ? *trial : *groups_).pick(s, mine, warps_.live(), waiting);
      if (w == WarpGroups::kNone) break;
      picks_[s][j] = static_cast<std::int8_t>(w);
      mine &= ~warp_bit(w);
      if (trial) trial->issued(s, w);
    }
  }
}

void Sm::pick(WarpMask ready) {
  if (groups_) {
    pick_in_groups(ready);
    return;
  }
  const unsigned warps = machine_.issue.warps;
  for (unsigned s = 0; s < schedulers_; ++s) {
    WarpMask mine = ready & scheduler_mask_[s];
    if (mine == 0) continue;
    if (warps == kMaxIssueClasses) {
      WarpMask by_class[kMaxIssueClasses] = {};
      for (std::size_t p = 0; p < kUnitPools; ++p)
        by_class[kIssueClass[p]] |= mine & buffer_.of(static_cast<UnitPool>(p));
      for (unsigned c = 0; c < kMaxIssueClasses; ++c) {
        if (by_class[c] != 0) picks_[s][c] = static_cast<std::int8_t>(pick_one(s, c, by_class[c]));
      }
      continue;
    }
    const std::uint8_t last = last_[s];
    for (unsigned j = 0; j < warps && mine != 0; ++j) {
      const unsigned w = pick_one(s, j, mine);
      picks_[s][j] = static_cast<std::int8_t>(w);
      mine &= ~warp_bit(w);
      if (warps > 1) last_[s] = static_cast<std::uint8_t>(w);  // the next pick goes on behind it
    }
    last_[s] = last;
  }
}

void Sm::commit_picks() {
  constexpr auto kControl = static_cast<unsigned>(UnitPool::kControl);
  pool_picks_.fill(0);
  unsigned pools = 0;
  const unsigned warps = machine_.issue.warps;
  for (unsigned s = 0; s < schedulers_; ++s) {
    for (unsigned j = 0; j < warps; ++j) {
      if (picks_[s][j] < 0) continue;
      // Instructions without a unit commit as one pool.
      const unsigned pool =
          std::min(static_cast<unsigned>(buffer_.pool(static_cast<std::uint8_t>(picks_[s][j]))), kControl);
      pool_picks_[pool] |= static_cast<std::uint8_t>(1U << s);
      pools |= 1U << pool;
    }
  }
  for (; pools != 0; pools &= pools - 1) {
    const auto pool = static_cast<unsigned>(__builtin_ctz(pools));
    // From the scheduler that was refused first the last time, in cyclic order.
    const unsigned mask = pool_picks_[pool];
    const unsigned below = mask & ((1U << first_refused_[pool]) - 1);
    int refused = -1;
    for (unsigned part : {mask & ~below, below}) {
      for (; part != 0; part &= part - 1) {
        commit(pool, static_cast<unsigned>(__builtin_ctz(part)), refused);
      }
    }
    if (refused >= 0) first_refused_[pool] = static_cast<std::uint8_t>(refused);
  }
}

void Sm::commit(unsigned pool, unsigned scheduler, int& refused) {
  constexpr auto kControl = static_cast<unsigned>(UnitPool::kControl);
  auto& picks = picks_[scheduler];
  for (unsigned j = 0; j < machine_.issue.warps; ++j) {
    if (picks[j] < 0) continue;
    const unsigned w = static_cast<std::uint8_t>(picks[j]);
    if (std::min(static_cast<unsigned>(buffer_.pool(w)), kControl) != pool) continue;
    picks[j] = -1;
    if (can_commit(scheduler, w)) {
      issued(scheduler, j, w);
      continue;
    }
    busy_ = true;
    refused_ |= 1U << scheduler;
    refused_warps_ |= warp_bit(w);
    if (refused < 0) refused = static_cast<int>(scheduler);
  }
}

void Sm::issue_instruction(unsigned scheduler, unsigned w) {
  const WarpState& warp = warps_[w];
  const isa::Record& record = warp.records[warp.pc];
  const Decoded& decoded = warp.decoded[warp.pc];
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  const unsigned lanes =
      mask == warps_.all_lanes() ? warps_.lanes() : static_cast<unsigned>(__builtin_popcountll(mask));
  CASTOR_ASSERT_AT(clock_.now(), (buffer_.valid() & scoreboard_.clear() & warp_bit(w)) != 0,
                   "warp %u of SM %u issues with a register pending", w, index());
  counter_.count(warp.tb, decoded, lanes);
  lanes_issued_ += lanes;
  issued_ |= 1U << scheduler;
  if ((buffer_.meets() & warp_bit(w)) != 0) events_used_ |= 1U << scheduler;
  busy_ = true;
  if (watched_) {
    if (counter_.observed()) counter_.tell(scheduler, w, warp, mask);
    if (filter_ != nullptr && filter_issues(scheduler, w, record, decoded, mask)) return;
  }
  executor_.execute(scheduler, w, record, decoded, mask);
}

void Sm::issued(unsigned scheduler, unsigned which, unsigned w) {
  const bool may_pair = machine_.issue.per_warp == 2 && buffer_.pool(w) < UnitPool::kControl;
  const UnitPool pool = buffer_.pool(w);
  issue_instruction(scheduler, w);
  greedy_[scheduler][which] = static_cast<std::uint8_t>(w);
  last_[scheduler] = static_cast<std::uint8_t>(w);
  if (groups_) groups_->issued(scheduler, w);
  if (may_pair) firsts_[first_count_++] = {static_cast<std::uint8_t>(scheduler), static_cast<std::uint8_t>(w), pool};
}

void Sm::commit_seconds() {
  for (unsigned i = 0; i < first_count_; ++i) {
    const First& first = firsts_[i];
    const unsigned w = first.warp;
    if ((buffer_.valid() & scoreboard_.clear() & ~blocked_.any() & warp_bit(w)) == 0) continue;
    if ((buffer_.drains() & scoreboard_.memory_busy() & warp_bit(w)) != 0) continue;
    if (machine_.issue.dual_issue_diff_units && buffer_.pool(w) == first.pool) continue;
    if (hooked_ && permitted(warp_bit(w)) == 0) continue;
    if (can_commit(first.scheduler, w)) issue_instruction(first.scheduler, w);
  }
}

bool Sm::can_commit(unsigned scheduler, unsigned w) const {
  const WarpState& warp = warps_[w];
  if (buffer_.pool(w) < UnitPool::kControl) {
    if (!pipelines_.accepts(buffer_.pool(w), scheduler, clock_.tick())) return false;
    return buffer_.pool(w) > UnitPool::kShared || memory_side_.can_accept(warp.records[warp.pc]);
  }
  // One barrier or exit per scheduler and tick.
  return (buffer_.meets() & warp_bit(w)) == 0 || (events_used_ >> scheduler & 1) == 0;
}

void Sm::classify(WarpMask open, WarpMask ready) {
  for (unsigned s = 0; s < schedulers_; ++s) {
    lacks_[s] = 0;
    if ((issued_ >> s & 1) != 0) continue;
    // Nothing has changed for the warps of a scheduler that did not issue.
    const WarpMask mine = open & scheduler_mask_[s];
    const WarpMask clear = mine & scoreboard_.clear();
    if (mine == 0) {
      stall_[s] = StallClass::kIdle;
    } else if (clear == 0) {
      stall_[s] = (mine & scoreboard_.waits_load()) != 0 ? StallClass::kRawMemory : StallClass::kRaw;
    } else {
      const unsigned w = warps_.ages().oldest(clear);
      const UnitPool pool = buffer_.pool(w);
      stall_[s] = pool <= UnitPool::kShared ? StallClass::kMemoryPipe : StallClass::kComputePipe;
      const bool refused = (refused_ >> s & 1) != 0;
      // A ready warp of a scheduler that does not act in this tick lacks nothing.
      if ((ready & warp_bit(w)) == 0 || refused) lacks_[s] = pipelines_.collector_free() || refused ? 2 : 1;
    }
  }
}

}  // namespace castor::gpu
