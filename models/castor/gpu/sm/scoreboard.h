#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Scoreboard of an SM: per warp, the pending registers and predicates, the loads in flight, and the unacknowledged
/// stores (docs/gpu/sm.md, "Issue, operands, pipelines").
///
/// Steps: `start` in S0, start; `written` and `load_done` in S1, events; `acknowledged`, `resume` and `expect_writes`
/// of loads in S2 and S3; the other functions in S5, issue; `judge` whenever the head of a warp's instruction buffer
/// changes. Times are ticks.
class Scoreboard {
 public:
  /// The scoreboard reserves write slots in `pipelines` and adds the write-backs to `wheel`.
  Scoreboard(const Machine& machine, Pipelines& pipelines, EventWheel& wheel)
      : slots_(machine.sm.warps), pipelines_(pipelines), wheel_(wheel) {}

  /// Returns the warps whose head has no pending register and which are not held, as of the last `judge` of each warp.
  [[nodiscard]] WarpMask clear() const { return clear_ & ~held_; }
  /// Returns the warps whose head waits for the data of a load, or which are held, as of the last `judge` of each warp.
  [[nodiscard]] WarpMask waits_load() const { return waits_load_ | held_; }
  /// Returns the held warps: their last memory instruction re-enters the shared-memory unit through issue, and no
  /// younger instruction issues.
  [[nodiscard]] WarpMask held() const { return held_; }
  /// Returns the warps with loads or stores in flight.
  [[nodiscard]] WarpMask memory_busy() const { return memory_busy_; }
  /// Returns the warps that have exited or were stopped while registers are pending.
  [[nodiscard]] WarpMask in_flight() const { return in_flight_; }
  /// Returns the number of loads and atomics whose registers are not written, and of prefetches without data.
  [[nodiscard]] unsigned loads(unsigned w) const { return loads_[w]; }
  /// Returns the number of unacknowledged lines of stores, reductions and atomics; the shared-memory part of an
  /// instruction counts as one line.
  [[nodiscard]] unsigned unacknowledged(unsigned w) const { return unacknowledged_[w]; }
  [[nodiscard]] bool pending(unsigned w, unsigned reg) const {
    return (slots_[w].pending[reg / 64] >> (reg % 64) & 1) != 0;
  }
  [[nodiscard]] unsigned pending_predicates(unsigned w) const { return pending_predicates_[w]; }

  /// Returns whether no register or predicate that the instruction reads or writes is pending.
  [[nodiscard]] bool ready(unsigned w, const Decoded& decoded) const {
    return (overlap(slots_[w].pending, decoded) | (pending_predicates_[w] & decoded.predicates)) == 0;
  }

  /// Resets the slot for a warp that starts in it.
  void start(unsigned w) {
    slots_[w] = {};
    pending_predicates_[w] = 0;
    loads_[w] = 0;
    unacknowledged_[w] = 0;
    held_ &= ~warp_bit(w);
  }
  /// Evaluates whether the new head of a warp's instruction buffer may issue.
  void judge(unsigned w, const Decoded& head) {
    if (ready(w, head)) {
      clear_ |= warp_bit(w);
      waits_load_ &= ~warp_bit(w);
      return;
    }
    clear_ &= ~warp_bit(w);
    waits_load_ = (waits_load_ & ~warp_bit(w)) | (overlap(slots_[w].loading, head) != 0 ? warp_bit(w) : 0);
  }

  /// Marks register `reg` as pending, and schedules its write in the first free write slot from `earliest` on. The
  /// register is clear one tick after the write.
  void expect_write(unsigned w, unsigned reg, Tick tick, Tick earliest) {
    expect(w, reg);
    SmEvent event;
    event.warp = static_cast<std::uint8_t>(w);
    event.first = static_cast<std::uint8_t>(reg);
    event.registers = 1;
    wheel_.add(tick, pipelines_.reserve_write(reg, w, earliest) + 1, event);
  }
  /// Schedules the write-back of a load whose registers have been marked as pending at its issue. The data are
  /// available from `earliest` on, and are written with the first register, by a kLoaded event.
  void expect_load(unsigned w, const Decoded& decoded, Tick tick, Tick earliest, MemoryOperation& operation) {
    if (decoded.dst_count != 1 || decoded.predicates_written != 0) {
      expect_writes(w, decoded, tick, earliest, &operation);
      return;
    }
    SmEvent loaded;
    loaded.kind = SmEvent::Kind::kLoaded;
    loaded.warp = static_cast<std::uint8_t>(w);
    loaded.first = decoded.dst;
    loaded.registers = 1;
    loaded.operation = &operation;
    wheel_.add(tick, pipelines_.reserve_write(decoded.dst, w, earliest) + 1, loaded);
  }
  /// Marks all results of an instruction as pending and schedules their write-back. `operation`: a load or atomic whose
  /// data the first event writes; null for other instructions.
  void expect_writes(unsigned w, const Decoded& decoded, Tick tick, Tick earliest, MemoryOperation* operation);
  /// Records the issue of a memory instruction: its results are pending, its acknowledges outstanding, and it may hold
  /// its warp.
  void memory_issued(unsigned w, const Decoded& decoded, const MemoryAccepted& accepted) {
    unacknowledged_[w] += accepted.acknowledges;
    if (accepted.holds) held_ |= warp_bit(w);
    if ((decoded.flags & kReturnsData) != 0) {
      ++loads_[w];
      for (unsigned i = 0; i < decoded.dst_count; ++i) {
        const unsigned reg = decoded.dst + i;
        expect(w, reg);
        slots_[w].loading[reg / 64] |= std::uint64_t{1} << (reg % 64);
      }
    }
    memory_changed(w);
  }
  /// Marks a register as pending, or clears it, if its write slot is reserved by another part (pool rows of a fetch
  /// filter).
  void expect(unsigned w, unsigned reg) { slots_[w].pending[reg / 64] |= std::uint64_t{1} << (reg % 64); }
  void forget(unsigned w, unsigned reg) {
    slots_[w].pending[reg / 64] &= ~(std::uint64_t{1} << (reg % 64));
    slots_[w].loading[reg / 64] &= ~(std::uint64_t{1} << (reg % 64));
  }

