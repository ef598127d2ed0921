#include "castor/saws/engine.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::saws {

namespace {

[[nodiscard]] unsigned lowest(U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

[[nodiscard]] constexpr U64 bit(unsigned number) { return U64{1} << number; }

/// Moves the entry at `from` to `to`; the entries between shift by one.
template <class T, std::size_t N>
void move_entry(std::array<T, N>& entries, unsigned from, unsigned to) {
  const auto begin = entries.begin();
  if (from > to) {
    std::rotate(begin + to, begin + from, begin + from + 1);
  } else {
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  }
}

void move_cta(List& list, unsigned from, unsigned to) {
  move_entry(list.warps, from, to);
  move_entry(list.cta, from, to);
}

}  // namespace

Engine::Engine(const Params& params) : params_(params), scheduler_bits_(0) {
  params_.check();
  scheduler_bits_ = twin::log2_ceil(params_.NumSched);
  for (unsigned w = 0; w < params_.NumWarps; ++w) own_[w % params_.NumSched] |= bit(w);
  reset();
}

void Engine::reset() { start(0, true); }

void Engine::start(U8 mode_sel, bool toggle_en) {
  state_ = {};
  state_.toggle = static_cast<U32>(twin::mask(params_.MaxCta));
  if (params_.SawsEn != 0) {
    state_.selected = mode_sel;
    state_.toggling = toggle_en;
    if (mode_sel == 2) {
      state_.mode = Mode::kSaws;
      for (unsigned s = 0; s < params_.NumSched; ++s) state_.lists[s].pointer = 1;
    }
  }
  out_ = {};
  out_.wev_ready = static_cast<U8>(twin::mask(params_.NumSched));
  out_.mode_saws = static_cast<U8>(state_.mode);
  settled_ = 0;  // out_ shows no picks, which corresponds to no candidates
  stale_ = 0;
}

unsigned Engine::pick(unsigned scheduler, U64 ready) const {
  const U64 candidates = ready & state_.allocated & own_[scheduler];
  if (candidates == 0) return kNoWarp;
  const List& list = state_.lists[scheduler];
  if (list.greedy) {
    const U64 greedy = bit(unsigned{list.pointer} << scheduler_bits_ | scheduler);
    if ((candidates & greedy) != 0) return lowest(greedy);
  }
  // Examines four positions at once, since the end of the search cannot be predicted. The loop ends: every allocated
  // slot is in the list, and entries beyond the list's end are 0.
  static_assert(kMaxCtas % 4 == 0);
  const auto found = [&list, candidates](unsigned position) {
    return unsigned{(list.warps[position] & candidates) != 0};
  };
  for (unsigned p = 0;; p += 4) {
    const unsigned four = found(p) | found(p + 1) << 1 | found(p + 2) << 2 | found(p + 3) << 3;
    if (four != 0) return lowest(list.warps[p + lowest(four)] & candidates);
  }
}

const Outputs& Engine::settle(const Inputs& in) {
  const U64 candidates = in.w_ready.word(0) & state_.allocated;
  const U64 moved = (candidates ^ settled_) | stale_;
  if (moved == 0) return out_;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((moved & own_[s]) == 0) continue;
    const unsigned warp = pick(s, candidates);
    const bool valid = warp != kNoWarp;
    out_.issue_valid = static_cast<U8>((out_.issue_valid & ~(1U << s)) | unsigned{valid} << s);
    out_.issue_idx[s] = static_cast<U8>(valid ? local(warp) : 0);
  }
  settled_ = candidates;
  stale_ = 0;
  return out_;
}

void Engine::clock(const Inputs& in) {
  if (in.kernel_start != 0) {
    start(in.mode_sel, in.toggle_en != 0);
    return;
  }
  const bool message = state_.waiting != 0 && in.cta_valid == 0;
  const U8 room = out_.wev_ready;
  U8 greedy_written = 0;
  // The switch to SAWS overrides the write of an acknowledge.
  if (in.issue_ack != 0 && state_.mode == Mode::kGto && !message) greedy_written = step_greedy(in);
  if (message) step_message();
  state_.err = 0;
  state_.blocked &= ~in.unblock.word(0);
  if (in.wev_valid != 0) step_events(in, room);
  if (in.cta_valid != 0) {
    if (in.cta_free != 0) {
      step_free(in.cta_id, greedy_written);
    } else {
      step_place(in.cta_id, in.cta_wmask.word(0));
    }
  }
  out_.err = state_.err;
}

