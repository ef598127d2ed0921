#include "castor/gpu/functional/memory_path.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace castor::gpu::functional {
namespace {

using isa::Access;
using isa::LaneMask;
using isa::MemoryKind;
using isa::MemoryOp;
using isa::Space;

bool in_window(std::uint64_t address, std::uint64_t base) { return address - base < isa::kWindowSize; }

// The space a generic address means, and the address inside it.
Space resolve(std::uint64_t& address, bool& host_view) {
  host_view = false;
  if (in_window(address, isa::kSharedWindow)) {
    address -= isa::kSharedWindow;
    return Space::kShared;
  }
  if (in_window(address, isa::kLocalWindow)) {
    address -= isa::kLocalWindow;
    return Space::kLocal;
  }
  if (in_window(address, isa::kHostWindow)) {
    address -= isa::kHostWindow;
    host_view = true;
  }
  return Space::kGlobal;
}

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

template <class T, unsigned lanes>
void load_lanes(std::byte* row, const std::byte* base, const std::uint64_t* offsets, LaneMask mask) {
  T* const to = reinterpret_cast<T*>(row);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) != 0) std::memcpy(to + lane, base + offsets[lane], sizeof(T));
  }
}
template <class T, unsigned lanes>
void load_all_lanes(std::byte* row, const std::byte* base, const std::uint64_t* offsets) {
  T* const to = reinterpret_cast<T*>(row);
  for (unsigned lane = 0; lane < lanes; ++lane) std::memcpy(to + lane, base + offsets[lane], sizeof(T));
}
template <class T, unsigned lanes>
void store_lanes(const std::byte* row, std::byte* base, const std::uint64_t* offsets, LaneMask mask) {
  const T* const from = reinterpret_cast<const T*>(row);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) != 0) std::memcpy(base + offsets[lane], from + lane, sizeof(T));
  }
}

}  // namespace

std::byte* MemoryPath::global(std::uint64_t address, std::uint64_t size, bool write, bool from_host_window) {
  if (memo_generation_ != store_.generation() || address < memo_begin_ || address >= memo_end_) {
    const Allocation* const allocation = store_.find(address);
    if (allocation == nullptr) return nullptr;
    memo_generation_ = store_.generation();
    memo_begin_ = allocation->address;
    memo_end_ = allocation->address + allocation->size;
    memo_read_only_ = allocation->read_only || allocation->kind == AllocationKind::kCode;
    memo_host_visible_ = allocation->kind == AllocationKind::kManaged || allocation->kind == AllocationKind::kPinned;
  }
  if (size > memo_end_ - address) return nullptr;
  if (write && memo_read_only_) return nullptr;
  if (from_host_window && !memo_host_visible_) return nullptr;
  return store_.host(address);
}

MemoryPath::Place MemoryPath::place(Space space, std::uint64_t address, std::uint32_t size, bool write, unsigned lane,
                                    unsigned lanes, const Windows& windows) {
  bool host_view = false;
  if (space == Space::kGeneric || space == Space::kGlobal) {
    // A .global access may name managed memory by its host address as well.
    const Space named = resolve(address, host_view);
    if (space == Space::kGlobal && named != Space::kGlobal) return {};
    space = named;
  }
  switch (space) {
    case Space::kShared:
      if (address > windows.shared_bytes || size > windows.shared_bytes - address) return {};
      return {windows.shared + address};
    case Space::kLocal:
      if (address > windows.local_bytes || size > windows.local_bytes - address) return {};
      return {windows.local + interleaved_offset(address, lane, lanes), true};
    case Space::kParam:
      if (write || address > windows.parameter_bytes || size > windows.parameter_bytes - address) return {};
      return {store_.host(windows.parameters + address)};
    case Space::kConst:
      if (write) return {};
      return {global(address, size, false, false)};
    default:
      return {global(address, size, write, host_view)};
  }
}

