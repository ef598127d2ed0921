#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "castor/gpu/address_check.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/record.h"

namespace castor::gpu {

// Address calculation and data movement of memory instructions, used by the functional machine and by the timing GPU.
// The loops run over all lanes, so that the compiler unrolls and vectorises them.

/// Mask of all lanes of a warp.
template <unsigned lanes>
inline constexpr isa::LaneMask kAllLanes = lanes == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << (lanes % 64)) - 1;

/// Returns the offset of a thread's local byte in the local memory of its warp. Words are interleaved over the lanes.
[[nodiscard]] inline std::uint64_t local_offset(std::uint64_t offset, unsigned lane, unsigned lanes) {
  return offset / 4 * 4 * lanes + std::uint64_t{4} * lane + offset % 4;
}

/// Returns the region that the active lanes access. `at` gets each lane's offset from the region's start. For an
/// inactive lane, `at` gets the offset of an active lane. Returns a refused region if some lane is outside the region
/// or misaligned; the caller then has to check each lane.
template <unsigned lanes>
[[nodiscard]] inline Region lane_offsets(AddressCheck& check, const isa::Record& record, const isa::RegisterView& view,
                                         isa::LaneMask mask, bool write, std::uint32_t size, const Reach& reach,
                                         std::uint64_t* at) {
  const isa::MemoryOp& op = record.memory;
  const auto some = static_cast<unsigned>(__builtin_ctzll(mask));
  Region region;
  // The top bit of `any` or `beyond` is set if some offset is negative or beyond the last allowed offset.
  std::uint64_t any = 0;
  std::uint64_t beyond = 0;
  if (record.src[0] == isa::kNoOperand) {
    region = check.region(op.space, record.imm, write, reach);
    any = record.imm - region.start;
    beyond = region.size - size - any;
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = any;
  } else if (op.address_bits == 64) {
    const auto* const row = reinterpret_cast<const std::uint64_t*>(view.src(record.src[0]));
    region = check.region(op.space, row[some] + record.imm, write, reach);
    const std::uint64_t shift = record.imm - region.start;
    const std::uint64_t last = region.size - size;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::uint64_t offset = row[lane] + shift;
      at[lane] = offset;
      any |= offset;
      beyond |= last - offset;
    }
  } else {
    const auto* const row = reinterpret_cast<const std::uint32_t*>(view.src(record.src[0]));
    const auto imm = static_cast<std::uint32_t>(record.imm);
    region = check.region(op.space, static_cast<std::uint32_t>(row[some] + imm), write, reach);
    const std::uint64_t last = region.size - size;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::uint64_t offset = static_cast<std::uint32_t>(row[lane] + imm) - region.start;
      at[lane] = offset;
      any |= offset;
      beyond |= last - offset;
    }
  }
  if (region.refused() || region.size < size) return {};
  if (mask != kAllLanes<lanes>) {
    // Registers of inactive lanes may hold anything, so the sums are computed again without them.
    const std::uint64_t stand_in = at[some];
    const std::uint64_t last = region.size - size;
    any = beyond = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) at[lane] = stand_in;
      any |= at[lane];
      beyond |= last - at[lane];
    }
  }
  if (((any | beyond) >> 63) != 0 || ((any | region.start) & (size - 1)) != 0) return {};
  return region;
}

/// Loads one element for each lane of `mask` from memory into a register row. `base` is the host pointer to offset
/// `origin`.
template <class T>
inline void load_lanes(std::byte* row, const std::byte* base, const std::uint64_t* at, isa::LaneMask mask,
                       std::uint64_t origin = 0) {
  T* const to = reinterpret_cast<T*>(row);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(mask));
    std::memcpy(to + lane, base + (at[lane] - origin), sizeof(T));
  }
}
/// Loads one element for each of `lanes` lanes, a multiple of 4, into a register row.
template <class T>
inline void load_all_lanes(std::byte* row, const std::byte* base, const std::uint64_t* at, unsigned lanes) {
  T* const to = reinterpret_cast<T*>(row);
  for (unsigned lane = 0; lane < lanes; lane += 4) {
    T value[4];
    for (unsigned i = 0; i < 4; ++i) std::memcpy(value + i, base + at[lane + i], sizeof(T));
    for (unsigned i = 0; i < 4; ++i) to[lane + i] = value[i];
  }
}
/// Stores one element for each lane of `mask` from a register row to memory, in lane order, so that the highest lane
/// wins.
template <class T>
inline void store_lanes(const std::byte* row, std::byte* base, const std::uint64_t* at, isa::LaneMask mask) {
  const T* const from = reinterpret_cast<const T*>(row);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(mask));
    std::memcpy(base + at[lane], from + lane, sizeof(T));
  }
}
/// Writes one element from memory to all lanes of a register row.
template <class T>
inline void fill_lanes(std::byte* row, const std::byte* from, unsigned lanes) {
  T value;
  std::memcpy(&value, from, sizeof value);
  T* const to = reinterpret_cast<T*>(row);
  for (unsigned lane = 0; lane < lanes; ++lane) to[lane] = value;
}

}  // namespace castor::gpu
