#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::isa {

/// Control state of one warp: immediate-post-dominator reconvergence (docs/gpu/program.md, "SIMT stack").
///
/// The top entry gives the active lanes and their PC. A divergent branch turns the top entry into the reconvergence
/// entry and pushes the not-taken, then the taken path, so the taken path runs first. An indirect branch pushes one
/// entry per target in descending PC. An entry whose PC equals its reconvergence PC, or whose mask is empty, is popped
/// at once. Exited lanes are removed from all entries. A call pushes an entry that begins a new frame. `ret` removes
/// lanes from the entries of the innermost frame; when these entries are empty, the caller's entry resumes behind the
/// call.
class SimtStack {
 public:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t reconvergence = kNoPc;
    LaneMask mask = 0;
    bool frame = false;  ///< first entry of a called function
    unsigned depth = 0;  ///< call depth above the kernel
  };

  /// Starts a warp with `lanes` at `pc`.
  void start(LaneMask lanes, std::uint32_t pc);
  /// Restores a saved stack: `entries` from the bottom to the top, and the lanes that have not exited.
  void restore(std::vector<Entry> entries, LaneMask live) {
    entries_ = std::move(entries);
    live_ = live;
  }

  [[nodiscard]] bool done() const { return entries_.empty(); }
  [[nodiscard]] std::uint32_t pc() const { return entries_.back().pc; }
  [[nodiscard]] LaneMask active() const { return entries_.back().mask; }
  /// Returns the lanes that have not exited.
  [[nodiscard]] LaneMask live() const { return live_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// Advances the active lanes to the next instruction. Pops entries that have reached their reconvergence PC.
  void advance() { jump(entries_.back().pc + 1); }
  /// Moves all active lanes to `target`.
  void jump(std::uint32_t target) {
    Entry& top = entries_.back();
    top.pc = target;
    if (target == top.reconvergence) settle();
  }
  /// Moves the lanes `taken` (a subset of active) to the target, the other active lanes to the next instruction.
  void branch(const BranchOp& op, LaneMask taken);
  /// Moves each active lane in `lanes` to its own target, the other active lanes to the next instruction.
  void branch_indirect(const std::uint32_t* target_of_lane, LaneMask lanes, std::uint32_t reconvergence);
  /// Calls `target` with `lanes`; the other active lanes wait behind the call.
  void call(std::uint32_t target, LaneMask lanes);
  void call_indirect(const std::uint32_t* target_of_lane, LaneMask lanes);
  /// Returns `lanes` from the innermost frame; the other lanes advance to the next instruction. In the kernel's own
  /// frame `ret` is exit.
  void ret(LaneMask lanes);
  /// Removes `lanes`, which exit; the other active lanes advance to the next instruction.
  void exit(LaneMask lanes);
  /// Returns the call depth above the kernel on the active path.
  [[nodiscard]] unsigned depth() const { return entries_.empty() ? 0 : entries_.back().depth; }

 private:
  /// Turns the top entry into the reconvergence entry of its lanes.
  void diverge(std::uint32_t reconvergence);
  void push(const Entry& entry);
  void settle();

  std::vector<Entry> entries_;
  LaneMask live_ = 0;
};

}  // namespace castor::isa
