#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/isa/simt_stack.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// Watches the warps of one SM, or of one thread block of the functional machine, for one window of the fixed-point
/// watchdog (docs/gpu/faults.md, "Watchdogs"): has anything happened that could end a loop, and which warps were twice
/// in one and the same state.
///
/// The state of a warp (PC, SIMT stack, predicates, registers) is looked at where it jumps backwards with no access
/// under way, so everything it did before is performed. It is compared in full with one remembered state, which is
/// replaced after 1, 2, 4, 8, ... looks. If a window has seen no disturbance, a warp that was twice in a state has gone
/// around a loop that changes nothing and reads only what does not change.
///
/// Closed, it costs one comparison where a warp jumps; the first disturbance closes it. Limits: a loop that is never
/// without an access under way where it jumps is not recognised.
class SpinWatch {
 public:
  /// A value that a warp reads again and again.
  struct Poll {
    std::uint64_t address = 0;  ///< device address; shared memory: offset in the TB's window
    std::uint32_t pc = 0;       ///< record that reads it
    bool shared = false;
  };
  static constexpr std::size_t kPolls = 4;  ///< addresses kept per warp

  explicit SpinWatch(unsigned warps) : warps_(warps) {}

  /// Begins a window: cycle `since` is its first.
  void open(base::Cycle since);
  void close() { open_ = false; }
  /// Something happened that a loop may depend on: this window proves nothing.
  void disturb() { open_ = false; }
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] base::Cycle since() const { return since_; }

  /// What a warp is, besides its memory.
  struct State {
    const isa::SimtStack* stack;      ///< its top is the next instruction
    const isa::LaneMask* predicates;  ///< 8
    const std::byte* registers;
    std::size_t register_bytes;
  };
  /// The warp has jumped backwards, and nothing of it is under way.
  void look(unsigned warp, const State& state) {
    if ((repeating_ >> warp & 1) == 0) compare(warp, state);
  }
  /// The warp loads, or reads by an atomic.
  void reads(unsigned warp, const Poll& poll);
  /// Whether `reads` would note anything of it.
  [[nodiscard]] bool notes_reads(unsigned warp) const { return !warps_[warp].more && (repeating_ >> warp & 1) == 0; }

  /// Warps that were twice in one state since `open`.
  [[nodiscard]] WarpMask repeating() const { return repeating_; }
  /// What such a warp reads in its loop, and whether that is not all.
  [[nodiscard]] const std::vector<Poll>& polls(unsigned warp) const { return warps_[warp].polls; }
  [[nodiscard]] bool more_polls(unsigned warp) const { return warps_[warp].more; }

 private:
  struct Remembered {
    std::vector<isa::SimtStack::Entry> stack;
    isa::LaneMask live = 0;
    isa::LaneMask predicates[8] = {};
    std::vector<std::byte> registers;
    std::uint64_t looks = 0, replace_after = 0;  ///< 0: nothing remembered
    std::vector<Poll> polls;                     ///< since it was remembered
    bool more = false;
  };
  void compare(unsigned warp, const State& state);
  [[nodiscard]] static bool same(const Remembered& before, const State& now);

  bool open_ = false;
  WarpMask repeating_ = 0;
  base::Cycle since_ = 0;
  std::vector<Remembered> warps_;
};

}  // namespace castor::gpu
