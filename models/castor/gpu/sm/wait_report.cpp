#include "castor/gpu/sm/wait_report.h"

#include <cinttypes>
#include <cstdio>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::gpu {

bool SmWaitReport::stuck() const {
  const WarpMask waits = blocked_.at_barrier() & ~scoreboard_.memory_busy();
  return watch_.is_open() && (warps_.live() & ~(waits | watch_.repeating())) == 0;
}

WarpMask SmWaitReport::ready_to_be_picked() const {
  if (!hooks_.picks()) return 0;
  return buffer_.valid() & ~blocked_.any() & ~(buffer_.drains() & scoreboard_.memory_busy()) & scoreboard_.clear();
}

void SmWaitReport::add_spinning(std::vector<SpinningWarp>& list) const {
  for (WarpMask left = warps_.live() & watch_.repeating(); left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const WarpState& warp = warps_[w];
    const TbState& tb = tbs_[warp.tb];
    SpinningWarp one;
    one.kernel = tb.kernel;
    one.block = tb.index;
    one.warp_in_tb = warp.warp_in_tb;
    one.place = "SM " + std::to_string(sm_) + ", slot " + std::to_string(w);
    one.pc = warp.pc;
    one.polls = watch_.polls(w);
    one.more_polls = watch_.more_polls(w);
    list.push_back(std::move(one));
  }
}

void SmWaitReport::check(const SmRoom* ledger, Cycle now) const {
  WarpMask slots = 0;
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const TbState& tb = tbs_[lowest(left)];
    CASTOR_ASSERT_AT(now, (slots & tb.warps) == 0 && (tb.live & ~tb.warps) == 0, "SM %u: TBs share warp slots", sm_);
    slots |= tb.warps;
  }
  CASTOR_ASSERT_AT(now, slots == warps_.used() && (warps_.live() & ~warps_.used()) == 0,
                   "SM %u: warp slots in use without a TB", sm_);
  if (ledger != nullptr) {
    const SmRoom own = tbs_.room(warps_.used());
    const bool same = ledger->tbs == own.tbs && ledger->warps == own.warps && ledger->reg_units == own.reg_units &&
                      ledger->smem_units == own.smem_units;
    CASTOR_ASSERT_AT(now, same, "SM %u counts other room than the ledger", sm_);
  }
  for (WarpMask left = warps_.live(); left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const bool busy = scoreboard_.loads(w) != 0 || scoreboard_.unacknowledged(w) != 0;
    CASTOR_ASSERT_AT(now, busy == ((scoreboard_.memory_busy() & warp_bit(w)) != 0), "SM %u: accesses of warp %u", sm_,
                     w);
    if ((blocked_.held_at_barrier() & warp_bit(w)) == 0) continue;
    const WarpState& warp = warps_[w];
    const isa::BarrierUnit& barriers = tbs_[warp.tb].barriers.unit;
    const unsigned b = warp.barrier.barrier;
    CASTOR_ASSERT_AT(now,
                     (barriers.waiting(b) >> warp.warp_in_tb & 1) != 0 && barriers.arrived(b) < barriers.expected(b),
                     "SM %u: warp %u waits at a barrier that does not know it", sm_, w);
  }
}

// Live warps of the TB that do not wait where this one does. One that only arrived there without waiting is among them.
WarpMask SmWaitReport::missing_at_barrier(unsigned w) const {
  const TbState& tb = tbs_[warps_[w].tb];
  WarpMask there = 0;
  for (std::uint64_t left = tb.barriers.unit.waiting(warps_[w].barrier.barrier); left != 0; left &= left - 1) {
    there |= warp_bit(tb.slots[lowest(left)]);
  }
  return tb.live & warps_.live() & ~there;
}

std::string SmWaitReport::barrier_reason(unsigned w) const {
  const isa::BarrierUnit& barriers = tbs_[warps_[w].tb].barriers.unit;
  const unsigned b = warps_[w].barrier.barrier;
  std::string text = "waits at barrier " + std::to_string(b) + ": " + std::to_string(barriers.arrived(b)) + " of " +
                     std::to_string(barriers.expected(b)) + " warps have arrived";
  const WarpMask missing = missing_at_barrier(w);
  if (missing == 0) return text + ", nobody is left who could";
  text += ", missing:";
  for (WarpMask left = missing; left != 0; left &= left - 1) {
    text += " " + std::to_string(warps_[lowest(left)].warp_in_tb);
  }
  return text;
}