template <unsigned lanes>
bool MemoryPath::fast(const isa::Record& record, const isa::RegisterView& view, LaneMask mask, const Windows& windows) {
  const MemoryOp op = record.memory;
  const std::uint32_t element = isa::bytes(op.type);
  if (op.kind > MemoryKind::kStore || element < 4 || element > 8 || op.register_bits != element * 8) return false;
  constexpr LaneMask full = lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << (lanes % 64)) - 1;
  const std::uint32_t size = element * op.elements;
  alignas(64) std::uint64_t offset[isa::kMaxLanes];
  if (record.src[0] == isa::kNoOperand) {
    for (unsigned lane = 0; lane < lanes; ++lane) offset[lane] = record.imm;
  } else if (op.address_bits == 64) {
    const auto* const row = reinterpret_cast<const std::uint64_t*>(view.src(record.src[0]));
    for (unsigned lane = 0; lane < lanes; ++lane) offset[lane] = row[lane] + record.imm;
  } else {
    const auto* const row = reinterpret_cast<const std::uint32_t*>(view.src(record.src[0]));
    const auto imm = static_cast<std::uint32_t>(record.imm);
    for (unsigned lane = 0; lane < lanes; ++lane) offset[lane] = static_cast<std::uint32_t>(row[lane] + imm);
  }
  if (mask != full) {
    const std::uint64_t some = offset[__builtin_ctzll(mask)];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) offset[lane] = some;
    }
  }
  std::uint64_t low = offset[0];
  std::uint64_t high = offset[0];
  std::uint64_t bits = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    low = std::min(low, offset[lane]);
    high = std::max(high, offset[lane]);
    bits |= offset[lane];
  }
  if ((bits & (size - 1)) != 0) return false;

  Space space = op.space;
  std::uint64_t base_address = low;
  bool host_view = false;
  if (space == Space::kGeneric || space == Space::kGlobal) {
    const Space named = resolve(base_address, host_view);
    if (space == Space::kGlobal && named != Space::kGlobal) return false;
    space = named;
    std::uint64_t top = high;
    bool top_host_view = false;
    if (resolve(top, top_host_view) != named || top_host_view != host_view) return false;
  }
  const bool write = op.kind == MemoryKind::kStore;
  const std::uint64_t span = high - low + size;
  std::byte* base = nullptr;
  std::size_t element_step = element;
  switch (space) {
    case Space::kShared:
      if (base_address > windows.shared_bytes || span > windows.shared_bytes - base_address) return false;
      base = windows.shared + base_address;
      break;
    case Space::kLocal:
      if (element != 4 || base_address > windows.local_bytes || span > windows.local_bytes - base_address) return false;
      base = windows.local;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        offset[lane] = interleaved_offset(offset[lane] - low + base_address, lane, lanes);
      }
      low = 0;
      element_step = std::size_t{4} * lanes;
      break;
    case Space::kParam:
      if (write || base_address > windows.parameter_bytes || span > windows.parameter_bytes - base_address)
        return false;
      base = store_.host(windows.parameters + base_address);
      break;
    case Space::kConst:
      if (write) return false;
      base = global(base_address, span, false, false);
      break;
    default:
      base = global(base_address, span, write, host_view);
      break;
  }
  if (base == nullptr) return false;
  for (unsigned lane = 0; lane < lanes; ++lane) offset[lane] -= low;

  const std::size_t row_step = view.row_bytes() * (element / 4);
  if (write) {
    // Aligned accesses of equal size are the same bytes or disjoint, so going element by element keeps the rule that
    // the highest lane wins.
    for (unsigned i = 0; i < op.elements; ++i) {
      const std::byte* const row = view.src(record.src[1]) + i * row_step;
      std::byte* const to = base + i * element_step;
      if (element == 4) {
        store_lanes<std::uint32_t, lanes>(row, to, offset, mask);
      } else {
        store_lanes<std::uint64_t, lanes>(row, to, offset, mask);
      }
    }
    return true;
  }
  if (record.dst == isa::kNoOperand) return true;
  for (unsigned i = 0; i < op.elements; ++i) {
    std::byte* const row = view.dst(record.dst) + i * row_step;
    const std::byte* const from = base + i * element_step;
    if (element == 4) {
      mask == full ? load_all_lanes<std::uint32_t, lanes>(row, from, offset)
                   : load_lanes<std::uint32_t, lanes>(row, from, offset, mask);
    } else {
      mask == full ? load_all_lanes<std::uint64_t, lanes>(row, from, offset)
                   : load_lanes<std::uint64_t, lanes>(row, from, offset, mask);
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
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    const std::uint64_t address = access.address[lane];
    FaultKind refused = FaultKind::kNone;
    Place at;
    if ((address & (access.lane_bytes - 1)) != 0) {
      refused = FaultKind::kMisalignedAddress;
    } else {
      at = place(access.op.space, address, access.lane_bytes, write, lane, view.lanes, windows);
      if (at.where == nullptr) refused = at.refusal;
    }
    if (refused != FaultKind::kNone) {
      return MemoryFault{refused, lane, address, explain(access, lane, refused, windows)};
    }
    if (at.interleaved && access.lane_bytes > 4) {
      std::byte words[16];
      gather_words(at.where, words, access.lane_bytes, view.lanes);
      isa::perform_lane(access, lane, words);
      if (write) scatter_words(at.where, words, access.lane_bytes, view.lanes);
    } else {
      isa::perform_lane(access, lane, at.where);
    }
  }
  isa::complete(record, view, access);
  return std::nullopt;
}

