#include "tb/saws/cover_points.h"

#include <algorithm>

namespace castor::saws::tb {
namespace {

// Conditions: `some` schedulers beside one, the SAWS hardware, room for two or three CTAs in a list, and so on.
// clang-format off
#define SAWS_COVER(X)                                                                                      \
  X(StartGto, true, "kernel starts as GTO")                                                                \
  X(StartAuto, true, "kernel starts as GTO until the 1st barrier")                                         \
  X(StartAlways, true, "kernel starts as SAWS")                                                            \
  X(StartThree, true, "kernel starts with mode_sel 3")                                                     \
  X(StartToggling, true, "kernel starts with toggling")                                                    \
  X(StartNotToggling, true, "kernel starts without toggling")                                              \
  X(StartInSaws, saws, "kernel starts in SAWS mode")                                                       \
  X(StartMessages, saws, "kernel starts while messages wait")                                              \
  X(StartResident, true, "kernel starts with CTAs resident")                                               \
  X(StartEmpty, true, "kernel starts without CTAs")                                                        \
  X(StartOperation, true, "kernel starts together with a CTA operation")                                   \
  X(StartEvent, true, "kernel starts together with a warp event")                                          \
  X(StartUnblock, true, "kernel starts together with an unblock")                                          \
  X(StartAck, true, "kernel starts together with an acknowledge")                                          \
  X(BeforeStart, true, "event before the first kernel_start")                                              \
  X(PickNone, true, "no candidate")                                                                        \
  X(PickNotAllocated, true, "ready warp that is not allocated")                                            \
  X(PickGreedy, true, "greedy pick")                                                                       \
  X(PickGreedyNotHead, ctas, "greedy pick though an older warp is ready")                                  \
  X(PickOldest, warps, "oldest pick because the greedy warp is not ready")                                 \
  X(PickHead, saws, "SAWS pick of the head")                                                               \
  X(PickBehind, saws && ctas, "SAWS pick behind the head")                                                 \
  X(PickPosition, saws && ctas, "SAWS pick above a lower local index")                                     \
  X(PickTie, saws && warps, "SAWS pick of the lower of two warps of a CTA")                                \
  X(PickHeld, true, "pick that is not acknowledged")                                                       \
  X(PickAll, some, "all schedulers issue")                                                                 \
  X(AckNothing, true, "acknowledge without a pick")                                                        \
  X(Switch, saws, "switch")                                                                                \
  X(SwitchRotates, saws && ctas && !age, "switch moves the greedy CTA to the head")                        \
  X(SwitchByAge, saws && ctas && age, "switch leaves the greedy CTA where it is")                          \
  X(SwitchHead, saws, "switch with the greedy CTA at the head")                                            \
  X(SwitchNoGreedy, saws, "switch without a greedy warp on a scheduler that has CTAs")                     \
  X(SwitchStale, saws && warps, "switch with a greedy pointer to a free slot")                             \
  X(SwitchAck, saws, "switch while a pick issues")                                                         \
  X(SwitchPutOff, saws, "switch put off by a CTA operation")                                               \
  X(SwitchOther, saws && ctas, "switch by a CTA that is not the greedy one")                               \
  X(MessageHit, saws && cta2, "message of a hit")                                                          \
  X(MessageAll, saws && warps, "message of all blocked")                                                   \
  X(MessageBoth, saws, "message of both")                                                                  \
  X(MessageKilled, saws, "message of a freed CTA")                                                         \
  X(Message0, saws, "message of scheduler 0")                                                              \
  X(Message1, saws && some, "message of scheduler 1")                                                      \
  X(Message2, saws && four, "message of scheduler 2")                                                      \
  X(Message3, saws && four, "message of scheduler 3")                                                      \
  X(MessagesMany, saws && some, "messages in several queues")                                              \
  X(TurnPasses, saws && some, "turn passes over an empty queue")                                           \
  X(MessagePutOff, saws, "message put off by a CTA operation")                                             \
  X(MessageInOut, saws && deep, "message taken and another one queued behind it")                          \
  X(QueueFull, saws, "queue full")                                                                         \
  X(QueuesFull, saws && some, "all queues full")                                                           \
  X(FullTaken, saws, "message taken out of a full queue")                                                  \
  X(Twenty, saws, "20 CTA operations in consecutive cycles with a full queue")                             \
  X(KilledReused, saws, "slot placed again while a message of its last CTA waits")                         \
  X(PromoteMoves, saws && some && three, "promotion moves a CTA")                                          \
  X(PromoteFar, saws && some && four_ctas, "promotion passes several CTAs")                                \
  X(PromoteInPlace, saws && some && ctas, "promotion of the CTA at P")                                     \
  X(PromoteAbove, saws && some, "promotion of a CTA above P")                                              \
  X(PromoteAbsent, saws && some, "promotion meets a scheduler without the CTA")                            \
  X(PromoteAll, saws && some && ctas, "P reaches the length of the list")                                  \
  X(DemoteLowers, saws && some && ctas, "demotion lowers P")                                               \
  X(DemoteFloor, saws && floor, "demotion at the floor")                                                   \
  X(DemoteBehind, saws && ctas, "demotion of a CTA at or behind P")                                        \
  X(DemoteTail, saws, "demotion of the tail")                                                              \
  X(DemoteAtHit, saws && at_hit && cta2, "demotion by a hit alone")                                        \
  X(PZero, saws && !floor, "P is 0")                                                                       \
  X(PlaceFirst, true, "CTA placed on an empty list")                                                       \
  X(PlaceBehind, ctas, "CTA placed behind others")                                                         \
  X(PlaceSaws, saws, "CTA placed in SAWS mode")                                                            \
  X(PlaceAbsent, some, "CTA placed without warps on a scheduler")                                          \
  X(SlotsUsed, all_slots, "all CTA slots used")                                                            \
  X(WarpsUsed, true, "all warps used")                                                                     \
  X(ListFull, longest, "a CTA per warp in a list")                                                         \
  X(PlaceAgain, true, "slot placed in the cycle after it was freed")                                       \
  X(FreeHead, ctas, "head freed")                                                                          \
  X(FreeMiddle, three, "middle of a list freed")                                                           \
  X(FreeTail, ctas, "tail freed")                                                                          \
  X(FreeAbove, saws && some && ctas, "freed above P, P falls")                                             \
  X(FreeFloor, saws && floor, "freed above P at the floor")                                                \
  X(FreeBehind, saws && ctas, "freed at or behind P")                                                      \
  X(FreeGreedy, true, "greedy CTA freed")                                                                  \
  X(FreeIssuing, true, "greedy CTA freed while one of its warps issues")                                   \
  X(FreeIssuingOther, ctas, "greedy CTA freed while a warp of another CTA issues")                         \
  X(FreeMessage, saws, "CTA freed while a message of it waits")                                            \
  X(FreeEvent, true, "CTA freed in the cycle of an event of it")                                           \
  X(FreeLive, true, "CTA with live warps freed")                                                           \
  X(FreeDead, true, "CTA without live warps freed")                                                        \
  X(Hit, true, "1st hit")                                                                                  \
  X(HitPromotes, saws, "1st hit that promotes while toggling")                                             \
  X(HitToggled, saws, "1st hit that does not promote")                                                     \
  X(HitNotToggling, saws, "1st hit without toggling")                                                      \
  X(HitInGto, saws, "1st hit under mode_sel GTO")                                                          \
  X(HitAtSwitch, saws && cta2, "1st hit in the cycle of the switch")                                               \
  X(HitTwo, some, "two schedulers report 1st hits of a CTA in one cycle")                                  \
  X(Arrival, warps, "arrival at an open barrier")                                                          \
  X(BlockAll, true, "last local warp blocks")                                                              \
  X(ExitAll, warps, "exit leaves only blocked warps")                                                      \
  X(ExitLast, true, "last live warp of a CTA exits")                                                       \
  X(ExitUnblocks, warps, "exit together with the unblock of its siblings")                                 \
  X(ExitBlocked, true, "blocked warp exits")                                                               \
  X(ExitAndBlock, some, "exit and arrival of one CTA in one cycle")                                        \
  X(UnblockAlone, true, "unblock without an event")                                                        \
  X(UnblockAndHit, true, "unblock of a CTA and its next 1st hit in one cycle")                             \
  X(EventsAll, some, "all schedulers report events of one CTA")                                            \
  X(EventsApart, some && any_ctas, "events of different CTAs in one cycle")                                \
  X(EventSuppressed, saws, "message suppressed because its CTA is freed")                                  \
  X(DeadWarp, true, "error: event of a warp that is not live")                                             \
  X(NoWarp, ragged_warps, "error: event of a warp that does not exist")                                    \
  X(Twice, true, "error: a warp blocks twice")                                                             \
  X(Lost, saws, "error: message lost")                                                                     \
  X(PlaceUsed, true, "error: used slot placed")                                                            \
  X(PlaceNothing, true, "error: CTA without warps placed")                                                 \
  X(PlaceTaken, any_ctas, "error: CTA with taken warps placed")                                            \
  X(NoSlot, ragged_slots, "error: slot that does not exist")                                               \
  X(FreeUnused, true, "error: unused slot freed")                                                          \
  X(TwoErrors, true, "two kinds of error in one cycle")
// clang-format on

enum Id : unsigned {
#define SAWS_COVER_ID(id_, possible_, name_) k##id_,
  SAWS_COVER(SAWS_COVER_ID)
#undef SAWS_COVER_ID
      kPoints
};

constexpr bool at(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }

}  // namespace

CoverPoints::CoverPoints(const Params& p) : params_(p) {
  const unsigned width = p.warps_per_scheduler(), list = std::min(width, p.MaxCta);
  const bool saws = p.SawsEn == 1, some = p.NumSched > 1, four = p.NumSched == 4, floor = p.PFloor == 1;
  const bool age = p.InitOrder == 1, at_hit = p.DemoteAt == 1, warps = width > 1, cta2 = p.NumWarps > 1;
  const bool ctas = list > 1, three = list > 2, four_ctas = list > 3, any_ctas = p.MaxCta > 1 && p.NumWarps > 1;
  const bool all_slots = p.MaxCta <= p.NumWarps, longest = p.MaxCta >= width;
  const bool ragged_warps = 1U << p.index_bits() != width, ragged_slots = 1U << p.cta_bits() != p.MaxCta;
  const bool deep = p.EvqDepth > 1 && p.NumWarps > 1;
  const auto add = [this](bool possible, const char* name) {
    number_.push_back(possible ? static_cast<unsigned>(points_.size()) : kNone);
    if (possible) points_.push_back({name, 0});
  };
#define SAWS_COVER_ADD(id_, possible_, name_) add(possible_, name_);
  SAWS_COVER(SAWS_COVER_ADD)
#undef SAWS_COVER_ADD
  for (unsigned w = 0; w < p.NumWarps; ++w) on_[w % p.NumSched] |= U64{1} << w;
}

U64 CoverPoints::warps_of(unsigned cta, const Probes& probes) const {
  U64 mask = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (probes.allocated[w] && probes.warp_cta[w] == cta) mask |= U64{1} << w;
  }
  return mask;
}

