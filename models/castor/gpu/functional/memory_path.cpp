#include "castor/gpu/functional/memory_path.h"

#include <algorithm>
#include <cstring>

namespace castor::gpu::functional {
namespace {

using isa::Access;
using isa::LaneMask;
using isa::MemoryKind;
using isa::MemoryOp;
using isa::Space;

// Local memory is word interleaved over the lanes of a warp, so equal offsets of all lanes are neighbours.
std::size_t interleaved_offset(std::uint64_t offset, unsigned lane, unsigned lanes) {
  return (offset / 4) * 4 * lanes + std::size_t{lane} * 4 + offset % 4;
}

void gather_words(const std::byte* first, std::byte* to, std::size_t size, unsigned lanes) {
  for (std::size_t done = 0; done < size; done += 4) {
    std::memcpy(to + done, first + done * lanes, std::min<std::size_t>(4, size - done));
  }
}
void scatter_words(std::byte* first, const std::byte* from, std::size_t size, unsigned lanes) {
  for (std::size_t done = 0; done < size; done += 4) {
    std::memcpy(first + done * lanes, from + done, std::min<std::size_t>(4, size - done));
  }
}

// Offsets of all lanes inside one region of memory.
template <unsigned lanes>
struct Offsets {
  alignas(64) std::uint64_t at[lanes];
};

template <class T, unsigned lanes>
void load_lanes(std::byte* row, const std::byte* base, const Offsets<lanes>& offsets, LaneMask mask) {
  T* const to = reinterpret_cast<T*>(row);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) != 0) std::memcpy(to + lane, base + offsets.at[lane], sizeof(T));
  }
}

// All lanes; most programs read one word, or words side by side.
template <class T, unsigned lanes>
void load_all_lanes(std::byte* row, const std::byte* base, const Offsets<lanes>& offsets) {
  T* const to = reinterpret_cast<T*>(row);
  const std::uint64_t first = offsets.at[0];
  const std::uint64_t span = offsets.at[lanes - 1] - first;
  std::uint64_t differs = 1;
  if (span == 0) {
    differs = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) differs |= offsets.at[lane] ^ first;
    if (differs == 0) {
      T value;
      std::memcpy(&value, base + first, sizeof value);
      for (unsigned lane = 0; lane < lanes; ++lane) to[lane] = value;
      return;
    }
  } else if (span == (lanes - 1) * sizeof(T)) {
    differs = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) differs |= offsets.at[lane] ^ (first + lane * sizeof(T));
    if (differs == 0) {
      std::memcpy(to, base + first, lanes * sizeof(T));
      return;
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane) std::memcpy(to + lane, base + offsets.at[lane], sizeof(T));
}

template <class T, unsigned lanes>
void store_lanes(const std::byte* row, std::byte* base, const Offsets<lanes>& offsets, LaneMask mask) {
  const T* const from = reinterpret_cast<const T*>(row);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) != 0) std::memcpy(base + offsets.at[lane], from + lane, sizeof(T));
  }
}

}  // namespace

std::byte* MemoryPath::base(const Region& region, const Windows& windows) const {
  switch (region.space) {
    case Space::kShared:
      return windows.shared;
    case Space::kLocal:
      return windows.local;
    case Space::kReg:
      return nullptr;
    default:
      return store_.host(region.address);
  }
}

