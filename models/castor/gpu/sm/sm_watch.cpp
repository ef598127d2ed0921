// What an SM tells watchdogs: who waits for whom, and who repeats a loop.

#include <cinttypes>
#include <cstdio>

#include "castor/base/error.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

bool Sm::still() const {
  return inbox_.size() == 0 && !tbs_.kills_pending() && !calls_.answers_pending() && tbs_.finished() == 0 &&
         (blocked_.asleep() | blocked_.in_call() | blocked_.faulted() | blocked_.releasing()) == 0 && outbox_.empty() &&
         clock_.enabled() && (!hooks_.any() || hooks_.wake() == base::kForever);
}

bool Sm::stuck() const {
  const WarpMask waits = blocked_.at_barrier() & ~scoreboard_.memory_busy();
  return watch_.is_open() && (warps_.live() & ~(waits | watch_.repeating())) == 0;
}

void Sm::spinning(std::vector<Spinning>& list) const {
  for (WarpMask left = warps_.live() & watch_.repeating(); left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctzll(left));
    const WarpState& warp = warps_[w];
    const TbState& tb = tbs_[warp.tb];
    Spinning one;
    one.kernel = tb.kernel;
    one.gid = tb.gid;
    one.block = tb.index;
    one.sm = index();
    one.warp_in_tb = warp.warp_in_tb;
    one.slot = w;
    one.pc = warp.pc;
    one.polls = watch_.polls(w);
    one.more_polls = watch_.more_polls(w);
    list.push_back(std::move(one));
  }
}

void Sm::check_invariants(const SmRoom& ledger) const {
  WarpMask slots = 0;
  unsigned tbs = 0;
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1, ++tbs) {
    const TbState& tb = tbs_[static_cast<unsigned>(__builtin_ctzll(left))];
    CASTOR_ASSERT_AT(clock_.now(), (slots & tb.warps) == 0 && (tb.live & ~tb.warps) == 0, "SM %u: TBs share warp slots",
                     index());
    slots |= tb.warps;
  }
  CASTOR_ASSERT_AT(clock_.now(), slots == warps_.used() && (warps_.live() & ~warps_.used()) == 0,
                   "SM %u: warp slots in use without a TB", index());
  if (inbox_.size() == 0 && outbox_.empty()) {
    const bool same = ledger.tbs + tbs == machine_.sm.tb_slots &&
                      ledger.warps + static_cast<unsigned>(__builtin_popcountll(warps_.used())) == machine_.sm.warps &&
                      ledger.reg_units == tbs_.free_register_units() && ledger.smem_units == tbs_.free_shared_units();
    CASTOR_ASSERT_AT(clock_.now(), same, "SM %u counts other room than the ledger", index());
  }
  for (WarpMask left = warps_.live(); left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctzll(left));
    const WarpState& warp = warps_[w];
    const bool busy = scoreboard_.loads(w) != 0 || scoreboard_.unacknowledged(w) != 0;
    CASTOR_ASSERT_AT(clock_.now(), busy == ((scoreboard_.memory_busy() & warp_bit(w)) != 0),
                     "SM %u: accesses of warp %u", index(), w);
    if ((blocked_.held_at_barrier() & warp_bit(w)) == 0) continue;
    const TbState& tb = tbs_[warp.tb];
    const unsigned b = warps_[w].barrier.barrier;
    CASTOR_ASSERT_AT(clock_.now(),
                     (tb.barriers.unit.waiting(b) >> warp.warp_in_tb & 1) != 0 &&
                         tb.barriers.unit.arrived(b) < tb.barriers.unit.expected(b),
                     "SM %u: warp %u waits at a barrier that does not know it", index(), w);
  }
}

// --- Who waits for whom ---------------------------------------------------------------------------------------------

// Live warps of the TB that do not wait where this one does. One that only arrived there without waiting is among them.
WarpMask Sm::missing_at_barrier(unsigned w) const {
  const TbState& tb = tbs_[warps_[w].tb];
  WarpMask there = 0;
  for (std::uint64_t left = tb.barriers.unit.waiting(warps_[w].barrier.barrier); left != 0; left &= left - 1) {
    there |= warp_bit(tb.slots[static_cast<unsigned>(__builtin_ctzll(left))]);
  }
  return tb.live & warps_.live() & ~there;
}