unsigned CoverPoints::warp_on(unsigned cta, unsigned scheduler, const Probes& probes) const {
  const U64 mask = warps_of(cta, probes) & on_[scheduler];
  return mask == 0 ? params_.NumWarps : static_cast<unsigned>(__builtin_ctzll(mask));
}

unsigned CoverPoints::greedy_cta(unsigned scheduler, const Probes& probes) const {
  const unsigned w = probes.pointer[scheduler] * params_.NumSched + scheduler;
  return probes.allocated[w] ? probes.warp_cta[w] : params_.MaxCta;
}

void CoverPoints::sample(const Inputs& in, const Outputs& out, const Probes& probes) {
  picks(in, out, probes);
  if (in.kernel_start != 0) {
    kernel(in, probes);
    return;
  }
  message(in, probes);
  events(in, probes);
  freed_ = in.cta_valid != 0 && in.cta_free != 0 ? in.cta_id : ~0U;
}

void CoverPoints::kernel(const Inputs& in, const Probes& probes) {
  hit(kStartGto + in.mode_sel);
  hit(in.toggle_en != 0 ? kStartToggling : kStartNotToggling);
  hit(kStartInSaws, probes.mode == Mode::kSaws);
  hit(kStartMessages, std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) { return !queue.empty(); }));
  hit(probes.cta_used != 0 ? kStartResident : kStartEmpty);
  hit(kStartOperation, in.cta_valid != 0);
  hit(kStartEvent, in.wev_valid != 0);
  hit(kStartUnblock, in.unblock.any());
  hit(kStartAck, in.issue_ack != 0);
  for (auto& queue : queues_) queue.clear();
  started_ = true;
  operations_ = 0;
  freed_ = ~0U;
}

