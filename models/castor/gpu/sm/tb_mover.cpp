#include "castor/gpu/sm/tb_mover.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/swap_sites.h"

namespace castor::gpu {
namespace {

/// Longest time between two random swaps of an SM.
constexpr Tick kMostBetweenDraws = 500;

/// Digest of storage cells, word by word.
class Digest {
 public:
  void add(std::uint64_t word) { value_ = base::mix(value_ ^ word); }
  void add(const std::byte* bytes, std::size_t size) {
    std::uint64_t word = 0;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
      std::memcpy(&word, bytes, sizeof word);
      add(word);
    }
    if (size == 0) return;
    word = 0;
    std::memcpy(&word, bytes, size);
    add(word);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

void add_warp(Digest& digest, const WarpState& warp) {
  digest.add(warp.pc);
  digest.add(warp.meeting);
  digest.add(warp.active);
  digest.add(warp.stack.live());
  for (const isa::SimtStack::Entry& entry : warp.stack.entries()) {
    digest.add(entry.pc);
    digest.add(entry.reconvergence);
    digest.add(entry.mask);
    digest.add(std::uint64_t{entry.depth} << 1U | (entry.frame ? 1U : 0U));
  }
  for (const isa::LaneMask lanes : warp.predicates) digest.add(lanes);
  digest.add(warp.barrier.barrier);
  digest.add(warp.barrier.dst);
  digest.add(warp.barrier.predicate);
  digest.add(warp.barrier.lanes);
}

// Adds the registers of a warp, `row` bytes each, without those that are dead at a site.
void add_registers(Digest& digest, const WarpState& warp, std::size_t row, unsigned site) {
  const unsigned registers = warp.program->registers;
  if (site == SwapJob::kAllRegisters) return digest.add(warp.registers, registers * row);
  const std::bitset<256> live = live_registers(*warp.program, site);
  for (unsigned reg = 0; reg < registers; ++reg) {
    if (live[reg]) digest.add(warp.registers + reg * row, row);
  }
}

// Adds the shared memory of a thread block, without the lines that read-only segments cover.
void add_shared(Digest& digest, const TbState& tb, const SegmentTable& segments) {
  const unsigned bytes = tb.kernel->shared_bytes;
  for (unsigned at = 0; at < bytes; at += kSwapLineBytes) {
    if (segments.covering(at / kSwapLineBytes) == nullptr)
      digest.add(tb.shared + at, std::min(kSwapLineBytes, bytes - at));
  }
}

// Returns whether the context of a thread block that has been restored is still to be moved in by the swap engine.
[[nodiscard]] bool moves_in_later(const SavedTb& saved) {
  return saved.swap != nullptr && saved.reason != SwapReason::kSynchronisation;
}

void add_barriers(Digest& digest, const TbBarriers& barriers) {
  for (unsigned b = 0; b < isa::BarrierUnit::kBarriers; ++b) {
    digest.add(barriers.unit.waiting(b));
    digest.add(barriers.unit.arrived(b));
    digest.add(barriers.unit.expected(b));
    digest.add(barriers.times[b].seen);
  }
  digest.add(barriers.done);
}

}  // namespace

TbMover::TbMover(const SmParts& parts)
    : machine_(parts.machine),
      sm_(parts.sm),
      agent_moves_(parts.hooks.agent != nullptr && parts.hooks.swap != nullptr),
      statistics_(parts.statistics),
      clock_(parts.clock),
      wheel_(parts.wheel),
      warps_(parts.warps),
      tbs_(parts.tbs),
      scoreboard_(parts.scoreboard),
      blocked_(parts.blocked),
      buffer_(parts.buffer),
      fetch_(parts.fetch),
      memory_(parts.memory),
      hand_over_(parts.hand_over),
      filled_(parts.machine.sm.tb_contexts) {}

void TbMover::add_statistics() {
  if (machine_.context.mover != ContextMover::kDrain || machine_.context.random != 0 || agent_moves_) {
    counters_ = std::make_unique<MoveCounters>(statistics_);
  }
}

// --- Requests --------------------------------------------------------------------------------------------------------

// Makes the SM tick in `tick`, which is later than this one.
void TbMover::wake_in(Tick tick) {
  SmEvent event;
  event.kind = SmEvent::Kind::kMove;
  wheel_.add(clock_.tick(), tick, event);
}

// A thread block whose warps have all exited stays and retires. Warps that wait for launches, and warps at barriers,
// issue nothing; all others are squashed and barred from fetch.
void TbMover::accept(const SwapRequest& request) {
  const unsigned context = request.context;
  if ((tbs_.resident() & ~tbs_.finished() & TbMask{1} << context) == 0) return tbs_.cancel_swap(context);
  if (request.reason != SwapReason::kChildren) {
    buffer_.stop(tbs_[context].warps);
    fetch_.bar(tbs_[context].warps);
  }
  moves_.push_back({request, false, clock_.tick(), 0, 0, nullptr});
  waits_ |= TbMask{1} << context;
  if (request.from > clock_.tick()) wake_in(request.from);
}

bool TbMover::quiet(const TbState& tb, WarpMask busy_warps) const {
  if ((tb.warps & (busy_warps | blocked_.faulted())) != 0) return false;
  for (WarpMask left = tb.live; left != 0; left &= left - 1) {
    if (!scoreboard_.quiet(lowest(left))) return false;
  }
  return true;
}

TbMask TbMover::begin(WarpMask busy_warps) {
  TbMask begun = 0, dropped = 0;
  for (Move& move : moves_) {
    const TbMask bit = TbMask{1} << move.request.context;
    if (move.out || move.request.from > clock_.tick()) continue;
    if (!quiet(tbs_[move.request.context], busy_warps)) {
      // A thread block that waits for its launches is asked for again in each tick.
      if (move.request.reason == SwapReason::kChildren) dropped |= bit;
      continue;
    }
    const WarpMask warps = tbs_[move.request.context].warps;
    CASTOR_ASSERT_AT(clock_.now(), (warps & (blocked_.in_fence() | blocked_.in_call())) == 0,
                     "a fence or call of a TB on SM %u is open, but none of its accesses is", sm_);
    move.out = true;
    move.begun = clock_.tick();
    if (by_engine(move.request.reason)) {
      move.until = base::kForever;
      move.saved = std::make_unique<SavedTb>();
      move.saved->site = move.request.site;
      save(move.request.context, false, *move.saved);
      tbs_.engine_moves().leaving |= bit;
    } else {
      move.until = clock_.tick() + move.request.ticks;
      if (move.request.ticks != 0) wake_in(move.until);
    }
    begun |= bit;
    if (counters_ != nullptr) counters_->quiesce += clock_.tick() - move.asked;
  }
  waits_ &= ~(begun | dropped);
  for (; dropped != 0; dropped &= dropped - 1) {
    tbs_.cancel_swap(lowest(dropped));
    forget(lowest(dropped));
  }
  return begun;
}

int TbMover::due() const {
  const EngineMoves& engine = tbs_.engine_moves();
  for (const Move& move : moves_) {
    const bool moved = (engine.done & engine.leaving) >> move.request.context & 1;
    if (move.out && (moved || move.until <= clock_.tick())) return static_cast<int>(move.request.context);
  }
  return -1;
}

void TbMover::forget(unsigned context) {
  waits_ &= ~(TbMask{1} << context);
  moves_.erase(std::remove_if(moves_.begin(), moves_.end(),
                              [context](const Move& move) { return move.request.context == context; }),
               moves_.end());
}

void TbMover::stop(unsigned context) {
  tbs_.cancel_swap(context);
  tbs_.engine_moves().forget(context);
  forget(context);
  fills_.erase(
      std::remove_if(fills_.begin(), fills_.end(), [context](const Restored& one) { return one.context == context; }),
      fills_.end());
  draw_again();
}

MoveState TbMover::state(unsigned context) const {
  for (const Move& move : moves_) {
    if (move.request.context == context) return move.out ? MoveState::kOut : MoveState::kQuiesce;
  }
  const bool resident = (tbs_.resident() >> context & 1) != 0;
  return resident && filled_[context] > clock_.tick() ? MoveState::kFilling : MoveState::kRun;
}

void TbMover::add_waiting(std::vector<WaitReason>& reasons) const {
  WarpMask warps = 0;
  for (const Move& move : moves_) {
    // SwapPort says why a thread block waits that the engine moves out.
    const bool by_port = move.out && move.until == base::kForever;
    if (move.request.reason != SwapReason::kChildren && !by_port) warps |= tbs_[move.request.context].warps;
  }
  reasons.push_back({warps, "waits until its thread block is swapped out"});
}

// --- Random swaps ----------------------------------------------------------------------------------------------------

std::uint64_t TbMover::random(std::uint64_t salt) const {
  return base::mix(base::mix(base::mix(machine_.context.random) + sm_) ^ (clock_.tick() << 1U | salt));
}

// While the engine moves a thread block, no draw is pending: the end of the move continues them. So an SM whose engine
// waits for ever does not wake for draws.
void TbMover::draw() {
  draws_at_ = base::kForever;
  if (tbs_.resident() == 0) return;
  if (by_engine(SwapReason::kRandom) && (tbs_.engine_moves().busy || tbs_.swapping() != 0)) return;
  TbMask candidates = tbs_.resident() & ~tbs_.finished() & ~tbs_.swapping();
  for (TbMask left = candidates; left != 0; left &= left - 1) {
    if (filled_[lowest(left)] > clock_.tick()) candidates &= ~(TbMask{1} << lowest(left));
  }
  if (candidates != 0) {
    auto skip = random(0) % static_cast<unsigned>(__builtin_popcountll(candidates));
    for (; skip != 0; --skip) candidates &= candidates - 1;
    const unsigned context = lowest(candidates);
    tbs_.request_swap(
        {context, SwapReason::kRandom, clock_.tick(), context_move_time(machine_, tbs_[context].kernel->need)});
  }
  draw_later();
}

void TbMover::draw_later() {
  draws_at_ = clock_.tick() + 1 + random(1) % kMostBetweenDraws;
  wake_in(draws_at_);
}

bool TbMover::take(const SmEvent& event) {
  if (event.kind != SmEvent::Kind::kMove) return false;
  if (draws_at_ == clock_.tick()) draw();
  if ((tbs_.engine_moves().done & tbs_.engine_moves().filling) != 0) end_fills();
  return true;
}

// --- Save and restore ------------------------------------------------------------------------------------------------

Tick TbMover::rest_of_sleep(unsigned w) const {
  return (blocked_.asleep() & warp_bit(w)) != 0 ? warps_[w].wakes - clock_.tick() : 0;
}

// `whole`: registers and control state, too. A swap engine moves them itself.
void TbMover::save_warp(unsigned w, bool whole, SavedWarp& to) const {
  const WarpState& warp = warps_[w];
  to.at_barrier = (blocked_.held_at_barrier() & warp_bit(w)) != 0;
  to.sleep = rest_of_sleep(w);
  to.barrier = warp.barrier;
  if (!whole) return;
  to.pc = warp.pc;
  to.meeting = warp.meeting;
  to.stack = warp.stack;
  std::copy(std::begin(warp.predicates), std::end(warp.predicates), to.predicates.begin());
  to.registers.assign(warp.registers, warp.registers + std::size_t{warp.program->registers} * warps_.lanes() * 4);
}

void TbMover::leave(unsigned context, SavedTb& saved) {
  const auto move =
      std::find_if(moves_.begin(), moves_.end(), [context](const Move& one) { return one.request.context == context; });
  if (move->saved != nullptr) {
    saved = std::move(*move->saved);
  } else {
    save(context, true, saved);
  }
  saved.reason = move->request.reason;
  if (counters_ != nullptr) {
    ++counters_->out;
    counters_->transfer_out += move->until == base::kForever ? clock_.tick() - move->begun : move->request.ticks;
  }
  forget(context);
  draw_again();
}

void TbMover::save(unsigned context, bool whole, SavedTb& saved) const {
  const TbState& tb = tbs_[context];
  saved.kernel = tb.kernel;
  saved.item = tb.item;
  saved.gid = tb.gid;
  saved.group = tb.group;
  saved.warp_instructions = tb.warp_instructions;
  saved.thread_instructions = tb.thread_instructions;
  saved.barriers = tb.barriers;
  saved.left_tick = clock_.tick();
  saved.left = clock_.now();
  if (whole) saved.shared.assign(tb.shared, tb.shared + tb.kernel->shared_bytes);
  memory_.save_local(context, saved.local);
  saved.warps.resize(tb.warp_count);
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    saved.warps[i].live = (tb.live & warp_bit(tb.slots[i])) != 0;
    if (saved.warps[i].live) save_warp(tb.slots[i], whole, saved.warps[i]);
  }
  saved.digest = digest(context, saved.site);
}

void TbMover::come_back(TbStart& start, const SavedTb& saved) {
  tbs_.restore(start.context, saved);
  restore_barriers(start.context, saved);
  restore_warps(start, saved);
  memory_.forget_local(start.context);
  if (counters_ != nullptr) ++counters_->in;
  if (moves_in_later(saved)) return expect_fill(start, start.message.saved);
  if (saved.swap == nullptr) start.setup = start.message.load;
  filled_[start.context] = clock_.tick() + start.setup;
  if (counters_ != nullptr) counters_->transfer_in += start.message.load;
  restored_.push_back({start.context, start.message.saved, true, true, clock_.tick()});
  hand_over_.raise();
}

// Arrivals are as old as before, and as the block was away. The difference of the clocks is 0 unless an SM was gated.
void TbMover::restore_barriers(unsigned context, const SavedTb& saved) {
  const Tick shift = clock_.tick() - saved.left_tick - (clock_.now() - saved.left);
  for (TbBarriers::Times& times : tbs_.barriers(context).times) {
    times.first += shift;
    for (Tick& local : times.local) local += shift;
  }
}

void TbMover::restore_sleep(unsigned w, Tick rest) {
  if (rest == 0) return;
  warps_.sleep(w, clock_.tick() + rest);
  blocked_.sleep(w, clock_.tick(), clock_.tick() + rest);
}

// Warps that a swap engine moves in get their registers and control state from it, and sleep when they are complete. An
// agent's job has moved them in already.
void TbMover::restore_warps(TbStart& start, const SavedTb& saved) {
  WarpMask exited = 0;
  for (unsigned i = 0; i < start.tb.warp_count; ++i) {
    const unsigned w = start.tb.slots[i];
    const SavedWarp& from = saved.warps[i];
    if (!from.live) {
      exited |= warp_bit(w);
      continue;
    }
    if (from.at_barrier) blocked_.wait_at_barrier(w);
    if (saved.swap != nullptr) {
      warps_.wait_at(w, from.barrier);
    } else {
      warps_.restore(w, from);
    }
    if (!moves_in_later(saved)) restore_sleep(w, from.sleep);
  }
  warps_.stop(exited);
}

// The warps of a block that a swap engine moves in are barred from fetch until the engine is done.
void TbMover::expect_fill(TbStart& start, const std::shared_ptr<const SavedTb>& saved) {
  start.setup = 0;
  fetch_.bar(start.tb.live);
  filled_[start.context] = base::kForever;
  tbs_.engine_moves().filling |= TbMask{1} << start.context;
  const Restored one{start.context, saved, true, false, clock_.tick()};
  fills_.push_back(one);
  restored_.push_back(one);
  hand_over_.raise();
}

void TbMover::end_fills() {
  std::vector<Restored> left;
  for (Restored& one : fills_) {
    if ((tbs_.engine_moves().done >> one.context & 1) == 0) {
      left.push_back(std::move(one));
      continue;
    }
    const TbState& tb = tbs_[one.context];
    for (unsigned i = 0; i < tb.warp_count; ++i) {
      if (one.tb->warps[i].live) restore_sleep(tb.slots[i], one.tb->warps[i].sleep);
    }
    // A block that has been asked to leave meanwhile stays barred from fetch.
    if ((tbs_.swapping() >> one.context & 1) == 0) fetch_.stop(tb.warps);
    filled_[one.context] = clock_.tick();
    tbs_.engine_moves().forget(one.context);
    if (counters_ != nullptr) counters_->transfer_in += clock_.tick() - one.since;
    one.local = false;
    one.compare = true;
    restored_.push_back(std::move(one));
    hand_over_.raise();
    draw_again();
  }
  fills_ = std::move(left);
}

void TbMover::hand_over_restored() {
  for (const Restored& one : restored_) {
    if (one.local) memory_.restore_local(one.context, one.tb->local);
    if (!one.compare) continue;
    CASTOR_ASSERT_AT(clock_.now(), tbs_[one.context].killed || digest(one.context, one.tb->site) == one.tb->digest,
                     "the context of TB %llu that comes back to SM %u is not the one that left",
                     static_cast<unsigned long long>(one.tb->gid), sm_);
  }
  restored_.clear();
}

// Returns the digest of all storage cells of a thread block: its warps, barriers, shared and local memory. Registers
// that are dead at `site` do not count.
std::uint64_t TbMover::digest(unsigned context, unsigned site) const {
  const TbState& tb = tbs_[context];
  Digest digest;
  digest.add(tb.gid);
  digest.add(tb.group);
  digest.add(tb.warp_instructions);
  digest.add(tb.thread_instructions);
  add_barriers(digest, tb.barriers);
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const unsigned w = tb.slots[i];
    const bool live = (tb.live & warps_.live() & warp_bit(w)) != 0;
    digest.add(std::uint64_t{i} << 1U | (live ? 1U : 0U));
    if (!live) continue;
    const WarpState& warp = warps_[w];
    add_warp(digest, warp);
    digest.add(rest_of_sleep(w));
    digest.add((blocked_.held_at_barrier() & warp_bit(w)) != 0 ? 1 : 0);
    add_registers(digest, warp, std::size_t{warps_.lanes()} * 4, site);
  }
  const EngineMoves& moves = tbs_.engine_moves();
  if (moves.segments.empty() || moves.segments[context].empty()) {
    digest.add(tb.shared, tb.kernel->shared_bytes);
  } else {
    add_shared(digest, tb, moves.segments[context]);
  }
  std::vector<std::byte> local;
  memory_.save_local(context, local);
  digest.add(local.data(), local.size());
  return digest.value();
}

}  // namespace castor::gpu