std::string SmWaitReport::pending_registers(unsigned w) const {
  const Decoded& decoded = *buffer_.head(w);
  std::string registers;
  for (unsigned r = 0; r < 256; ++r) {
    if (scoreboard_.pending(w, r) && (decoded.registers[r / 64] >> (r % 64) & 1) != 0)
      registers += " r" + std::to_string(r);
  }
  for (unsigned p = 0; p < 8; ++p) {
    if ((scoreboard_.pending_predicates(w) & decoded.predicates) >> p & 1) registers += " p" + std::to_string(p);
  }
  return registers;
}

std::string SmWaitReport::reason(unsigned w) const {
  const auto in = [w](WarpMask mask) { return (mask & warp_bit(w)) != 0; };
  if (in(blocked_.faulted())) return "stopped by a fault";
  if (in(blocked_.releasing())) return "is being released from a barrier";
  if (in(blocked_.at_barrier())) return barrier_reason(w);
  const std::string under_way = std::to_string(scoreboard_.unacknowledged(w)) + " stores not acknowledged, " +
                                std::to_string(scoreboard_.loads(w)) + " loads not returned";
  if (in(blocked_.in_fence())) return "waits in a fence: " + under_way;
  if (in(blocked_.before_call())) return "waits to call the runtime: " + under_way;
  if (in(blocked_.in_call())) return "waits for a call into the runtime";
  if (in(blocked_.in_runtime())) return "waits in a call of the device runtime";
  if (in(blocked_.asleep())) return "sleeps";
  if (in(held_ & ~buffer_.valid())) return "is held by the fetch filter";
  if (in(fetch_.held_back())) return "waits for its branch or its set-up";
  if (!in(buffer_.valid())) {
    if (!in(fetch_.out())) return "has no instruction";
    char line[32];
    std::snprintf(line, sizeof line, "0x%" PRIx64, fetch_.line(w));
    return std::string("waits for its instructions, line ") + line;
  }
  if (!in(scoreboard_.clear())) {
    if (in(scoreboard_.held())) return "waits for its replays: " + memory_.load_of(w);
    const std::string text = "waits for" + pending_registers(w) + ": ";
    return text + (in(scoreboard_.waits_load()) ? memory_.load_of(w) : std::string("in a pipeline"));
  }
  if (in(buffer_.drains() & scoreboard_.memory_busy())) return "waits before a release: " + under_way;
  return "may issue";
}

std::string SmWaitReport::text() const {
  std::string text;
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const unsigned c = lowest(left);
    const TbState& tb = tbs_[c];
    text += "SM " + std::to_string(sm_) + ": block " + std::to_string(tb.gid) + " of " +
            base::readable_name(tb.kernel->program->kernel);
    if ((tbs_.finished() >> c & 1) != 0) {
      text += tbs_.waits_for_credit() ? ": all warps have exited, the done FIFO is full"
                                      : ": all warps have exited, accesses under way";
    }
    text += "\n";
    for (WarpMask warps = tb.warps & warps_.live(); warps != 0; warps &= warps - 1) {
      const unsigned w = lowest(warps);
      text += "  warp " + std::to_string(warps_[w].warp_in_tb) + " (slot " + std::to_string(w) + ") " + reason(w) +
              ", " + tb.kernel->program->describe(warps_[w].pc) + "\n";
    }
  }
  const std::string memory_text = memory_.waiting();
  return memory_text.empty() ? text : text + "  memory: " + memory_text + "\n";
}

void SmWaitReport::add_to(WaitGraph& graph) const {
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) {
    const unsigned c = lowest(left);
    const TbState& tb = tbs_[c];
    const std::string block = block_node(sm_, c, tb.gid);
    graph.add(kernel_node(tb.kernel->program->kernel, tb.kernel->entry), block);
    for (WarpMask warps = tb.warps & warps_.live(); warps != 0; warps &= warps - 1) {
      const unsigned w = lowest(warps);
      graph.add(block, warp_node(sm_, w));
      if ((blocked_.held_at_barrier() & warp_bit(w)) == 0) continue;
      for (WarpMask missing = missing_at_barrier(w); missing != 0; missing &= missing - 1) {
        graph.add(warp_node(sm_, w), warp_node(sm_, lowest(missing)));
      }
    }
  }
}

}  // namespace castor::gpu