  /// Clears the registers and predicates of `event`, which were written in the previous tick. `head`: oldest buffered
  /// instruction of the warp, or null.
  void written(unsigned w, const SmEvent& event, Tick tick, const Decoded* head) {
    for (unsigned bits = event.registers; bits != 0; bits &= bits - 1) {
      const unsigned reg = event.first + static_cast<unsigned>(__builtin_ctz(bits));
      CASTOR_ASSERT(pending(w, reg), "register %u of warp %u is written in tick %llu but not pending", reg, w,
                    static_cast<unsigned long long>(tick));
      forget(w, reg);
      pipelines_.written(reg, w, tick - 1);
    }
    pending_predicates_[w] &= static_cast<std::uint8_t>(~event.predicates);
    changed(w, head);
  }
  /// Evaluates the warp again after registers were cleared with `forget`.
  void changed(unsigned w, const Decoded* head) {
    if (head != nullptr && (clear_ & warp_bit(w)) == 0) {
      judge(w, *head);
    } else if ((in_flight_ & warp_bit(w)) != 0 && !any_pending(w)) {
      in_flight_ &= ~warp_bit(w);
    }
  }
  /// Records that the registers of a load or atomic have been written.
  void load_done(unsigned w) {
    --loads_[w];
    memory_changed(w);
  }
  /// Ends the hold of a warp by its memory instruction.
  void resume(unsigned w) { held_ &= ~warp_bit(w); }
  /// Returns whether the warp has no pending register and no access in flight.
  [[nodiscard]] bool quiet(unsigned w) const { return !any_pending(w) && loads_[w] == 0 && unacknowledged_[w] == 0; }
  /// Records a store of the warp that belongs to no instruction (the store of a launch record).
  void expect_acknowledge(unsigned w) {
    ++unacknowledged_[w];
    memory_changed(w);
  }
  /// Records the acknowledge of one line.
  void acknowledged(unsigned w) {
    --unacknowledged_[w];
    memory_changed(w);
  }
  /// Records that the warp has exited or was stopped.
  void stop(unsigned w) {
    if (any_pending(w)) in_flight_ |= warp_bit(w);
  }

 private:
  // Pending registers of a warp.
  struct alignas(64) Slot {
    std::uint64_t pending[4] = {};  // bit per register with a pending write
    std::uint64_t loading[4] = {};  // bit per register whose pending write is a load's
  };
  [[nodiscard]] static std::uint64_t overlap(const std::uint64_t* set, const Decoded& decoded) {
    return (set[0] & decoded.registers[0]) | (set[1] & decoded.registers[1]) | (set[2] & decoded.registers[2]) |
           (set[3] & decoded.registers[3]);
  }
  [[nodiscard]] bool any_pending(unsigned w) const {
    const std::uint64_t* const set = slots_[w].pending;
    return (set[0] | set[1] | set[2] | set[3]) != 0 || pending_predicates_[w] != 0;
  }
  void memory_changed(unsigned w) {
    const bool busy = loads_[w] != 0 || unacknowledged_[w] != 0;
    memory_busy_ = (memory_busy_ & ~warp_bit(w)) | (busy ? warp_bit(w) : 0);
  }

  // Masks with one bit per warp. clear_: the head has no pending register. waits_load_: the head waits for a load.
  // memory_busy_: accesses are in flight. in_flight_: the warp has ended with registers pending. held_: a memory
  // instruction that re-enters through issue holds the warp.
  WarpMask clear_ = 0, waits_load_ = 0, memory_busy_ = 0, in_flight_ = 0, held_ = 0;
  std::vector<Slot> slots_;
  Pipelines& pipelines_;
  EventWheel& wheel_;
  // [warp] bit per predicate with a pending write
  std::array<std::uint8_t, kMaxWarps> pending_predicates_{};
  // [warp] number of loads and atomics not written back, and of prefetches without data
  std::array<std::uint16_t, kMaxWarps> loads_{};
  // [warp] lines of stores, reductions and atomics without acknowledge
  std::array<std::uint32_t, kMaxWarps> unacknowledged_{};
};

}  // namespace castor::gpu
