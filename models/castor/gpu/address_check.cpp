#include "castor/gpu/address_check.h"

#include <cinttypes>
#include <cstdio>

namespace castor::gpu {
namespace {

using isa::MemoryKind;
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

bool read_only(const Allocation& allocation) {
  return allocation.read_only || allocation.kind == AllocationKind::kCode;
}

}  // namespace

bool AddressCheck::find(std::uint64_t address, bool write, bool from_host_window) {
  if (generation_ != store_.generation() || address < begin_ || address >= end_) {
    const Allocation* const allocation = store_.find(address);
    // Local memory is reached through its window only.
    if (allocation == nullptr || allocation->kind == AllocationKind::kLocal) return false;
    generation_ = store_.generation();
    begin_ = allocation->address;
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

std::string AddressCheck::explain(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address,
                                  FaultKind kind, const Reach& reach) const {
  static constexpr const char* kVerb[] = {"load", "store", "atomic", "reduction"};
  char head[160];
  std::snprintf(head, sizeof head, "%s of %u byte%s at %s address 0x%" PRIx64 ": ",
                kVerb[static_cast<unsigned>(op.kind)], lane_bytes, lane_bytes == 1 ? "" : "s",
                std::string(isa::name(op.space)).c_str(), address);
  std::string text = head;
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
      return text + store_.describe(address);
    default:
      break;
  }
  const Allocation* const allocation = store_.find(address);
  if (allocation != nullptr && write && read_only(*allocation)) {
    return text + "read-only memory, " + store_.describe(address);
  }
  if (allocation == nullptr && address >= isa::kWindowSize) return text + "a host pointer? Device code cannot reach it";
  if (host_view && allocation != nullptr) return text + "not managed or pinned memory, " + store_.describe(address);
  return text + store_.describe(address);
}

}  // namespace castor::gpu
