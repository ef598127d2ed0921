#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/icache.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Fetch and decode of an SM: who may be fetched, fetches that are out, the instruction cache (docs/gpu/sm.md, "Fetch,
/// decode").
///
/// S0 `eligible`, on what the tick before left; S1 `go_on`; S2 `take_lines`, then `line_arrived`; S6 `take_due`, then
/// `decode`; S7 `fetch`. `hold_back` wherever a warp has to wait, `stop` in S0.
class FetchStage {
 public:
  FetchStage(const Machine& machine, const WarpTable& warps, InstructionBuffer& buffer, SmMemory& memory,
             EventWheel& wheel, FetchCounters& counters)
      : refill_empty_(machine.ibuffer.refill == IbufferRefill::kEmpty),
        branch_cycles_(machine.fetch.branch_cycles),
        warps_per_tick_(machine.fetch.warps),
        instructions_(machine.fetch.insns),
        warps_(warps),
        buffer_(buffer),
        memory_(memory),
        wheel_(wheel),
        counters_(counters),
        icache_(machine) {}

  /// Warps that may be fetched.
  [[nodiscard]] WarpMask eligible() const {
    const WarpMask may = warps_.live() & ~out_ & ~held_back_;
    return refill_empty_ ? may & ~buffer_.valid() : may & ~buffer_.full();
  }
  /// A fetch is under way.
  [[nodiscard]] WarpMask out() const { return out_; }
  /// Branch not resolved, TB not set up.
  [[nodiscard]] WarpMask held_back() const { return held_back_; }
  /// Something is decoded in the next tick.
  [[nodiscard]] bool decodes_next() const { return (due_ | filled_) != 0; }
  /// Instructions of the fetch that is out.
  [[nodiscard]] unsigned fetching(unsigned w) const { return fetching_[w]; }
  /// Line from which a warp is fetched next.
  [[nodiscard]] std::uint64_t line(unsigned w) const { return icache_.line_of(address(w)); }

  /// A warp begins in the slot.
  void start(unsigned w) { fetching_[w] = 0; }
  /// What began for them in `tick`, set-up or branch, takes `ticks` ticks; they are not fetched before it is over.
  void hold_back(WarpMask warps, Tick tick, Tick ticks) {
    if (ticks <= 1) return;
    held_back_ |= warps;
    SmEvent event;
    event.kind = SmEvent::Kind::kFetchable;
    event.payload = warps;
    // Fetch is judged on what the tick before left.
    wheel_.add(tick, tick + ticks - 1, event);
  }
  /// A warp that has issued a control transfer waits until it is resolved.
  void resolve_branch(unsigned w, Tick tick) { hold_back(warp_bit(w), tick, branch_cycles_); }
  /// The event of `hold_back`.
  void go_on(WarpMask warps) { held_back_ &= ~warps; }
  /// What they have fetched is not wanted any more.
  void stop(WarpMask warps);

  /// What came from memory in the last tick is decoded in this one.
  void take_lines() { arrived_ = std::exchange(filled_, 0); }
  /// A line that was asked for has come.
  void line_arrived(std::uint64_t line) { filled_ |= icache_.fill(line); }
  /// Warps whose line came from memory, in this tick.
  [[nodiscard]] WarpMask arrived() const { return arrived_; }

  /// Warps whose fetch was out in the last tick, or whose line came from memory: their instructions are looked for now.
  [[nodiscard]] WarpMask due() const { return due_ | arrived_; }
  [[nodiscard]] WarpMask take_due() { return std::exchange(due_, 0) | arrived_; }
  /// Puts the instructions of warps that are due into their buffers, if they are there.
  void decode(WarpMask due);
  /// Looks for the line of a fetch that is out; on a miss it is asked for, or the fetch is dropped.
  [[nodiscard]] bool present(unsigned w);
  /// The fetch of a warp is over; of its instructions the first `taken` are wanted, behind which, with `ends`, the next
  /// one is not known yet. `squashed`: of the others those that a fetch filter drops.
  void deliver(unsigned w, unsigned taken, bool ends, unsigned squashed = 0) {
    out_ &= ~warp_bit(w);
    counters_.wasted_fetches += fetching_[w] - taken - squashed;
    counters_.squashes += squashed;
    buffer_.fill(w, taken, ends);
  }
  /// Instructions that are there wait one more tick.
  void postpone(WarpMask warps) { due_ |= warps; }

  /// Fetches for some of `eligible`, in loose round robin. True if it did.
  bool fetch(WarpMask eligible);

 private:
  [[nodiscard]] bool look_for(unsigned w);
  [[nodiscard]] std::uint64_t address(unsigned w) const {
    return warps_[w].code_base + std::uint64_t{8} * (warps_[w].pc + buffer_.size(w));
  }

  // One word per property of warps.
  WarpMask out_ = 0, held_back_ = 0;
  WarpMask due_ = 0;      // fetched in the tick before
  WarpMask filled_ = 0;   // their line came from memory, they decode in the next tick
  WarpMask arrived_ = 0;  // of the tick under way: filled in the one before
  const bool refill_empty_;
  const unsigned branch_cycles_, warps_per_tick_, instructions_;
  std::uint8_t last_ = kMaxWarps - 1;
  const WarpTable& warps_;
  InstructionBuffer& buffer_;
  SmMemory& memory_;
  EventWheel& wheel_;
  FetchCounters& counters_;
  InstructionCache icache_;
  std::array<std::uint8_t, kMaxWarps> fetching_{};
};

}  // namespace castor::gpu