void CoverPoints::picks(const Inputs& in, const Outputs& out, const Probes& probes) {
  const U64 ready = in.w_ready.word(0) & probes.allocated.word(0);
  hit(kPickNotAllocated, (in.w_ready.word(0) & ~probes.allocated.word(0)) != 0);
  hit(kAckNothing, (in.issue_ack & ~out.issue_valid) != 0);
  hit(kPickAll, (in.issue_ack & out.issue_valid) == twin::mask(params_.NumSched));
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if (!at(out.issue_valid, s)) {
      hit(kPickNone);
      continue;
    }
    hit(kPickHeld, !at(in.issue_ack, s));
    const unsigned picked = out.issue_idx[s] * params_.NumSched + s;
    const unsigned greedy = probes.pointer[s] * params_.NumSched + s;
    bool older = false, lower = false, sibling = false;
    for (U64 others = ready & on_[s] & ~(U64{1} << picked); others != 0; others &= others - 1) {
      const unsigned w = static_cast<unsigned>(__builtin_ctzll(others));
      older |= probes.position[w] < probes.position[picked];
      lower |= w < picked;
      sibling |= probes.position[w] == probes.position[picked];
    }
    if (probes.mode == Mode::kGto) {
      const bool valid = at(probes.greedy, s);
      hit(kPickGreedy, valid && greedy == picked);
      hit(kPickGreedyNotHead, valid && greedy == picked && older);
      hit(kPickOldest, valid && greedy != picked);
    } else {
      hit(probes.position[picked] == 0 ? kPickHead : kPickBehind);
      hit(kPickPosition, lower);
      hit(kPickTie, sibling);
    }
  }
}

