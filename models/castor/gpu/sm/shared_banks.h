#pragma once

#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Banks of shared memory. Consecutive banks hold consecutive pieces of `interleave` bytes; in a round each bank
/// delivers `bytes` neighbouring bytes of its own. Either both are 4, or both are 8, or `bytes` is larger than
/// `interleave`: then pieces that lie count x interleave bytes apart share a bank row.
struct SharedBanks {
  unsigned count = 32, bytes = 4, interleave = 4;

  [[nodiscard]] static SharedBanks of(const Machine& machine) {
    return {machine.smem.banks, machine.smem.bank_bytes, machine.smem.interleave};
  }
  /// Returns the number of lanes in a group for accesses of `lane_bytes` bytes: as many lanes as 32 banks can serve in
  /// one round, at most 32.
  [[nodiscard]] unsigned group(unsigned lane_bytes) const { return lane_bytes > bytes ? 32 * bytes / lane_bytes : 32; }
};

/// Returns the number of groups with a lane in `mask` (not 0): the rounds that an access takes without conflicts.
[[nodiscard]] inline unsigned lane_groups(isa::LaneMask mask, unsigned lanes, unsigned lane_bytes,
                                          const SharedBanks& banks) {
  const unsigned group = banks.group(lane_bytes);
  if (group == lanes) return 1;
  unsigned groups = 0;
  for (; mask != 0; mask >>= group) groups += (mask & ((isa::LaneMask{1} << group) - 1)) != 0 ? 1 : 0;
  return groups;
}

/// Returns the number of rounds of one shared-memory access: the sum over its groups of lanes. The rounds of a group
/// are the largest number of different rows that one bank has to deliver. For atomics performed by the unit (`atomic`),
/// they are the largest number of lanes per bank. `offset` is indexed by lane.
[[nodiscard]] unsigned bank_rounds(const std::uint64_t* offset, isa::LaneMask mask, unsigned lanes, unsigned lane_bytes,
                                   const SharedBanks& banks, bool atomic);

}  // namespace castor::gpu
