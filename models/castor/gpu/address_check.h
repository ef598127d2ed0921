#pragma once

#include <cstdint>
#include <string>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/store.h"
#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// What one warp can reach besides global memory.
struct Reach {
  std::uint32_t shared_bytes = 0;  ///< of its thread block, static and dynamic
  std::uint32_t local_bytes = 0;   ///< per thread
  std::uint64_t parameters = 0;    ///< device address of the kernel's parameter block
  std::uint32_t parameter_bytes = 0;
};

/// Bytes that lie together: program address `start` + i is `address` + i of `space`, for i < size.
struct Region {
  isa::Space space = isa::Space::kReg;  ///< shared, local, global, const or param; kReg: refused
  std::uint64_t start = 0;
  std::uint64_t address = 0;  ///< device address; shared and local memory: offset inside the window
  std::uint64_t size = 0;

  [[nodiscard]] bool refused() const { return space == isa::Space::kReg; }
  /// Whether `size_` bytes at a program address lie inside.
  [[nodiscard]] bool holds(std::uint64_t program_address, std::uint64_t size_) const {
    const std::uint64_t offset = program_address - start;
    return offset <= size && size_ <= size - offset;
  }
};

/// Decides what device code may access, and words what it may not; both machines share it (docs/gpu/program.md,
/// "Address map"; docs/gpu/faults.md, "Bad input"). Generic addresses are resolved here. Limits: one thread; keeps the
/// allocation of the last hit, since most accesses fall into the same one again.
class AddressCheck {
 public:
  explicit AddressCheck(const Store& store, MemoryCheck check = MemoryCheck::kAllocation)
      : store_(store), check_(check) {}

  /// The region that holds `address` of `space`. For shared, local and parameter memory the whole window, even if the
  /// address lies outside: ask `Region::holds`.
  [[nodiscard]] Region region(isa::Space space, std::uint64_t address, bool write, const Reach& reach);

  /// What memory.check allows although `region` does not: `size` aligned bytes of global or constant memory outside of
  /// every allocation. With `page` loads in a mapped piece (Store::is_mapped), with `off` loads and writes anywhere in
  /// device memory but writes to what is read-only. Refused if it is not allowed either.
  [[nodiscard]] Region outside(isa::Space space, std::uint64_t address, std::uint32_t size, bool write) const;
  /// What `outside` allows is to be counted and told.
  [[nodiscard]] bool counts_outside() const { return check_ == MemoryCheck::kPage; }

  /// One line: "load of 4 bytes at global address 0x...: 12 bytes behind the end of ...", and the value of memory.check
  /// that would have allowed it. `address` is the program's; `kind` is kMisalignedAddress or kIllegalAddress.
  [[nodiscard]] std::string explain(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address,
                                    FaultKind kind, const Reach& reach) const;
  /// The same of an access that `outside` has allowed.
  [[nodiscard]] std::string tell(const isa::MemoryOp& op, std::uint32_t lane_bytes, std::uint64_t address) const;

 private:
  [[nodiscard]] bool find(std::uint64_t address, bool write, bool from_host_window);

  /// What `outside` says if memory.check were `check`.
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
