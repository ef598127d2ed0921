#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/age_order.h"
#include "castor/gpu/sm/tb_state.h"

namespace castor::gpu {

struct SuspendedWarp;

/// Warp slots of an SM: SIMT stack, PC, registers, predicates and identity of each warp, which of them live, and who is
/// older.
///
/// S0 `start` and `admit`, or `stop`; S5 whatever moves a warp; S8 `release`. Everything may be read at any time.
/// Registers and predicates belong to whoever executes an instruction of the warp and are written through `view`.
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

  /// Warps with lanes that have not exited.
  [[nodiscard]] WarpMask live() const { return live_; }
  /// Slots of resident TBs.
  [[nodiscard]] WarpMask used() const { return used_; }
  /// Of them those of TBs launched by device code.
  [[nodiscard]] WarpMask device() const { return device_; }
  [[nodiscard]] const AgeOrder& ages() const { return ages_; }

  /// A warp as it begins: all its lanes at record 0, registers and predicates zero.
  struct Start {
    const KernelContext* kernel = nullptr;
    const DecodedProgram* program = nullptr;
    ItemData item;                    ///< of its TB
    Dim3 block;                       ///< index of its TB
    unsigned tb = 0, warp_in_tb = 0;  ///< TB context; number inside the TB
  };
  void start(unsigned slot, const Start& start);
  /// The warps of a TB, all started, are resident from now on: the newest ones.
  void admit(WarpMask warps, bool by_device);
  /// The warp of a suspended TB goes on where it was; it has just been started.
  void restore(unsigned slot, const SuspendedWarp& saved);
  /// They issue nothing any more.
  void stop(WarpMask warps) { live_ &= ~warps; }
  /// Their TB has left.
  void release(WarpMask warps) {
    used_ &= ~warps;
    device_ &= ~warps;
  }

  /// The next instruction. True if the paths of a branch met there: it may be another one than the next in memory.
  bool step(unsigned w) {
    WarpState& warp = slots_[w];
    if (++warp.pc != warp.meeting) return false;
    meet(warp);
    return true;
  }
  /// A control transfer at the PC, which lanes of `mask` (not those whose guard is off) take. Without lanes left the
  /// warp does not live any more. On a fault it stays where it is.
  [[nodiscard]] std::optional<ExecutionFault> transfer(unsigned w, const isa::Record& record, LaneMask mask);
  /// Where the result of the barrier goes that it waits at.
  void wait_at(unsigned w, const BarrierWait& barrier) { slots_[w].barrier = barrier; }
  /// Lanes call the runtime at the PC.
  void call(unsigned w, LaneMask mask) {
    slots_[w].call_pc = slots_[w].pc;
    slots_[w].call_mask = mask;
  }
  void sleep(unsigned w, Tick until) { slots_[w].wakes = until; }
  /// What `%clock` and `%globaltimer` read.
  void set_times(unsigned w, Tick tick, std::uint64_t nanoseconds) {
    slots_[w].identity.clock = tick;
    slots_[w].identity.global_timer = nanoseconds;
  }

 private:
  void meet(WarpState& warp);
  static void reload(WarpState& warp);

  // One word per property of warps.
  WarpMask live_ = 0, used_ = 0, device_ = 0;
  const unsigned lanes_;
  const LaneMask all_lanes_;
  std::vector<WarpState> slots_;
  AgeOrder ages_;
  const unsigned sm_, sms_;
  AlignedBytes rows_;
};

}  // namespace castor::gpu