void CoverPoints::message(const Inputs& in, const Probes& probes) {
  unsigned full = 0, waiting = 0;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    full += queues_[s].size() == params_.EvqDepth ? 1 : 0;
    waiting += queues_[s].empty() ? 0 : 1;
    hit(kPZero, probes.mode == Mode::kSaws && probes.pointer[s] == 0);
    hit(kPromoteAll, probes.mode == Mode::kSaws && probes.length[s] > 1 && probes.pointer[s] == probes.length[s]);
  }
  hit(kQueueFull, full > 0);
  hit(kQueuesFull, full == params_.NumSched);
  hit(kMessagesMany, waiting > 1);
  operations_ = in.cta_valid != 0 && full > 0 ? operations_ + 1 : 0;
  hit(kTwenty, operations_ == 20);
  if (waiting == 0) return;
  if (in.cta_valid != 0) {
    hit(probes.mode == Mode::kGto ? kSwitchPutOff : kMessagePutOff);
    return;
  }
  if (probes.mode == Mode::kGto) {
    switching(in, probes);
    return;
  }
  unsigned from = probes.turn;
  while (queues_[from].empty()) from = (from + 1) % params_.NumSched;
  hit(kTurnPasses, from != probes.turn);
  hit(kMessage0 + from);
  hit(kFullTaken, queues_[from].size() == params_.EvqDepth);
  const Message taken = queues_[from].front();
  queues_[from].pop_front();
  hit(taken.killed                     ? kMessageKilled
      : taken.hit && taken.all_blocked ? kMessageBoth
      : taken.hit                      ? kMessageHit
                                       : kMessageAll);
  if (!taken.killed) broadcast(from, taken, probes);
}

void CoverPoints::switching(const Inputs& in, const Probes& probes) {
  hit(kSwitch);
  hit(kSwitchAck, in.issue_ack != 0);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if (!at(probes.greedy, s)) {
      hit(kSwitchNoGreedy, probes.length[s] > 0);
      continue;
    }
    const unsigned cta = greedy_cta(s, probes);
    if (cta == params_.MaxCta) {
      hit(kSwitchStale);
      continue;
    }
    const bool head = probes.position[warp_on(cta, s, probes)] == 0;
    hit(head ? kSwitchHead : params_.InitOrder == 1 ? kSwitchByAge : kSwitchRotates);
    hit(kSwitchOther, !queues_[s].empty() && queues_[s].front().cta != cta);
  }
}