std::string Sm::reason(unsigned w) const {
  const WarpState& warp = warps_[w];
  const TbState& tb = tbs_[warp.tb];
  if ((blocked_.faulted() & warp_bit(w)) != 0) return "stopped by a fault";
  if ((blocked_.releasing() & warp_bit(w)) != 0) return "is being released from a barrier";
  if ((blocked_.at_barrier() & warp_bit(w)) != 0) {
    const unsigned b = warps_[w].barrier.barrier;
    std::string text = "waits at barrier " + std::to_string(b) + ": " + std::to_string(tb.barriers.unit.arrived(b)) +
                       " of " + std::to_string(tb.barriers.unit.expected(b)) + " warps have arrived";
    const WarpMask missing = missing_at_barrier(w);
    if (missing == 0) return text + ", nobody is left who could";
    text += ", missing:";
    for (WarpMask left = missing; left != 0; left &= left - 1) {
      text += " " + std::to_string(warps_[static_cast<unsigned>(__builtin_ctzll(left))].warp_in_tb);
    }
    return text;
  }
  const std::string under_way = std::to_string(scoreboard_.unacknowledged(w)) + " stores not acknowledged, " +
                                std::to_string(scoreboard_.loads(w)) + " loads not returned";
  if ((blocked_.in_fence() & warp_bit(w)) != 0) return "waits in a fence: " + under_way;
  if ((blocked_.before_call() & warp_bit(w)) != 0) return "waits to call the runtime: " + under_way;
  if ((blocked_.in_call() & warp_bit(w)) != 0) return "waits for a call into the runtime";
  if ((blocked_.asleep() & warp_bit(w)) != 0) return "sleeps";
  if (filter_ != nullptr && (filter_->hold() & warp_bit(w)) != 0 && (buffer_.valid() & warp_bit(w)) == 0)
    return "is held by the fetch filter";
  if ((fetch_.held_back() & warp_bit(w)) != 0) return "waits for its branch or its set-up";
  if ((buffer_.valid() & warp_bit(w)) == 0) {
    if ((fetch_.out() & warp_bit(w)) == 0) return "has no instruction";
    char line[32];
    std::snprintf(line, sizeof line, "0x%" PRIx64, fetch_.line(w));
    return std::string("waits for its instructions, line ") + line;
  }
  if ((scoreboard_.clear() & warp_bit(w)) == 0) {
    const Decoded& decoded = warp.decoded[warp.pc];
    std::string registers;
    for (unsigned r = 0; r < 256; ++r) {
      if (scoreboard_.pending(w, r) && (decoded.registers[r / 64] >> (r % 64) & 1) != 0)
        registers += " r" + std::to_string(r);
    }
    for (unsigned p = 0; p < 8; ++p) {
      if ((scoreboard_.pending_predicates(w) & decoded.predicates) >> p & 1) registers += " p" + std::to_string(p);
    }
    const std::string text = "waits for" + registers + ": ";
    return text +
           ((scoreboard_.waits_load() & warp_bit(w)) != 0 ? memory_side_.load_of(w) : std::string("in a pipeline"));
  }
  if ((buffer_.drains() & scoreboard_.memory_busy() & warp_bit(w)) != 0) return "waits before a release: " + under_way;
  return "may issue";
}

std::string Sm::waiting() const {
  std::string text;
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const auto c = static_cast<unsigned>(__builtin_ctzll(left));
    const TbState& tb = tbs_[c];
    text += "SM " + std::to_string(index()) + ": block " + std::to_string(tb.gid) + " of " + tb.kernel->program->kernel;
    if ((tbs_.finished() & (TbMask{1} << c)) != 0) {
      text += tbs_.waits_for_credit() ? ": all warps have exited, the done FIFO is full"
                                      : ": all warps have exited, accesses under way";
    }
    text += "\n";
    for (WarpMask warps = tb.warps & warps_.live(); warps != 0; warps &= warps - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctzll(warps));
      text += "  warp " + std::to_string(warps_[w].warp_in_tb) + " (slot " + std::to_string(w) + ") " + reason(w) +
              ", " + tb.kernel->program->describe(warps_[w].pc) + "\n";
    }
  }
  const std::string memory_text = memory_side_.waiting();
  return memory_text.empty() ? text : text + "  memory: " + memory_text + "\n";
}

void Sm::waits(WaitGraph& graph) const {
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const auto c = static_cast<unsigned>(__builtin_ctzll(left));
    const TbState& tb = tbs_[c];
    const std::string block = block_node(index(), c, tb.gid);
    graph.add(kernel_node(tb.kernel->program->kernel, tb.kernel->entry), block);
    for (WarpMask warps = tb.warps & warps_.live(); warps != 0; warps &= warps - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctzll(warps));
      graph.add(block, warp_node(index(), w));
      if ((blocked_.held_at_barrier() & warp_bit(w)) == 0) continue;
      for (WarpMask missing = missing_at_barrier(w); missing != 0; missing &= missing - 1) {
        graph.add(warp_node(index(), w), warp_node(index(), static_cast<unsigned>(__builtin_ctzll(missing))));
      }
    }
  }
}

}  // namespace castor::gpu
