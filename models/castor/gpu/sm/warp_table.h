#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/age_order.h"
#include "castor/gpu/sm/tb_state.h"

namespace castor::gpu {

struct SavedWarp;

/// Warp slots of an SM: SIMT stack, PC, registers, predicates and identity of each warp, the live warps, and their age
/// order.
///
/// Steps: `start` and `admit`, or `stop`, in S0, start; `step`, `transfer`, `call`, `sleep` and `wait_at` in S5, issue;
/// `release` in S8, bookkeeping. All state may be read in any step. Registers and predicates are written through `view`
/// by the unit that executes an instruction of the warp.
class WarpTable {
 public:
  WarpTable(const Machine& machine, unsigned sm);

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(slots_.size()); }
  [[nodiscard]] const WarpState& operator[](unsigned w) const { return slots_[w]; }
  [[nodiscard]] isa::RegisterView view(unsigned w) {
    WarpState& warp = slots_[w];
    return {warp.registers, warp.constants, warp.predicates, lanes_};
  }
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] LaneMask all_lanes() const { return all_lanes_; }

  /// Returns the warps with lanes that have not exited.
  [[nodiscard]] WarpMask live() const { return live_; }
  /// Returns the slots of resident TBs.
  [[nodiscard]] WarpMask used() const { return used_; }
  /// Returns the slots of resident TBs that device code has launched.
  [[nodiscard]] WarpMask device() const { return device_; }
  [[nodiscard]] const AgeOrder& ages() const { return ages_; }

  /// Initial state of a warp: all its lanes at record 0, registers and predicates zero.
  struct Start {
    const KernelContext* kernel = nullptr;
    const DecodedProgram* program = nullptr;
    ItemData item;                    ///< kernel or group data of the warp's TB
    Dim3 block;                       ///< block index of the warp's TB
    unsigned tb = 0, warp_in_tb = 0;  ///< TB context; number of the warp in its TB
    bool keeps_registers = false;     ///< the registers stay as they are: they have been moved into the slot
  };
  void start(unsigned slot, const Start& start);
  /// Makes the started warps of a TB resident, as the youngest warps.
  void admit(WarpMask warps, bool by_device);
  /// Restores the saved state of a swapped-out warp into a slot in which the warp has just been started.
  void restore(unsigned slot, const SavedWarp& saved);
  /// Replaces the control state of a live warp by a saved one: SIMT stack, PC and predicates.
  void resume_at(unsigned slot, isa::SimtStack stack, std::uint32_t pc, const std::array<std::uint32_t, 8>& predicates);

  // Register homes (docs/gpu/swapping.md). Slot s points to row set s, unless a swap engine has given it another one.
  /// Adds storage for the registers of warps until there are `sets` row sets. Those that exist do not move.
  void grow_row_sets(unsigned sets) {
    while (row_sets() < sets) spare_rows_.emplace_back().reserve(stride_);
  }
  [[nodiscard]] unsigned row_sets() const { return static_cast<unsigned>(slots_.size() + spare_rows_.size()); }
  /// Returns the registers of a row set.
  [[nodiscard]] std::byte* rows(unsigned set) {
    const auto slots = static_cast<unsigned>(slots_.size());
    return set < slots ? rows_.data() + set * stride_ : spare_rows_[set - slots].data();
  }
  [[nodiscard]] unsigned rows_of(unsigned slot) const { return row_sets_[slot]; }
  void use_rows(unsigned slot, unsigned set) {
    row_sets_[slot] = static_cast<std::uint16_t>(set);
    slots_[slot].registers = rows(set);
  }

  /// Ends these warps: they issue nothing more.
  void stop(WarpMask warps) { live_ &= ~warps; }
  /// Frees the slots of warps whose TB has left.
  void release(WarpMask warps) {
    used_ &= ~warps;
    device_ &= ~warps;
  }

  /// Advances the PC to the next instruction. Returns true if the paths of a branch reconverge there; the PC may then
  /// differ from the next address.
  bool step(unsigned w) {
    WarpState& warp = slots_[w];
    if (++warp.pc != warp.meeting) return false;
    meet(warp);
    return true;
  }
  /// Executes a control transfer at the warp's PC for the lanes of `mask`, whose guard is true. A warp without lanes
  /// left is no longer live. On a fault the warp stays at its PC.
  [[nodiscard]] std::optional<ExecutionFault> transfer(unsigned w, const isa::Record& record, LaneMask mask);
  /// Records the barrier at which the warp waits, and the destination of the barrier's result.
  void wait_at(unsigned w, const BarrierWait& barrier) { slots_[w].barrier = barrier; }
  /// Records a call of lanes `mask` into the runtime at the warp's PC.
  void call(unsigned w, LaneMask mask) {
    slots_[w].call_pc = slots_[w].pc;
    slots_[w].call_mask = mask;
  }
  void sleep(unsigned w, Tick until) { slots_[w].wakes = until; }
  /// Sets the values that `%clock` and `%globaltimer` read.
  void set_times(unsigned w, Tick tick, std::uint64_t nanoseconds) {
    slots_[w].identity.clock = tick;
    slots_[w].identity.global_timer = nanoseconds;
  }

 private:
  void meet(WarpState& warp);
  static void reload(WarpState& warp);

  // Masks with one bit per warp slot. live_: lanes have not exited. used_: slot of a resident TB. device_: slot of a TB
  // launched by device code.
  WarpMask live_ = 0, used_ = 0, device_ = 0;
  const unsigned lanes_;
  const LaneMask all_lanes_;
  std::vector<WarpState> slots_;
  AgeOrder ages_;
  const unsigned sm_, sms_;
  const std::size_t stride_;              // bytes of a row set
  std::vector<std::uint16_t> row_sets_;   // [slot] row set of the slot
  AlignedBytes rows_;                     // row sets of the slots
  std::vector<AlignedBytes> spare_rows_;  // row sets of spare homes
};

}  // namespace castor::gpu
