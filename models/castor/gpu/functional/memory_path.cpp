#include "castor/gpu/functional/memory_path.h"

#include <algorithm>
#include <cstring>

#include "castor/gpu/lane_offsets.h"

namespace castor::gpu::functional {
namespace {

using isa::Access;
using isa::LaneMask;
using isa::MemoryKind;
using isa::MemoryOp;
using isa::Space;

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

// Loads one element for every lane. The common cases are one word for all lanes and consecutive words.
template <class T, unsigned lanes>
void load_whole_warp(std::byte* row, const std::byte* base, const std::uint64_t* at) {
  const std::uint64_t first = at[0];
  const std::uint64_t span = at[lanes - 1] - first;
  std::uint64_t differs = 0;
  if (span == 0) {
    for (unsigned lane = 0; lane < lanes; ++lane) differs |= at[lane] ^ first;
    if (differs == 0) return fill_lanes<T>(row, base + first, lanes);
  } else if (span == (lanes - 1) * sizeof(T)) {
    for (unsigned lane = 0; lane < lanes; ++lane) differs |= at[lane] ^ (first + lane * sizeof(T));
    if (differs == 0) {
      std::memcpy(row, base + first, lanes * sizeof(T));
      return;
    }
  }
  load_all_lanes<T>(row, base, at, lanes);
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
  const std::uint32_t size = element * op.elements;
  const bool write = op.kind == MemoryKind::kStore;
  alignas(64) std::uint64_t at[lanes];
  const Region region = lane_offsets<lanes>(check_, record, view, mask, write, size, reach(windows), at);
  std::byte* const start = base(region, windows);
  if (start == nullptr) return false;

  std::size_t element_step = element;
  if (region.space == Space::kLocal) {
    if (element != 4) return false;
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = local_offset(at[lane], lane, lanes);
    element_step = std::size_t{4} * lanes;
  }
  const std::size_t row_step = view.row_bytes() * (element / 4);
  if (write) {
    // Aligned accesses of equal size are either identical or disjoint. The element-wise order therefore keeps the rule
    // that the highest lane wins.
    for (unsigned i = 0; i < op.elements; ++i) {
      const std::byte* const row = view.src(record.src[1]) + i * row_step;
      std::byte* const to = start + i * element_step;
      element == 4 ? store_lanes<std::uint32_t>(row, to, at, mask) : store_lanes<std::uint64_t>(row, to, at, mask);
    }
    return true;
  }
  if (record.dst == isa::kNoOperand) return true;
  for (unsigned i = 0; i < op.elements; ++i) {
    std::byte* const row = view.dst(record.dst) + i * row_step;
    const std::byte* const from = start + i * element_step;
    if (mask == kAllLanes<lanes>) {
      element == 4 ? load_whole_warp<std::uint32_t, lanes>(row, from, at)
                   : load_whole_warp<std::uint64_t, lanes>(row, from, at);
    } else {
      element == 4 ? load_lanes<std::uint32_t>(row, from, at, mask) : load_lanes<std::uint64_t>(row, from, at, mask);
    }
  }
  return true;
}

void MemoryPath::perform(unsigned lane, std::byte* where, SeenAccess* seen) {
  if (seen == nullptr || access_.op.kind == MemoryKind::kLoad) return isa::perform_lane(access_, lane, where);
  std::byte before[16];
  std::memcpy(before, where, access_.lane_bytes);
  isa::perform_lane(access_, lane, where);
  seen->changed |= std::memcmp(before, where, access_.lane_bytes) != 0;
}

std::optional<MemoryFault> MemoryPath::execute(const isa::Record& record, const isa::RegisterView& view, LaneMask mask,
                                               const Windows& windows, SeenAccess* seen) {
  if (seen != nullptr) *seen = {};
  if (mask == 0) return std::nullopt;
  if (seen == nullptr &&
      (view.lanes == 32 ? fast<32>(record, view, mask, windows) : fast<64>(record, view, mask, windows)))
    return std::nullopt;
  Access& access = access_;
  isa::address(record, view, mask, access);
  const bool write = access.op.kind != MemoryKind::kLoad;
  const Reach reached = reach(windows);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    const std::uint64_t address = access.address[lane];
    Region region = check_.region(access.op.space, address, write, reached);
    FaultKind refused = FaultKind::kNone;
    if ((address & (access.lane_bytes - 1)) != 0)
      refused = FaultKind::kMisalignedAddress;
    else if (region.refused() || !region.holds(address, access.lane_bytes))
      region = outside(record, address);
    if (region.refused() && refused == FaultKind::kNone) refused = FaultKind::kIllegalAddress;
    if (refused != FaultKind::kNone) {
      return MemoryFault{refused, lane, address,
                         check_.explain(access.op, access.lane_bytes, address, refused, reached)};
    }
    const std::uint64_t offset = address - region.start;
    if (region.space != Space::kLocal) {
      const bool shared = region.space == Space::kShared;
      if (seen != nullptr && access.op.kind != MemoryKind::kStore)
        seen->reads.push_back({shared ? offset : address, shared});
      perform(lane, base(region, windows) + offset, seen);
      continue;
    }
    std::byte* const where = windows.local + local_offset(offset, lane, view.lanes);
    if (access.lane_bytes <= 4) {
      perform(lane, where, seen);
    } else {
      std::byte words[16];
      gather_words(where, words, access.lane_bytes, view.lanes);
      perform(lane, words, seen);
      if (write) scatter_words(where, words, access.lane_bytes, view.lanes);
    }
  }
  isa::complete(record, view, access);
  return std::nullopt;
}

Region MemoryPath::outside(const isa::Record& record, std::uint64_t address) {
  const bool write = access_.op.kind != MemoryKind::kLoad;
  const Region region = check_.outside(access_.op.space, address, access_.lane_bytes, write);
  if (region.refused() || !check_.counts_outside()) return region;
  if (outside_reads_.lanes++ == 0) {
    outside_reads_.first = check_.tell(access_.op, access_.lane_bytes, address);
    first_outside_read_ = &record;
  }
  return region;
}

bool MemoryPath::read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned lanes,
                      const Windows& windows) {
  auto* out = static_cast<std::byte*>(to);
  const Reach reached = reach(windows);
  for (std::size_t i = 0; i < size; ++i) {
    const Region region = check_.region(Space::kGeneric, generic + i, false, reached);
    if (region.refused() || !region.holds(generic + i, 1)) return false;
    const std::uint64_t offset = generic + i - region.start;
    out[i] = base(region, windows)[region.space == Space::kLocal ? local_offset(offset, lane, lanes) : offset];
  }
  return true;
}

}  // namespace castor::gpu::functional
