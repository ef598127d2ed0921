#pragma once

#include "castor/gpu/machine.h"
#include "castor/gpu/tb_need.h"

namespace castor::gpu {

/// Resources of a replayed SM that its thread blocks occupy.
class ReplayRoom {
 public:
  void take(const TbNeed& need) {
    warps_ += need.warps;
    threads_ += need.threads;
    register_units_ += need.reg_units;
    shared_units_ += need.smem_units;
    ++tbs_;
  }
  void give_back(const TbNeed& need) {
    warps_ -= need.warps;
    threads_ -= need.threads;
    register_units_ -= need.reg_units;
    shared_units_ -= need.smem_units;
    --tbs_;
  }
  /// Returns whether the occupied resources exist on an SM.
  [[nodiscard]] bool fits(const Machine::Sm& sm) const {
    return tbs_ <= sm.tb_slots && warps_ <= sm.warps && threads_ <= sm.threads &&
           register_units_ <= sm.registers / sm.reg_alloc_unit && shared_units_ <= sm.smem_bytes / sm.smem_alloc_unit;
  }
  [[nodiscard]] const unsigned& warps() const { return warps_; }
  [[nodiscard]] unsigned tbs() const { return tbs_; }

 private:
  unsigned warps_ = 0, threads_ = 0, register_units_ = 0, shared_units_ = 0, tbs_ = 0;
};

}  // namespace castor::gpu
