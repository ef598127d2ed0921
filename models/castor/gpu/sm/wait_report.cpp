#include "castor/gpu/sm/wait_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

bool SmWaitReport::stuck() const {
  const WarpMask waits = (parts_.blocked.at_barrier() | parts_.blocked.stalled()) & ~parts_.scoreboard.memory_busy();
  return parts_.watch.is_open() && (parts_.warps.live() & ~(waits | parts_.watch.repeating())) == 0;
}

void SmWaitReport::add_spinning(std::vector<SpinningWarp>& list) const {
  for (WarpMask left = parts_.warps.live() & parts_.watch.repeating(); left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const WarpState& warp = parts_.warps[w];
    const TbState& tb = parts_.tbs[warp.tb];
    SpinningWarp one;
    one.kernel = tb.kernel;
    one.block = tb.index;
    one.warp_in_tb = warp.warp_in_tb;
    one.place = "SM " + std::to_string(parts_.sm) + ", slot " + std::to_string(w);
    one.pc = warp.pc;
    one.polls = parts_.watch.polls(w);
    one.more_polls = parts_.watch.more_polls(w);
    list.push_back(std::move(one));
  }
}

void SmWaitReport::check(const SmResources* ledger, Cycle now) const {
  WarpMask slots = 0;
  for (TbMask left = parts_.tbs.resident(); left != 0; left &= left - 1) {
    const TbState& tb = parts_.tbs[lowest(left)];
    CASTOR_ASSERT_AT(now, (slots & tb.warps) == 0 && (tb.live & ~tb.warps) == 0, "SM %u: TBs share warp slots",
                     parts_.sm);
    slots |= tb.warps;
  }
  CASTOR_ASSERT_AT(now, slots == parts_.warps.used() && (parts_.warps.live() & ~parts_.warps.used()) == 0,
                   "SM %u: warp slots in use without a TB", parts_.sm);
  if (ledger != nullptr) {
    const SmResources own = parts_.tbs.room(parts_.warps.used());
    const bool same = ledger->tbs == own.tbs && ledger->warps == own.warps && ledger->reg_units == own.reg_units &&
                      ledger->smem_units == own.smem_units;
    CASTOR_ASSERT_AT(now, same, "SM %u counts other free resources than the ledger", parts_.sm);
  }
  for (WarpMask left = parts_.warps.live(); left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const bool busy = parts_.scoreboard.loads(w) != 0 || parts_.scoreboard.unacknowledged(w) != 0;
    CASTOR_ASSERT_AT(now, busy == ((parts_.scoreboard.memory_busy() & warp_bit(w)) != 0), "SM %u: accesses of warp %u",
                     parts_.sm, w);
    if ((parts_.blocked.held_at_barrier() & warp_bit(w)) == 0) continue;
    const WarpState& warp = parts_.warps[w];
    const isa::BarrierUnit& barriers = parts_.tbs[warp.tb].barriers.unit;
    const unsigned b = warp.barrier.barrier;
    CASTOR_ASSERT_AT(now,
                     (barriers.waiting(b) >> warp.warp_in_tb & 1) != 0 && barriers.arrived(b) < barriers.expected(b),
                     "SM %u: warp %u waits at a barrier that does not count it", parts_.sm, w);
  }
}

// Returns the live warps of the TB that do not wait at the barrier of warp `w`, including warps that arrived there
// without waiting.
WarpMask SmWaitReport::missing_at_barrier(unsigned w) const {
  const TbState& tb = parts_.tbs[parts_.warps[w].tb];
  WarpMask there = 0;
  for (std::uint64_t left = tb.barriers.unit.waiting(parts_.warps[w].barrier.barrier); left != 0; left &= left - 1) {
    there |= warp_bit(tb.slots[lowest(left)]);
  }
  return tb.live & parts_.warps.live() & ~there;
}

std::string SmWaitReport::barrier_reason(unsigned w) const {
  const isa::BarrierUnit& barriers = parts_.tbs[parts_.warps[w].tb].barriers.unit;
  const unsigned b = parts_.warps[w].barrier.barrier;
  std::string text = "waits at barrier " + std::to_string(b) + ": " + std::to_string(barriers.arrived(b)) + " of " +
                     std::to_string(barriers.expected(b)) + " warps have arrived";
  const WarpMask missing = missing_at_barrier(w);
  if (missing == 0) return text + ", and no other warp of the block can arrive";
  text += ", missing:";
  for (WarpMask left = missing; left != 0; left &= left - 1) {
    text += " " + std::to_string(parts_.warps[lowest(left)].warp_in_tb);
  }
  return text;
}

std::string SmWaitReport::pending_registers(unsigned w) const {
  const Decoded& decoded = *parts_.buffer.head(w);
  std::string registers;
  for (unsigned r = 0; r < 256; ++r) {
    if (parts_.scoreboard.pending(w, r) && (decoded.registers[r / 64] >> (r % 64) & 1) != 0)
      registers += " r" + std::to_string(r);
  }
  for (unsigned p = 0; p < 8; ++p) {
    if ((parts_.scoreboard.pending_predicates(w) & decoded.predicates) >> p & 1) registers += " p" + std::to_string(p);
  }
  return registers;
}