void CoverPoints::broadcast(unsigned from, const Message& message, const Probes& probes) {
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    const unsigned w = warp_on(message.cta, s, probes), p = probes.pointer[s];
    if (w == params_.NumWarps) {
      hit(kPromoteAbsent, message.hit);
      continue;
    }
    const unsigned position = probes.position[w];
    if (s != from && message.hit) {
      hit(position > p ? kPromoteMoves : position == p ? kPromoteInPlace : kPromoteAbove);
      hit(kPromoteFar, position > p + 1);
    }
    const bool at_hit = message.hit && params_.DemoteAt == 1;
    if (s != from || (!message.all_blocked && !at_hit)) continue;
    hit(kDemoteAtHit, !message.all_blocked);
    hit(kDemoteTail, position + 1U == probes.length[s]);
    hit(position >= p ? kDemoteBehind : p > params_.PFloor ? kDemoteLowers : kDemoteFloor);
  }
}

void CoverPoints::events(const Inputs& in, const Probes& probes) {
  const U64 unblock = in.unblock.word(0), live = probes.live.word(0);
  U64 blocked = probes.blocked.word(0) & ~unblock, live_after = live;
  std::vector<Event> accepted;
  unsigned errors = 0;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if (!at(in.wev_valid, s)) continue;
    hit(kBeforeStart, !started_);
    const unsigned w = in.wev_idx[s] * params_.NumSched + s;
    if (in.wev_idx[s] >= params_.warps_per_scheduler() || !at(live, w)) {
      hit(in.wev_idx[s] >= params_.warps_per_scheduler() ? kNoWarp : kDeadWarp);
      errors |= 1U;
      continue;
    }
    const U64 self = U64{1} << w;
    Event event{s, probes.warp_cta[w], at(in.wev_exit, s), false, (blocked & self) != 0};
    if (event.exit) {
      live_after &= ~self;
      blocked &= ~self;
    } else if (event.blocked_before) {
      hit(kTwice);
      errors |= 2U;
      continue;
    } else {
      event.hit = (blocked & warps_of(event.cta, probes)) == 0;
      blocked |= self;
    }
    accepted.push_back(event);
  }
  hit(kUnblockAlone, in.unblock.any() && in.wev_valid == 0);
  collisions(accepted, in, probes);

  std::array<std::deque<Message>, 4> queued;
  for (const Event& event : accepted) {
    const U64 warps = warps_of(event.cta, probes), mine = warps & on_[event.scheduler] & live_after;
    const bool all = mine != 0 && (mine & ~blocked) == 0;
    const bool toggle = at(probes.toggle, event.cta), promotes = event.hit && (probes.toggling == 0 || toggle);
    hit(kHit, event.hit);
    hit(kHitPromotes, event.hit && probes.toggling != 0 && toggle);
    hit(kHitToggled, event.hit && !promotes);
    hit(kHitNotToggling, event.hit && probes.toggling == 0);
    hit(kHitInGto, event.hit && probes.selected == 0);
    hit(kArrival, !event.exit && !event.hit);
    hit(event.exit ? kExitAll : kBlockAll, all);
    hit(kExitLast, event.exit && (warps & live_after) == 0);
    hit(kExitUnblocks, event.exit && (warps & unblock & probes.blocked.word(0)) != 0);
    hit(kExitBlocked, event.exit && event.blocked_before);
    if (params_.SawsEn == 0 || probes.selected == 0 || (!promotes && !all)) continue;
    if (in.cta_valid != 0 && in.cta_free != 0 && in.cta_id == event.cta) {
      hit(kEventSuppressed);
    } else if (probes.waiting[event.scheduler] == params_.EvqDepth) {
      hit(kLost);
      errors |= 4U;
    } else {
      hit(kMessageInOut, probes.waiting[event.scheduler] > queues_[event.scheduler].size());
      queued[event.scheduler].push_back({event.cta, promotes, all, false});
    }
  }
  if (in.cta_valid != 0) {
    if (in.cta_id >= params_.MaxCta) {
      hit(kNoSlot);
      errors |= 1U;
    } else if (in.cta_free != 0) {
      if (!at(probes.cta_used, in.cta_id)) errors |= 1U;
      free(in, probes);
    } else {
      const bool taken = (in.cta_wmask & probes.allocated).any();
      if (at(probes.cta_used, in.cta_id) || in.cta_wmask.none() || taken) errors |= 1U;
      place(in, probes);
    }
  }
  hit(kTwoErrors, (errors & (errors - 1U)) != 0);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    for (const Message& message : queued[s]) queues_[s].push_back(message);
  }
}

