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

/// What of each warp is under way: registers and predicates that will be written, loads, stores that are not
/// acknowledged (docs/gpu/sm.md, "Issue, operands, pipelines").
///
/// S0 `start`; S1 `written` and `load_done`; S2 and S3 `acknowledged`, `goes_on` and `expect_writes` of loads; S5 the
/// others; `judge` whenever the head of a warp's instruction buffer is another one. Times are ticks.
class Scoreboard {
 public:
  /// Write slots are reserved in `pipelines`, and the writes are events of `wheel`.
  Scoreboard(const Machine& machine, Pipelines& pipelines, EventWheel& wheel)
      : slots_(machine.sm.warps), pipelines_(pipelines), wheel_(wheel) {}

  /// Warps with no register of their head pending that are not held, when it was last judged.
  [[nodiscard]] WarpMask clear() const { return clear_ & ~held_; }
  /// Warps whose head waits for a load, or that are held, when it was last judged.
  [[nodiscard]] WarpMask waits_load() const { return waits_load_ | held_; }
  /// Warps whose last memory instruction comes back through issue: nothing behind it issues.
  [[nodiscard]] WarpMask held() const { return held_; }
  /// Loads or stores are under way.
  [[nodiscard]] WarpMask memory_busy() const { return memory_busy_; }
  /// Warps that do not live any more and have registers pending.
  [[nodiscard]] WarpMask in_flight() const { return in_flight_; }
  /// Loads and atomics whose registers are not written, prefetches whose data are not there.
  [[nodiscard]] unsigned loads(unsigned w) const { return loads_[w]; }
  /// Lines of stores, reductions, atomics; what one of them does in shared memory counts as a line.
  [[nodiscard]] unsigned unacknowledged(unsigned w) const { return unacknowledged_[w]; }
  [[nodiscard]] bool pending(unsigned w, unsigned reg) const {
    return (slots_[w].pending[reg / 64] >> (reg % 64) & 1) != 0;
  }
  [[nodiscard]] unsigned pending_predicates(unsigned w) const { return pending_predicates_[w]; }

  /// Nothing that an instruction of the warp reads or writes is pending.
  [[nodiscard]] bool ready(unsigned w, const Decoded& decoded) const {
    return (overlap(slots_[w].pending, decoded) | (pending_predicates_[w] & decoded.predicates)) == 0;
  }

  /// A warp begins in the slot: nothing is under way.
  void start(unsigned w) {
    slots_[w] = {};
    pending_predicates_[w] = 0;
    loads_[w] = 0;
    unacknowledged_[w] = 0;
    held_ &= ~warp_bit(w);
  }
  /// Whether the head of a warp's buffer may issue.
  void judge(unsigned w, const Decoded& head) {
    if (ready(w, head)) {
      clear_ |= warp_bit(w);
      waits_load_ &= ~warp_bit(w);
      return;
    }
    clear_ &= ~warp_bit(w);
    waits_load_ = (waits_load_ & ~warp_bit(w)) | (overlap(slots_[w].loading, head) != 0 ? warp_bit(w) : 0);
  }

  /// Register `reg` is written in the first tick from `earliest` on with a free write slot, and clear in the next.
  void expect_write(unsigned w, unsigned reg, Tick tick, Tick earliest) {
    expect(w, reg);
    SmEvent event;
    event.warp = static_cast<std::uint8_t>(w);
    event.first = static_cast<std::uint8_t>(reg);
    event.registers = 1;
    wheel_.add(tick, pipelines_.reserve_write(reg, w, earliest) + 1, event);
  }
  /// The same for a load, whose registers are pending since it issued: its data are there from `earliest` on and come
  /// with the first write, in an event kLoaded.
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
  /// The same for all that an instruction writes. With `operation` as `expect_load`.
  void expect_writes(unsigned w, const Decoded& decoded, Tick tick, Tick earliest, MemoryOperation* operation);
  /// A memory instruction has issued: what it loads is pending, acknowledges are to come, and it may hold its warp.
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
  /// Registers whose write slots are somebody else's: rows of a fetch filter.
  void expect(unsigned w, unsigned reg) { slots_[w].pending[reg / 64] |= std::uint64_t{1} << (reg % 64); }
  void forget(unsigned w, unsigned reg) {
    slots_[w].pending[reg / 64] &= ~(std::uint64_t{1} << (reg % 64));
    slots_[w].loading[reg / 64] &= ~(std::uint64_t{1} << (reg % 64));
  }

  /// What `event` names was written in the tick before. `head`: first instruction in the warp's buffer, null without.
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
  /// The same when nothing but `expect`ed registers were written.
  void changed(unsigned w, const Decoded* head) {
    if (head != nullptr && (clear_ & warp_bit(w)) == 0) {
      judge(w, *head);
    } else if ((in_flight_ & warp_bit(w)) != 0 && !any_pending(w)) {
      in_flight_ &= ~warp_bit(w);
    }
  }
  /// The registers of a load or atomic have got their data.
  void load_done(unsigned w) {
    --loads_[w];
    memory_changed(w);
  }
  /// The instruction that held the warp does not any more.
  void goes_on(unsigned w) { held_ &= ~warp_bit(w); }
  /// The warp has nothing under way: no register to be written, no access.
  [[nodiscard]] bool quiet(unsigned w) const { return !any_pending(w) && loads_[w] == 0 && unacknowledged_[w] == 0; }
  /// A store that is no instruction's is under way for the warp.
  void expect_acknowledge(unsigned w) {
    ++unacknowledged_[w];
    memory_changed(w);
  }
  /// One line less.
  void acknowledged(unsigned w) {
    --unacknowledged_[w];
    memory_changed(w);
  }
  /// The warp does not live any more.
  void stop(unsigned w) {
    if (any_pending(w)) in_flight_ |= warp_bit(w);
  }

 private:
  struct alignas(64) Slot {
    std::uint64_t pending[4] = {};  // bit per register that will be written
    std::uint64_t loading[4] = {};  // of them those that a load will write
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

  // One word per property of warps.
  WarpMask clear_ = 0, waits_load_ = 0, memory_busy_ = 0, in_flight_ = 0, held_ = 0;
  std::vector<Slot> slots_;
  Pipelines& pipelines_;
  EventWheel& wheel_;
  std::array<std::uint8_t, kMaxWarps> pending_predicates_{};
  std::array<std::uint16_t, kMaxWarps> loads_{};
  std::array<std::uint32_t, kMaxWarps> unacknowledged_{};
};

}  // namespace castor::gpu
