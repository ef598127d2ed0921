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

/// Fetch and decode stage of an SM: warps eligible for fetch, fetches in flight, instruction cache (docs/gpu/sm.md,
/// "Fetch, decode").
///
/// Steps: `eligible` in S0, start, on the state of the previous tick; `resume` in S1, events; `take_lines`, then
/// `line_arrived` in S2, replies; `take_due`, then `decode` in S6, decode; `fetch` in S7, fetch. `hold_back` in any
/// step, `stop` in S0 or S8, `bar` in S8, bookkeeping.
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

  /// Returns the warps eligible for fetch: live, no fetch in flight, not held back, and room in the instruction buffer.
  [[nodiscard]] WarpMask eligible() const {
    const WarpMask may = warps_.live() & ~out_ & ~held_back_;
    return refill_empty_ ? may & ~buffer_.valid() : may & ~buffer_.full();
  }
  /// Returns the warps with a fetch in flight, and those that are barred from fetch.
  [[nodiscard]] WarpMask out() const { return out_; }
  /// Returns the warps that may not be fetched, because their branch is not resolved or their TB is not set up.
  [[nodiscard]] WarpMask held_back() const { return held_back_; }
  /// Returns whether a fetch can be decoded in the next tick.
  [[nodiscard]] bool decodes_next() const { return (due_ | filled_) != 0; }
  /// Returns the number of instructions in the warp's fetch in flight.
  [[nodiscard]] unsigned fetching(unsigned w) const { return fetching_[w]; }
  /// Returns the address of the instruction-cache line from which the warp is fetched next.
  [[nodiscard]] std::uint64_t line(unsigned w) const { return icache_.line_of(address(w)); }

  /// Resets the slot's fetch state for a warp that starts in it.
  void start(unsigned w) { fetching_[w] = 0; }
  /// Makes warps ineligible for fetch for `ticks` ticks from `tick` on, while a set-up or a branch is in progress.
  void hold_back(WarpMask warps, Tick tick, Tick ticks) {
    if (ticks <= 1) return;
    held_back_ |= warps;
    SmEvent event;
    event.kind = SmEvent::Kind::kFetchable;
    event.payload = warps;
    // The event is one tick earlier, because eligibility is computed from the state of the previous tick.
    wheel_.add(tick, tick + ticks - 1, event);
  }
  /// Holds back a warp that has issued a control transfer until the transfer is resolved.
  void resolve_branch(unsigned w, Tick tick) { hold_back(warp_bit(w), tick, branch_cycles_); }
  /// Makes held-back warps eligible again, when their kFetchable event is due.
  void resume(WarpMask warps) { held_back_ &= ~warps; }
  /// Squashes the instructions fetched for these warps.
  void stop(WarpMask warps);
  /// Squashes the instructions fetched for these warps, and fetches no more for them until `stop`.
  void bar(WarpMask warps) {
    stop(warps);
    out_ |= warps;
  }

  /// Selects the lines that arrived in the previous tick for decode in this one.
  void take_lines() { arrived_ = std::exchange(filled_, 0); }
  /// An outstanding instruction-cache line has arrived.
  void line_arrived(std::uint64_t line) { filled_ |= icache_.fill(line); }
  /// Returns the warps whose outstanding line is decoded in this tick.
  [[nodiscard]] WarpMask arrived() const { return arrived_; }

  /// Warps whose fetch accesses the instruction cache in S6 of this tick: fetched in the previous tick, or line
  /// arrived. `take_due` also clears the set.
  [[nodiscard]] WarpMask due() const { return due_ | arrived_; }
  [[nodiscard]] WarpMask take_due() { return std::exchange(due_, 0) | arrived_; }
  /// Decodes the fetches of the warps in `due` into their instruction buffers, if the line is in the cache.
  void decode(WarpMask due);
  /// Returns whether the line of the warp's fetch is in the cache. On a miss, sends a line request, merges with one, or
  /// drops the fetch.
  [[nodiscard]] bool present(unsigned w);
  /// Ends the fetch of a warp and moves its first `taken` instructions into the instruction buffer. `ends`: the address
  /// of the instruction after them is not known yet. `squashed`: number of the other instructions that a fetch filter
  /// dropped.
  void deliver(unsigned w, unsigned taken, bool ends, unsigned squashed = 0) {
    out_ &= ~warp_bit(w);
    counters_.wasted_fetches += fetching_[w] - taken - squashed;
    counters_.squashes += squashed;
    buffer_.fill(w, taken, ends);
  }
  /// Delays the decode of fetched warps by one tick.
  void postpone(WarpMask warps) { due_ |= warps; }

  /// Fetches for up to fetch.warps of the eligible warps, in loose round robin. Returns whether any warp was fetched.
  bool fetch(WarpMask eligible);

 private:
  [[nodiscard]] bool look_for(unsigned w);
  [[nodiscard]] std::uint64_t address(unsigned w) const {
    return warps_[w].code_base + std::uint64_t{8} * (warps_[w].pc + buffer_.size(w));
  }

  // Masks with one bit per warp. out_: a fetch is in flight, or the warp is barred from fetch. held_back_: a branch is
  // not resolved, or a TB not set up.
  WarpMask out_ = 0, held_back_ = 0;
  WarpMask due_ = 0;      // fetched in the previous tick
  WarpMask filled_ = 0;   // outstanding line arrived in this tick; decoded in the next
  WarpMask arrived_ = 0;  // outstanding line arrived in the previous tick; decoded in this one
  const bool refill_empty_;
  const unsigned branch_cycles_, warps_per_tick_, instructions_;
  std::uint8_t last_ = kMaxWarps - 1;  // warp fetched last, for the round robin
  const WarpTable& warps_;
  InstructionBuffer& buffer_;
  SmMemory& memory_;
  EventWheel& wheel_;
  FetchCounters& counters_;
  InstructionCache icache_;
  // [warp] number of instructions in the fetch in flight
  std::array<std::uint8_t, kMaxWarps> fetching_{};
};

}  // namespace castor::gpu