template <unsigned lanes>
bool MemoryPath::fast(const isa::Record& record, const isa::RegisterView& view, LaneMask mask, const Windows& windows) {
  const MemoryOp op = record.memory;
  const std::uint32_t element = isa::bytes(op.type);
  if (op.kind > MemoryKind::kStore || element < 4 || element > 8 || op.register_bits != element * 8) return false;
  constexpr LaneMask full = lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << (lanes % 64)) - 1;
  const std::uint32_t size = element * op.elements;
  const bool write = op.kind == MemoryKind::kStore;
  const auto some = static_cast<unsigned>(__builtin_ctzll(mask));

  // Addresses relative to the region that one of them lies in; all must lie there.
  Offsets<lanes> offsets;
  std::uint64_t* const at = offsets.at;
  Region region;
  const Reach reached = reach(windows);
  if (record.src[0] == isa::kNoOperand) {
    region = check_.region(op.space, record.imm, write, reached);
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = record.imm - region.start;
  } else if (op.address_bits == 64) {
    const auto* const row = reinterpret_cast<const std::uint64_t*>(view.src(record.src[0]));
    region = check_.region(op.space, row[some] + record.imm, write, reached);
    const std::uint64_t shift = record.imm - region.start;
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = row[lane] + shift;
  } else {
    const auto* const row = reinterpret_cast<const std::uint32_t*>(view.src(record.src[0]));
    const auto imm = static_cast<std::uint32_t>(record.imm);
    region = check_.region(op.space, static_cast<std::uint32_t>(row[some] + imm), write, reached);
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = static_cast<std::uint32_t>(row[lane] + imm) - region.start;
  }
  std::byte* const start = base(region, windows);
  if (start == nullptr || region.size < size) return false;
  if (mask != full) {
    const std::uint64_t stand_in = at[some];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) at[lane] = stand_in;
    }
  }
  // The top bit of either sum is set if some offset is negative or beyond the last one allowed.
  const std::uint64_t last = region.size - size;
  std::uint64_t any = 0;
  std::uint64_t beyond = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    any |= at[lane];
    beyond |= last - at[lane];
  }
  if (((any | beyond) >> 63) != 0 || ((any | region.start) & (size - 1)) != 0) return false;

  std::size_t element_step = element;
  if (region.space == Space::kLocal) {
    if (element != 4) return false;
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = interleaved_offset(at[lane], lane, lanes);
    element_step = std::size_t{4} * lanes;
  }
  const std::size_t row_step = view.row_bytes() * (element / 4);
  if (write) {
    // Aligned accesses of equal size are the same bytes or disjoint, so going element by element keeps the rule that
    // the highest lane wins.
    for (unsigned i = 0; i < op.elements; ++i) {
      const std::byte* const row = view.src(record.src[1]) + i * row_step;
      std::byte* const to = start + i * element_step;
      element == 4 ? store_lanes<std::uint32_t, lanes>(row, to, offsets, mask)
                   : store_lanes<std::uint64_t, lanes>(row, to, offsets, mask);
    }
    return true;
  }
  if (record.dst == isa::kNoOperand) return true;
  for (unsigned i = 0; i < op.elements; ++i) {
    std::byte* const row = view.dst(record.dst) + i * row_step;
    const std::byte* const from = start + i * element_step;
    if (mask == full) {
      element == 4 ? load_all_lanes<std::uint32_t, lanes>(row, from, offsets)
                   : load_all_lanes<std::uint64_t, lanes>(row, from, offsets);
    } else {
      element == 4 ? load_lanes<std::uint32_t, lanes>(row, from, offsets, mask)
                   : load_lanes<std::uint64_t, lanes>(row, from, offsets, mask);
    }
  }
  return true;
}

std::optional<MemoryFault> MemoryPath::execute(const isa::Record& record, const isa::RegisterView& view, LaneMask mask,
                                               const Windows& windows) {
  if (mask == 0) return std::nullopt;
  if (view.lanes == 32 ? fast<32>(record, view, mask, windows) : fast<64>(record, view, mask, windows))
    return std::nullopt;
  Access& access = access_;
  isa::address(record, view, mask, access);
  const bool write = access.op.kind != MemoryKind::kLoad;
  const Reach reached = reach(windows);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    const std::uint64_t address = access.address[lane];
    const Region region = check_.region(access.op.space, address, write, reached);
    FaultKind refused = FaultKind::kNone;
    if ((address & (access.lane_bytes - 1)) != 0)
      refused = FaultKind::kMisalignedAddress;
    else if (region.refused() || !region.holds(address, access.lane_bytes))
      refused = FaultKind::kIllegalAddress;
    if (refused != FaultKind::kNone) {
      return MemoryFault{refused, lane, address,
                         check_.explain(access.op, access.lane_bytes, address, refused, reached)};
    }
    const std::uint64_t offset = address - region.start;
    if (region.space != Space::kLocal) {
      isa::perform_lane(access, lane, base(region, windows) + offset);
      continue;
    }
    std::byte* const where = windows.local + interleaved_offset(offset, lane, view.lanes);
    if (access.lane_bytes <= 4) {
      isa::perform_lane(access, lane, where);
    } else {
      std::byte words[16];
      gather_words(where, words, access.lane_bytes, view.lanes);
      isa::perform_lane(access, lane, words);
      if (write) scatter_words(where, words, access.lane_bytes, view.lanes);
    }
  }
  isa::complete(record, view, access);
  return std::nullopt;
}

bool MemoryPath::read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned lanes,
                      const Windows& windows) {
  auto* out = static_cast<std::byte*>(to);
  const Reach reached = reach(windows);
  for (std::size_t i = 0; i < size; ++i) {
    const Region region = check_.region(Space::kGeneric, generic + i, false, reached);
    if (region.refused() || !region.holds(generic + i, 1)) return false;
    const std::uint64_t offset = generic + i - region.start;
    out[i] = base(region, windows)[region.space == Space::kLocal ? interleaved_offset(offset, lane, lanes) : offset];
  }
  return true;
}

}  // namespace castor::gpu::functional
