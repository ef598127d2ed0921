#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/isa/simt_stack.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// Detector of endless loops for the fixed-point watchdog (docs/gpu/faults.md, "Watchdogs"). It watches the warps of
/// one SM, or of one thread block of the functional machine, during one window. It reports whether an event occurred
/// that could end a loop, and which warps returned to a state that they had before.
///
/// The state of a warp (PC, SIMT stack, predicates, registers) is examined at backward jumps without an access in
/// flight, when all earlier accesses have completed. It is compared with one remembered state, which is replaced after
/// 1, 2, 4, 8, ... examinations. In a window without disturbance, a warp that was in one state twice has executed a
/// loop that changes nothing and reads only constant values.
///
/// A closed watch costs one comparison per backward jump; the first disturbance closes it. Limit: a loop that always
/// has an access in flight at its backward jumps is not detected.
class SpinWatch {
 public:
  /// Address that a warp reads repeatedly in its loop (polling).
  struct Poll {
    std::uint64_t address = 0;  ///< device address; for shared memory the offset in the TB's window
    std::uint32_t pc = 0;       ///< record of the reading instruction
    bool shared = false;
  };
  static constexpr std::size_t kPolls = 4;  ///< most addresses kept per warp

  explicit SpinWatch(unsigned warps) : warps_(warps) {}

  /// Opens a window whose first cycle is `since`.
  void open(base::Cycle since);
  void close() { open_ = false; }
  /// Closes the window, because an event occurred on which a loop may depend.
  void disturb() { open_ = false; }
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] base::Cycle since() const { return since_; }

  /// State of a warp, without its memory.
  struct State {
    const isa::SimtStack* stack;      ///< SIMT stack; its top holds the next instruction
    const isa::LaneMask* predicates;  ///< array of 8 predicate registers
    const std::byte* registers;
    std::size_t register_bytes;
  };
  /// Examines a warp that has jumped backwards and has no access in flight.
  void look(unsigned warp, const State& state) {
    if ((repeating_ >> warp & 1) == 0) compare(warp, state);
  }
  /// Records the address of a load or atomic of the warp.
  void reads(unsigned warp, const Poll& poll);
  /// Returns whether `reads` would still record an address of the warp.
  [[nodiscard]] bool notes_reads(unsigned warp) const { return !warps_[warp].more && (repeating_ >> warp & 1) == 0; }

  /// Returns the warps that were in the same state twice since `open`.
  [[nodiscard]] WarpMask repeating() const { return repeating_; }
  /// Addresses that a repeating warp reads in its loop, and whether there are more than kPolls.
  [[nodiscard]] const std::vector<Poll>& polls(unsigned warp) const { return warps_[warp].polls; }
  [[nodiscard]] bool more_polls(unsigned warp) const { return warps_[warp].more; }

 private:
  /// Remembered state of a warp.
  struct Remembered {
    std::vector<isa::SimtStack::Entry> stack;
    isa::LaneMask live = 0;
    isa::LaneMask predicates[8] = {};
    std::vector<std::byte> registers;
    /// replace_after: examinations until the state is replaced, 0 = no state remembered
    std::uint64_t looks = 0, replace_after = 0;
    std::vector<Poll> polls;  ///< addresses read since the state was remembered
    bool more = false;
  };
  void compare(unsigned warp, const State& state);
  [[nodiscard]] static bool same(const Remembered& before, const State& now);

  bool open_ = false;       ///< the window is open: no disturbance since `open`
  WarpMask repeating_ = 0;  ///< warps that were in one state twice in this window
  base::Cycle since_ = 0;
  std::vector<Remembered> warps_;
};

}  // namespace castor::gpu
