#pragma once

#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Banks of shared memory: the next bank follows after `interleave` bytes, and each delivers `bytes` neighbouring ones
/// of its own per round. Both are 4, or 8, or the banks are wider than they are interleaved: then bytes that lie banks
/// x interleave apart come together.
struct SharedBanks {
  unsigned count = 32, bytes = 4, interleave = 4;

  [[nodiscard]] static SharedBanks of(const Machine& machine) {
    return {machine.smem.banks, machine.smem.bank_bytes, machine.smem.interleave};
  }
  /// Lanes whose accesses of so many bytes are one group: as many as 32 banks can serve, at most 32.
  [[nodiscard]] unsigned group(unsigned lane_bytes) const { return lane_bytes > bytes ? 32 * bytes / lane_bytes : 32; }
};

/// Groups of lanes with a lane in `mask`, which is not 0: rounds that an access takes without conflicts.
[[nodiscard]] inline unsigned lane_groups(isa::LaneMask mask, unsigned lanes, unsigned lane_bytes,
                                          const SharedBanks& banks) {
  const unsigned group = banks.group(lane_bytes);
  if (group == lanes) return 1;
  unsigned groups = 0;
  for (; mask != 0; mask >>= group) groups += (mask & ((isa::LaneMask{1} << group) - 1)) != 0 ? 1 : 0;
  return groups;
}

/// Rounds that one shared-memory access takes: per group of lanes the most different rows in one bank; for atomics that
/// the unit performs (`atomic`) the most lanes. `offset` is indexed by lane.
[[nodiscard]] unsigned bank_rounds(const std::uint64_t* offset, isa::LaneMask mask, unsigned lanes, unsigned lane_bytes,
                                   const SharedBanks& banks, bool atomic);

}  // namespace castor::gpu
