#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/tb_need.h"

namespace castor::gpu {

/// What an SM has, or has left, for TBs; in the units of TbNeed.
struct SmRoom {
  std::uint32_t tbs = 0;         ///< TB slots
  std::uint32_t warps = 0;       ///< warp slots
  std::uint32_t threads = 0;     ///< lanes x warps
  std::uint32_t reg_units = 0;   ///< of sm.reg_alloc_unit registers
  std::uint32_t smem_units = 0;  ///< of sm.smem_alloc_unit bytes
};

/// Free room per SM, placements under way already subtracted: what a dispatch policy sees of the ledger
/// (docs/gpu/front-end.md, "Placement").
class RoomView {
 public:
  virtual ~RoomView() = default;
  [[nodiscard]] virtual unsigned sms() const = 0;
  /// Room of an empty SM.
  [[nodiscard]] virtual const SmRoom& capacity() const = 0;
  [[nodiscard]] virtual const SmRoom& free(unsigned sm) const = 0;
  /// TBs of a kernel table entry on an SM or on their way to it.
  [[nodiscard]] virtual unsigned resident(unsigned sm, unsigned entry) const = 0;
  /// An SM has room for a TB of that need.
  [[nodiscard]] virtual bool fits(unsigned sm, const TbNeed& need) const = 0;
  /// SMs on which the next TB of an entry fits; 0 for entries without TBs to place. Closed SMs and quotas are not
  /// looked at.
  [[nodiscard]] virtual SmMask fits(unsigned entry) const = 0;
};

}  // namespace castor::gpu
