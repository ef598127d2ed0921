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

MemoryPath::Region MemoryPath::region_of(Space space, std::uint64_t address, bool write, const Windows& windows) {
  std::uint64_t inside = address;
  bool host_view = false;
  if (space == Space::kGeneric || space == Space::kGlobal) {
    const Space named = resolve(inside, host_view);
    if (space == Space::kGlobal && named != Space::kGlobal) return {};
    space = named;
  }
  switch (space) {
    case Space::kShared:
      return {windows.shared, address - inside, windows.shared_bytes};
    case Space::kLocal:
      return {windows.local, address - inside, windows.local_bytes, true};
    case Space::kParam:
      if (write) return {};
      return {store_.host(windows.parameters), 0, windows.parameter_bytes};
    default:
      if (space == Space::kConst && write) return {};
      if (global(inside, 1, write, host_view) == nullptr) return {};
      return {store_.host(memo_begin_), memo_begin_ + (address - inside), memo_end_ - memo_begin_};
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
  if (record.src[0] == isa::kNoOperand) {
    region = region_of(op.space, record.imm, write, windows);
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = record.imm - region.start;
  } else if (op.address_bits == 64) {
    const auto* const row = reinterpret_cast<const std::uint64_t*>(view.src(record.src[0]));
    region = region_of(op.space, row[some] + record.imm, write, windows);
    const std::uint64_t shift = record.imm - region.start;
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = row[lane] + shift;
  } else {
    const auto* const row = reinterpret_cast<const std::uint32_t*>(view.src(record.src[0]));
    const auto imm = static_cast<std::uint32_t>(record.imm);
    region = region_of(op.space, static_cast<std::uint32_t>(row[some] + imm), write, windows);
    for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = static_cast<std::uint32_t>(row[lane] + imm) - region.start;
  }
  if (region.base == nullptr || region.size < size) return false;
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
  if (region.interleaved) {
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
      std::byte* const to = region.base + i * element_step;
      element == 4 ? store_lanes<std::uint32_t, lanes>(row, to, offsets, mask)
                   : store_lanes<std::uint64_t, lanes>(row, to, offsets, mask);
    }
    return true;
  }
  if (record.dst == isa::kNoOperand) return true;
  for (unsigned i = 0; i < op.elements; ++i) {
    std::byte* const row = view.dst(record.dst) + i * row_step;
    const std::byte* const from = region.base + i * element_step;
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
