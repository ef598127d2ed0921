#include "castor/gpu/address_check.h"

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace castor::gpu {
namespace {

using isa::MemoryKind;
using isa::Space;

bool in_window(std::uint64_t address, std::uint64_t base) { return address - base < isa::kWindowSize; }

// Converts a generic address to the address inside its space, and returns the space. `host_view`: the address was in
// the host window.
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

bool read_only(const Allocation& allocation) {
  return allocation.read_only || allocation.kind == AllocationKind::kCode;
}

// Returns the beginning of a message: "load of 4 bytes at global address 0x...: ".
std::string head(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address) {
  static constexpr const char* kVerb[] = {"load", "store", "atomic", "reduction"};
  char text[160];
  std::snprintf(text, sizeof text, "%s of %u byte%s at %s address 0x%" PRIx64 ": ",
                kVerb[static_cast<unsigned>(op.kind)], lane_bytes, lane_bytes == 1 ? "" : "s",
                std::string(isa::name(op.space)).c_str(), address);
  return text;
}

}  // namespace

bool AddressCheck::find(std::uint64_t address, bool write, bool from_host_window) {
  if (generation_ != store_.generation() || address < begin_ || address >= end_) {
    const Allocation* const allocation = store_.find(address);
    // Local memory may only be accessed through its window.
    if (allocation == nullptr || allocation->kind == AllocationKind::kLocal) return false;
    if (address - allocation->address < allocation->reserved) return false;
    generation_ = store_.generation();
    begin_ = allocation->address + allocation->reserved;
    end_ = allocation->address + allocation->size;
    read_only_ = read_only(*allocation);
    host_visible_ = allocation->kind == AllocationKind::kManaged || allocation->kind == AllocationKind::kPinned;
  }
  return !(write && read_only_) && !(from_host_window && !host_visible_);
}

Region AddressCheck::region(Space space, std::uint64_t address, bool write, const Reach& reach) {
  std::uint64_t inside = address;
  bool host_view = false;
  if (space == Space::kGeneric || space == Space::kGlobal) {
    // A .global access may name managed memory by its host address as well.
    const Space named = resolve(inside, host_view);
    if (space == Space::kGlobal && named != Space::kGlobal) return {};
    space = named;
  }
  switch (space) {
    case Space::kShared:
      return {Space::kShared, address - inside, 0, reach.shared_bytes};
    case Space::kLocal:
      return {Space::kLocal, address - inside, 0, reach.local_bytes};
    case Space::kParam:
      if (write) return {};
      return {Space::kParam, 0, reach.parameters, reach.parameter_bytes};
    default:
      if (space == Space::kConst && write) return {};
      if (!find(inside, write, host_view)) return {};
      return {space == Space::kConst ? Space::kConst : Space::kGlobal, begin_ + (address - inside), begin_,
              end_ - begin_};
  }
}

Region AddressCheck::outside(Space space, std::uint64_t address, std::uint32_t size, bool write) const {
  return outside(space, address, size, write, check_);
}

Region AddressCheck::outside(Space space, std::uint64_t address, std::uint32_t size, bool write,
                             MemoryCheck check) const {
  std::uint64_t inside = address;
  bool host_view = false;
  if (check == MemoryCheck::kAllocation) return {};
  if (space == Space::kGeneric || space == Space::kGlobal) {
    if (resolve(inside, host_view) != Space::kGlobal) return {};
    space = Space::kGlobal;
  }
  if (space != Space::kGlobal && space != Space::kConst) return {};
  if (!store_.is_memory(inside, size)) return {};
  if (write) {
    const Allocation* const allocation = store_.find(inside);
    if (check != MemoryCheck::kOff || space == Space::kConst) return {};
    if (allocation != nullptr && (read_only(*allocation) || allocation->kind == AllocationKind::kLocal)) return {};
  }
  if (check == MemoryCheck::kPage && !store_.is_mapped(inside, host_view)) return {};
  return {space, address, inside, size};
}

std::string AddressCheck::explain(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address,
                                  FaultKind kind, const Reach& reach) const {
  std::string text = head(op, lane_bytes, address);
  if (kind == FaultKind::kMisalignedAddress) return text + "not a multiple of " + std::to_string(lane_bytes);
  Space space = op.space;
  bool host_view = false;
  const bool write = op.kind != MemoryKind::kLoad;
  if (space == Space::kGeneric || space == Space::kGlobal) {
    const Space named = resolve(address, host_view);
    if (space == Space::kGlobal && named != Space::kGlobal) {
      return text + "this is a generic address of " + std::string(isa::name(named)) + " memory";
    }
    space = named;
  }
  switch (space) {
    case Space::kShared:
      return text + "outside the block's " + std::to_string(reach.shared_bytes) + " bytes of shared memory";
    case Space::kLocal:
      return text + "outside the thread's " + std::to_string(reach.local_bytes) + " bytes of local memory";
    case Space::kParam:
      if (write) return text + "parameters are read-only";
      return text + "outside the kernel's " + std::to_string(reach.parameter_bytes) + " bytes of parameters";
    case Space::kConst:
      if (write) return text + "constant memory is read-only";
      break;
    default:
      break;
  }
  const Allocation* const allocation = store_.find(address);
  if (allocation != nullptr && write && read_only(*allocation)) {
    return text + "read-only memory, " + store_.describe(address);
  }
  if (allocation == nullptr && address >= isa::kWindowSize) return text + "a host pointer? Device code cannot reach it";
  if (host_view && allocation != nullptr) return text + "not managed or pinned memory, " + store_.describe(address);
  text += store_.describe(address);
  for (const auto& [check, word] : {std::pair{MemoryCheck::kPage, "page"}, std::pair{MemoryCheck::kOff, "off"}}) {
    if (outside(space, address, lane_bytes, write, check).refused()) continue;
    return text + "; memory.check " + word + " would allow it";
  }
  return text;
}

std::string AddressCheck::tell(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address) const {
  std::string text = head(op, lane_bytes, address);
  bool host_view = false;
  (void)resolve(address, host_view);
  return text + store_.describe(address);
}

}  // namespace castor::gpu