U8 Engine::step_greedy(const Inputs& in) {
  settle(in);  // an acknowledge refers to the picks of this very edge; they are usually settled already
  const auto written = static_cast<U8>(in.issue_ack & out_.issue_valid);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((written >> s & 1U) == 0) continue;
    // The warp of the pick shown in this cycle becomes the greedy warp, so the picks do not change.
    state_.lists[s].pointer = out_.issue_idx[s];
    state_.lists[s].greedy = true;
  }
  return written;
}

void Engine::step_message() {
  if (state_.mode == Mode::kGto) {
    enter_saws();
    return;
  }
  unsigned source = state_.turn;
  while ((state_.waiting >> source & 1U) == 0) source = (source + 1) % params_.NumSched;
  const Message message = pop(source);
  state_.turn = static_cast<U8>((source + 1) % params_.NumSched);
  if (message.killed) return;
  if (message.hit) {
    for (unsigned s = 0; s < params_.NumSched; ++s) {
      if (s != source) promote(s, message.cta);
    }
  }
  if (message.all_blocked || (params_.DemoteAt == 1 && message.hit)) demote(source, message.cta);
}

void Engine::enter_saws() {
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    List& list = state_.lists[s];
    const unsigned greedy = unsigned{list.pointer} << scheduler_bits_ | s;
    if (params_.InitOrder == 0 && list.greedy && (state_.allocated & bit(greedy)) != 0) {
      move_cta(list, find(list, state_.warp_cta[greedy]), 0);
    }
    list.pointer = 1;
    list.greedy = false;
  }
  state_.mode = Mode::kSaws;
  out_.mode_saws = 1;
  stale_ = ~U64{0};
}

void Engine::step_events(const Inputs& in, U8 room) {
  U8 accepted = 0;
  U8 hits = 0;
  const auto warp_of = [&in, this](unsigned s) { return unsigned{in.wev_idx[s]} << scheduler_bits_ | s; };
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((in.wev_valid >> s & 1U) == 0) continue;
    const unsigned warp = warp_of(s);
    if (warp >= params_.NumWarps || (state_.live & bit(warp)) == 0) {
      state_.err |= kErrorCta;
    } else if ((in.wev_exit >> s & 1U) != 0) {
      state_.live &= ~bit(warp);
      state_.blocked &= ~bit(warp);
      accepted |= static_cast<U8>(1U << s);
    } else if ((state_.blocked & bit(warp)) != 0) {
      state_.err |= kErrorTwice;
    } else {
      if ((state_.cta_warps[state_.warp_cta[warp]] & state_.blocked) == 0) hits |= static_cast<U8>(1U << s);
      state_.blocked |= bit(warp);
      accepted |= static_cast<U8>(1U << s);
    }
  }
  if (params_.SawsEn == 0) return;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((accepted >> s & 1U) == 0) continue;
    const unsigned cta = state_.warp_cta[warp_of(s)];
    const U64 live = state_.cta_warps[cta] & own_[s] & state_.live;
    const bool all_blocked = live != 0 && (live & ~state_.blocked) == 0;
    const bool hit = (hits >> s & 1U) != 0;
    const bool promotes = hit && (!state_.toggling || (state_.toggle >> cta & 1U) != 0);
    if (hit && state_.toggling) state_.toggle ^= U32{1} << cta;
    if (state_.selected == 0 || (!promotes && !all_blocked)) continue;
    if (in.cta_valid != 0 && in.cta_free != 0 && in.cta_id == cta) continue;
    if ((room >> s & 1U) == 0) {
      state_.err |= kErrorMessage;
    } else {
      push(s, {static_cast<U8>(cta), promotes, all_blocked, false});
    }
  }
}

void Engine::step_place(unsigned cta, U64 warps) {
  if (cta >= params_.MaxCta || (state_.cta_used >> cta & 1U) != 0 || warps == 0 || (warps & state_.allocated) != 0) {
    state_.err |= kErrorCta;
    return;
  }
  state_.cta_used |= U32{1} << cta;
  state_.toggle |= U32{1} << cta;
  state_.allocated |= warps;
  state_.live |= warps;
  state_.cta_warps[cta] = warps;
  for (U64 left = warps; left != 0; left &= left - 1) state_.warp_cta[lowest(left)] = static_cast<U8>(cta);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((warps & own_[s]) == 0) continue;
    List& list = state_.lists[s];
    list.warps[list.length] = warps & own_[s];
    list.cta[list.length] = static_cast<U8>(cta);
    ++list.length;
  }
}

