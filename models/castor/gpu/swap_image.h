#pragma once

#include <algorithm>
#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/gpu/occupancy.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Granularity of images, the memory that holds swapped-out thread blocks: size and address are multiples of this.
inline constexpr std::uint64_t kImageLine = 128;

/// Returns the bytes of an image of a program's thread blocks (docs/gpu/sync-network.md, "Images"); 0 if no block of
/// the machine stores thread blocks in images.
[[nodiscard]] std::uint64_t image_bytes(const Machine& machine, const isa::Program& program, const TbDemand& block);

/// Returns the largest number of images that a launch of `tbs` thread blocks uses, of which `resident` start at once:
/// one for each that is swapped out, and per SM one being written, one whose partner waits and one being read.
[[nodiscard]] inline std::uint64_t images_needed(const Machine& machine, std::uint64_t tbs, std::uint64_t resident) {
  return std::min(tbs, tbs - std::min(tbs, resident) + std::uint64_t{3} * machine.chip.sms);
}

/// Returns the number of images of `bytes` bytes that the machine's region for contexts has room for.
[[nodiscard]] std::uint64_t images_in_region(const Machine& machine, std::uint64_t bytes);

}  // namespace castor::gpu
