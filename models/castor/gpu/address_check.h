#pragma once

#include <cstdint>
#include <string>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/store.h"
#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// Memory that a warp can access besides global memory.
struct Reach {
  std::uint32_t shared_bytes = 0;     ///< shared memory of the warp's thread block, static and dynamic
  std::uint32_t local_bytes = 0;      ///< local memory per thread
  std::uint64_t parameters = 0;       ///< device address of the kernel's parameter block
  std::uint32_t parameter_bytes = 0;  ///< size of the parameter block
};

/// Contiguous bytes of an address space: program address `start` + i is `address` + i of `space`, for i < size.
struct Region {
  isa::Space space = isa::Space::kReg;  ///< shared, local, global, const or param; kReg: the access is refused
  std::uint64_t start = 0;
  std::uint64_t address = 0;  ///< device address; for shared and local memory the offset inside the window
  std::uint64_t size = 0;

  [[nodiscard]] bool refused() const { return space == isa::Space::kReg; }
  /// Returns whether `size_` bytes at a program address are inside the region.
  [[nodiscard]] bool holds(std::uint64_t program_address, std::uint64_t size_) const {
    const std::uint64_t offset = program_address - start;
    return offset <= size && size_ <= size - offset;
  }
};

/// Decides which accesses of device code are legal, and writes the messages about illegal ones. Both machines use it
/// (docs/gpu/program.md, "Address map"; docs/gpu/faults.md, "Bad input"). Also resolves generic addresses to their
/// space. Caches the allocation of the last hit, since most accesses hit the same allocation again. Limits: one thread.
class AddressCheck {
 public:
  explicit AddressCheck(const Store& store, MemoryCheck check = MemoryCheck::kAllocation)
      : store_(store), check_(check) {}

  /// Returns the region that contains `address` of `space`. For shared, local and parameter memory this is the whole
  /// window, even if the address is outside; the caller checks with `Region::holds`.
  [[nodiscard]] Region region(isa::Space space, std::uint64_t address, bool write, const Reach& reach);

  /// Returns the region of an access outside every allocation that memory.check allows: `size` aligned bytes of global
  /// or constant memory. `page` allows loads from mapped pages (Store::is_mapped). `off` allows loads from and stores
  /// to any device memory except stores to read-only memory. Returns a refused region if memory.check forbids the
  /// access.
  [[nodiscard]] Region outside(isa::Space space, std::uint64_t address, std::uint32_t size, bool write) const;
  /// Returns whether accesses allowed by `outside` are counted and reported to the user.
  [[nodiscard]] bool counts_outside() const { return check_ == MemoryCheck::kPage; }

  /// Returns the message for an illegal access, one line: "load of 4 bytes at global address 0x...: 12 bytes behind the
  /// end of ...", and the value of memory.check that would allow it. `address` is the program's address; `kind` is
  /// kMisalignedAddress or kIllegalAddress.
  [[nodiscard]] std::string explain(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address,
                                    FaultKind kind, const Reach& reach) const;
  /// Returns the message for an access outside every allocation that `outside` has allowed.
  [[nodiscard]] std::string tell(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address) const;

 private:
  [[nodiscard]] bool find(std::uint64_t address, bool write, bool from_host_window);

  /// Returns the result of `outside` for the given value of memory.check.
  [[nodiscard]] Region outside(isa::Space space, std::uint64_t address, std::uint32_t size, bool write,
                               MemoryCheck check) const;

  const Store& store_;
  MemoryCheck check_;
  std::uint64_t generation_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  bool read_only_ = false;
  bool host_visible_ = false;
};

}  // namespace castor::gpu
