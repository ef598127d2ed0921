#pragma once

#include <cstdint>
#include <vector>

#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::isa {

/// Control state of one warp: immediate-post-dominator reconvergence (docs/gpu/program.md, "SIMT stack").
///
/// The top entry says which lanes run and where. A divergent branch turns the top entry into the reconvergence entry
/// and pushes the not-taken, then the taken path, so the taken path runs first. Indirect branches push one entry per
/// target in descending PC. An entry whose PC equals its reconvergence PC, or whose mask is empty, is popped at once.
/// Exited lanes leave all entries. A call pushes an entry that is a frame of its own: `ret` takes lanes out of the
/// entries of the innermost frame; when these are gone the caller's entry goes on behind the call.
class SimtStack {
 public:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t reconvergence = kNoPc;
    LaneMask mask = 0;
    bool frame = false;  ///< first entry of a called function
    unsigned depth = 0;  ///< calls above the kernel
  };

  void start(LaneMask lanes, std::uint32_t pc);

  [[nodiscard]] bool done() const { return entries_.empty(); }
  [[nodiscard]] std::uint32_t pc() const { return entries_.back().pc; }
  [[nodiscard]] LaneMask active() const { return entries_.back().mask; }
  /// Lanes that have not exited.
  [[nodiscard]] LaneMask live() const { return live_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// Next instruction. Pops entries that have met.
  void advance() { jump(entries_.back().pc + 1); }
  /// All active lanes go to `target`.
  void jump(std::uint32_t target) {
    Entry& top = entries_.back();
    top.pc = target;
    if (target == top.reconvergence) settle();
  }
  /// Lanes `taken` (a subset of active) go to the target, the others on.
  void branch(const BranchOp& op, LaneMask taken);
  /// One target per lane for the active lanes in `lanes`; active lanes outside go on with the next instruction.
  void branch_indirect(const std::uint32_t* target_of_lane, LaneMask lanes, std::uint32_t reconvergence);
  /// Lanes `lanes` call; the other active lanes wait behind the call.
  void call(std::uint32_t target, LaneMask lanes);
  void call_indirect(const std::uint32_t* target_of_lane, LaneMask lanes);
  /// Lanes return from the innermost frame; the others go on with the next instruction. In a kernel's own frame `ret`
  /// is exit.
  void ret(LaneMask lanes);
  /// Lanes exit; the other active lanes go on with the next instruction.
  void exit(LaneMask lanes);
  /// Frames of calls above the kernel, on the path that runs.
  [[nodiscard]] unsigned depth() const { return entries_.empty() ? 0 : entries_.back().depth; }

 private:
  /// Makes the top entry the one in which its lanes meet again.
  void diverge(std::uint32_t reconvergence);
  void push(const Entry& entry);
  void settle();

  std::vector<Entry> entries_;
  LaneMask live_ = 0;
};

}  // namespace castor::isa