void Engine::step_free(unsigned cta, U8 greedy_written) {
  if (cta >= params_.MaxCta || (state_.cta_used >> cta & 1U) == 0) {
    state_.err |= kErrorCta;
    return;
  }
  const U64 warps = state_.cta_warps[cta];
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    List& list = state_.lists[s];
    if ((warps & own_[s]) != 0) {
      const unsigned position = find(list, cta);
      move_cta(list, position, list.length - 1U);
      --list.length;
      list.warps[list.length] = 0;
      list.cta[list.length] = 0;
      if (state_.mode == Mode::kSaws) leave_promoted(list, position);
    }
    if (list.greedy && (greedy_written >> s & 1U) == 0 &&
        (warps & bit(unsigned{list.pointer} << scheduler_bits_ | s)) != 0) {
      list.greedy = false;
      stale_ |= own_[s];
    }
    Queue& queue = state_.queues[s];
    for (unsigned m = 0; m < queue.count; ++m) {
      if (queue.messages[m].cta == cta) queue.messages[m].killed = true;
    }
  }
  state_.cta_used &= ~(U32{1} << cta);
  state_.allocated &= ~warps;
  state_.live &= ~warps;
  state_.blocked &= ~warps;
  state_.cta_warps[cta] = 0;
  for (U64 left = warps; left != 0; left &= left - 1) state_.warp_cta[lowest(left)] = 0;
}

unsigned Engine::find(const List& list, unsigned cta) {
  unsigned position = 0;
  while (list.cta[position] != cta) ++position;
  return position;
}

void Engine::promote(unsigned scheduler, unsigned cta) {
  if ((state_.cta_warps[cta] & own_[scheduler]) == 0) return;
  List& list = state_.lists[scheduler];
  const unsigned position = find(list, cta);
  if (position < list.pointer) return;
  if (position > list.pointer) {
    move_cta(list, position, list.pointer);
    stale_ |= own_[scheduler];
  }
  ++list.pointer;
}

void Engine::demote(unsigned scheduler, unsigned cta) {
  List& list = state_.lists[scheduler];
  const unsigned position = find(list, cta);
  move_cta(list, position, list.length - 1U);
  leave_promoted(list, position);
  stale_ |= own_[scheduler];
}

void Engine::leave_promoted(List& list, unsigned position) const {
  if (position < list.pointer) list.pointer = static_cast<U8>(std::max(params_.PFloor, list.pointer - 1U));
}

void Engine::push(unsigned scheduler, Message message) {
  Queue& queue = state_.queues[scheduler];
  queue.messages[queue.count] = message;
  ++queue.count;
  state_.waiting |= static_cast<U8>(1U << scheduler);
  if (queue.count == params_.EvqDepth) out_.wev_ready &= static_cast<U8>(~(1U << scheduler));
}

Message Engine::pop(unsigned scheduler) {
  Queue& queue = state_.queues[scheduler];
  const Message oldest = queue.messages[0];
  move_entry(queue.messages, 0, queue.count - 1U);
  --queue.count;
  queue.messages[queue.count] = {};
  if (queue.count == 0) state_.waiting &= static_cast<U8>(~(1U << scheduler));
  out_.wev_ready |= static_cast<U8>(1U << scheduler);
  return oldest;
}

Probes Engine::probes() const {
  Probes probes;
  probes.mode = state_.mode;
  probes.selected = state_.selected;
  probes.toggling = state_.toggling ? 1 : 0;
  probes.turn = state_.turn;
  probes.cta_used = state_.cta_used;
  probes.toggle = state_.toggle;
  probes.allocated = WarpBits(state_.allocated);
  probes.live = WarpBits(state_.live);
  probes.blocked = WarpBits(state_.blocked);
  probes.warp_cta.elements = state_.warp_cta;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    const List& list = state_.lists[s];
    for (unsigned p = 0; p < list.length; ++p) {
      for (U64 left = list.warps[p]; left != 0; left &= left - 1) {
        probes.position[lowest(left)] = static_cast<U8>(p);
      }
    }
    probes.pointer[s] = list.pointer;
    probes.greedy |= static_cast<U8>(unsigned{list.greedy} << s);
    probes.length[s] = list.length;
    probes.waiting[s] = state_.queues[s].count;
    const Message& oldest = state_.queues[s].messages[0];
    probes.oldest[s] = static_cast<U8>(oldest.cta | unsigned{oldest.hit} << 5U | unsigned{oldest.all_blocked} << 6U |
                                       unsigned{oldest.killed} << 7U);
  }
  probes.error = state_.err;
  return probes;
}

}  // namespace castor::saws
