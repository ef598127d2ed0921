#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/tb_need.h"

namespace castor::gpu {

/// Resources of an SM for thread blocks, total or free, in the units of TbNeed.
struct SmResources {
  std::uint32_t tbs = 0;         ///< TB slots
  std::uint32_t warps = 0;       ///< warp slots
  std::uint32_t threads = 0;     ///< threads: lanes x warps
  std::uint32_t reg_units = 0;   ///< register allocation units of sm.reg_alloc_unit registers
  std::uint32_t smem_units = 0;  ///< shared-memory allocation units of sm.smem_alloc_unit bytes
};

/// A dispatch policy's view of the front end's resource ledger (docs/gpu/front-end.md, "Placement"): free resources per
/// SM, TBs in flight to the SM already subtracted.
class ResourceView {
 public:
  virtual ~ResourceView() = default;
  [[nodiscard]] virtual unsigned sms() const = 0;
  /// Returns the resources of an empty SM.
  [[nodiscard]] virtual const SmResources& capacity() const = 0;
  [[nodiscard]] virtual const SmResources& free(unsigned sm) const = 0;
  /// Returns the number of TBs of a kernel table entry that are on an SM or in flight to it.
  [[nodiscard]] virtual unsigned resident(unsigned sm, unsigned entry) const = 0;
  /// Returns a number that grows whenever a TB is placed, retires, is swapped out or is placed again.
  [[nodiscard]] virtual std::uint64_t changes() const = 0;
  /// Returns whether the SM has the free resources for a TB of that need.
  [[nodiscard]] virtual bool fits(unsigned sm, const TbNeed& need) const = 0;
  /// Returns the SMs on which the next TB of an entry fits; empty for entries without TBs to place. Ignores closed SMs
  /// and quotas.
  [[nodiscard]] virtual const SmMask& fits(unsigned entry) const = 0;
};

}  // namespace castor::gpu