std::string SmWaitReport::reason(unsigned w) const {
  const auto in = [w](WarpMask mask) { return (mask & warp_bit(w)) != 0; };
  if (in(parts_.blocked.faulted())) return "stopped by a fault";
  if (in(parts_.blocked.releasing())) return "is being released from a barrier";
  if (in(parts_.blocked.at_barrier())) return barrier_reason(w);
  const std::string under_way = std::to_string(parts_.scoreboard.unacknowledged(w)) + " stores not acknowledged, " +
                                std::to_string(parts_.scoreboard.loads(w)) + " loads not returned";
  if (in(parts_.blocked.in_fence())) return "waits in a fence: " + under_way;
  if (in(parts_.blocked.before_call())) return "waits to call the runtime: " + under_way;
  if (const WaitReason* const reason = mechanism_reason(w)) return reason->text;
  if (in(parts_.blocked.asleep())) return "sleeps (nanosleep)";
  if (in(parts_.fetch.held_back())) return "waits for its branch to resolve or for its start latency";
  if (!in(parts_.buffer.valid())) {
    if (!in(parts_.fetch.out())) return "has no instruction";
    char line[32];
    std::snprintf(line, sizeof line, "0x%" PRIx64, parts_.fetch.line(w));
    return std::string("waits for its instruction fetch, line ") + line;
  }
  if (!in(parts_.scoreboard.clear())) {
    if (in(parts_.scoreboard.held())) return "waits for the replays of an instruction: " + parts_.memory.load_of(w);
    const std::string text = "waits for" + pending_registers(w) + ": ";
    return text + (in(parts_.scoreboard.waits_load()) ? parts_.memory.load_of(w) : std::string("in a pipeline"));
  }
  if (in(parts_.buffer.drains() & parts_.scoreboard.memory_busy())) return "waits before a release: " + under_way;
  return "may issue";
}

// Returns the reason for which a warp waits for a mechanism, or null.
const WaitReason* SmWaitReport::mechanism_reason(unsigned w) const {
  const auto found = std::find_if(reasons_.begin(), reasons_.end(),
                                  [w](const WaitReason& reason) { return (reason.warps & warp_bit(w)) != 0; });
  return found == reasons_.end() ? nullptr : &*found;
}

// Returns the record at which a warp waits.
std::uint32_t SmWaitReport::record(unsigned w) const {
  const WaitReason* const reason = mechanism_reason(w);
  return reason != nullptr && reason->pc ? *reason->pc : parts_.warps[w].pc;
}

std::string SmWaitReport::text() const {
  std::string text;
  for (TbMask left = parts_.tbs.resident(); left != 0; left &= left - 1) {
    const unsigned c = lowest(left);
    const TbState& tb = parts_.tbs[c];
    text += "SM " + std::to_string(parts_.sm) + ": block " + std::to_string(tb.gid) + " of " +
            base::readable_name(tb.kernel->program->kernel);
    if ((parts_.tbs.finished() >> c & 1) != 0) {
      text += parts_.tbs.waits_for_credit() ? ": all warps have exited, the done FIFO is full"
                                            : ": all warps have exited, memory accesses in flight";
    }
    text += "\n";
    for (WarpMask warps = tb.warps & parts_.warps.live(); warps != 0; warps &= warps - 1) {
      const unsigned w = lowest(warps);
      text += "  warp " + std::to_string(parts_.warps[w].warp_in_tb) + " (slot " + std::to_string(w) + ") " +
              reason(w) + ", " + tb.kernel->program->describe(record(w)) + "\n";
    }
  }
  const std::string memory_text = parts_.memory.waiting();
  return memory_text.empty() ? text : text + "  memory: " + memory_text + "\n";
}

void SmWaitReport::add_to(WaitGraph& graph) const {
  for (TbMask left = parts_.tbs.resident(); left != 0; left &= left - 1) {
    const unsigned c = lowest(left);
    const TbState& tb = parts_.tbs[c];
    const std::string block = block_node(parts_.sm, c, tb.gid);
    graph.add(kernel_node(tb.kernel->program->kernel, tb.kernel->entry), block);
    for (WarpMask warps = tb.warps & parts_.warps.live(); warps != 0; warps &= warps - 1) {
      const unsigned w = lowest(warps);
      graph.add(block, warp_node(parts_.sm, w));
      if ((parts_.blocked.held_at_barrier() & warp_bit(w)) == 0) continue;
      for (WarpMask missing = missing_at_barrier(w); missing != 0; missing &= missing - 1) {
        graph.add(warp_node(parts_.sm, w), warp_node(parts_.sm, lowest(missing)));
      }
    }
  }
}

}  // namespace castor::gpu