bool MemoryPath::read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned lanes,
                      const Windows& windows) {
  auto* out = static_cast<std::byte*>(to);
  for (std::size_t i = 0; i < size; ++i) {
    const Place at = place(Space::kGeneric, generic + i, 1, false, lane, lanes, windows);
    if (at.where == nullptr) return false;
    out[i] = *at.where;
  }
  return true;
}

std::string MemoryPath::explain(const Access& access, unsigned lane, FaultKind kind, const Windows& windows) const {
  static constexpr const char* kVerb[] = {"load", "store", "atomic", "reduction"};
  std::uint64_t address = access.address[lane];
  char head[160];
  std::snprintf(head, sizeof head, "%s of %u byte%s at %s address 0x%" PRIx64 ": ",
                kVerb[static_cast<unsigned>(access.op.kind)], access.lane_bytes, access.lane_bytes == 1 ? "" : "s",
                std::string(isa::name(access.op.space)).c_str(), address);
  std::string text = head;
  if (kind == FaultKind::kMisalignedAddress) return text + "not a multiple of " + std::to_string(access.lane_bytes);
  Space space = access.op.space;
  bool host_view = false;
  const bool write = access.op.kind != MemoryKind::kLoad;
  if (space == Space::kGeneric || space == Space::kGlobal) {
    const Space named = resolve(address, host_view);
    if (space == Space::kGlobal && named != Space::kGlobal) {
      return text + "this is a generic address of " + std::string(isa::name(named)) + " memory";
    }
    space = named;
  }
  switch (space) {
    case Space::kShared:
      return text + "outside the block's " + std::to_string(windows.shared_bytes) + " bytes of shared memory";
    case Space::kLocal:
      return text + "outside the thread's " + std::to_string(windows.local_bytes) + " bytes of local memory";
    case Space::kParam:
      if (write) return text + "parameters are read-only";
      return text + "outside the kernel's " + std::to_string(windows.parameter_bytes) + " bytes of parameters";
    case Space::kConst:
      if (write) return text + "constant memory is read-only";
      return text + store_.describe(address);
    default:
      break;
  }
  const Allocation* const allocation = store_.find(address);
  if (allocation != nullptr && write && (allocation->read_only || allocation->kind == AllocationKind::kCode)) {
    return text + "read-only memory, " + store_.describe(address);
  }
  if (allocation == nullptr && address >= isa::kWindowSize) return text + "a host pointer? Device code cannot reach it";
  if (host_view && allocation != nullptr) return text + "not managed or pinned memory, " + store_.describe(address);
  return text + store_.describe(address);
}

}  // namespace castor::gpu::functional