void CoverPoints::collisions(const std::vector<Event>& accepted, const Inputs& in, const Probes& probes) {
  bool same = true;
  for (const Event& a : accepted) {
    const U64 warps = warps_of(a.cta, probes);
    same = same && a.cta == accepted.front().cta;
    hit(kUnblockAndHit, a.hit && (in.unblock.word(0) & probes.blocked.word(0) & warps) != 0);
    hit(kFreeEvent, in.cta_valid != 0 && in.cta_free != 0 && in.cta_id == a.cta);
    const bool waiting = std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) { return !queue.empty(); });
    hit(kHitAtSwitch, a.hit && waiting && probes.mode == Mode::kGto && in.cta_valid == 0);
    for (const Event& b : accepted) {
      if (b.scheduler <= a.scheduler) continue;
      hit(kEventsApart, a.cta != b.cta);
      if (a.cta != b.cta) continue;
      hit(kHitTwo, a.hit && !b.exit && !b.hit);
      hit(kExitAndBlock, a.exit != b.exit);
    }
  }
  hit(kEventsAll, same && accepted.size() == params_.NumSched);
}

void CoverPoints::place(const Inputs& in, const Probes& probes) {
  if (at(probes.cta_used, in.cta_id)) {
    hit(kPlaceUsed);
  } else if (in.cta_wmask.none()) {
    hit(kPlaceNothing);
  } else if ((in.cta_wmask & probes.allocated).any()) {
    hit(kPlaceTaken);
  } else {
    const U64 mask = in.cta_wmask.word(0);
    hit(kPlaceSaws, probes.mode == Mode::kSaws);
    hit(kPlaceAgain, freed_ == in.cta_id);
    hit(kSlotsUsed, (probes.cta_used | U32{1} << in.cta_id) == twin::mask(params_.MaxCta));
    hit(kWarpsUsed, (probes.allocated.word(0) | mask) == twin::mask(params_.NumWarps));
    for (unsigned s = 0; s < params_.NumSched; ++s) {
      if ((mask & on_[s]) == 0) {
        hit(kPlaceAbsent);
        continue;
      }
      hit(probes.length[s] == 0 ? kPlaceFirst : kPlaceBehind);
      hit(kListFull, probes.length[s] + 1U == params_.warps_per_scheduler());
    }
    for (const auto& queue : queues_) {
      for (const Message& message : queue) hit(kKilledReused, message.cta == in.cta_id);
    }
  }
}

void CoverPoints::free(const Inputs& in, const Probes& probes) {
  const unsigned cta = in.cta_id;
  if (!at(probes.cta_used, cta)) {
    hit(kFreeUnused);
    return;
  }
  const U64 warps = warps_of(cta, probes);
  hit((warps & probes.live.word(0)) != 0 ? kFreeLive : kFreeDead);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    for (Message& message : queues_[s]) {
      if (message.cta != cta) continue;
      hit(kFreeMessage);
      message.killed = true;
    }
    const unsigned w = warp_on(cta, s, probes);
    if (w == params_.NumWarps) continue;
    const unsigned position = probes.position[w], length = probes.length[s], p = probes.pointer[s];
    if (length > 1) hit(position == 0 ? kFreeHead : position + 1 == length ? kFreeTail : kFreeMiddle);
    if (probes.mode == Mode::kSaws) {
      hit(position >= p ? kFreeBehind : p > params_.PFloor ? kFreeAbove : kFreeFloor);
      continue;
    }
    if (!at(probes.greedy, s) || greedy_cta(s, probes) != cta) continue;
    hit(kFreeGreedy);
    // The pick is worked out anew: the greedy warp if it is ready, else the oldest.
    const U64 ready = in.w_ready.word(0) & probes.allocated.word(0) & on_[s];
    if (!at(in.issue_ack, s) || ready == 0) continue;
    unsigned picked = static_cast<unsigned>(__builtin_ctzll(ready));
    for (U64 rest = ready; rest != 0; rest &= rest - 1) {
      const unsigned candidate = static_cast<unsigned>(__builtin_ctzll(rest));
      if (probes.position[candidate] < probes.position[picked]) picked = candidate;
    }
    const unsigned greedy = p * params_.NumSched + s;
    if (at(ready, greedy)) picked = greedy;
    hit(probes.warp_cta[picked] == cta ? kFreeIssuing : kFreeIssuingOther);
  }
}

}  // namespace castor::saws::tb
