#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/address_check.h"
#include "castor/gpu/device.h"
#include "castor/gpu/outside_reads.h"
#include "castor/gpu/store.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu::functional {

/// Memory of a warp besides global memory.
struct Windows {
  std::byte* shared = nullptr;        ///< shared memory of the warp's block
  std::uint32_t shared_bytes = 0;     ///< bytes, static and dynamic
  std::byte* local = nullptr;         ///< local memory of the warp, words interleaved over its lanes
  std::uint32_t local_bytes = 0;      ///< bytes per thread
  std::uint64_t parameters = 0;       ///< device address of the kernel's parameter block
  std::uint32_t parameter_bytes = 0;  ///< bytes
};

/// Illegal memory access of a lane.
struct MemoryFault {
  FaultKind kind = FaultKind::kNone;
  unsigned lane = 0;
  std::uint64_t address = 0;  ///< address as computed by the program
  std::string what;           ///< message, e.g. "load of 4 bytes from global address 0x...: 12 bytes behind ..."
};

/// Effects of an access, for the spin watch.
struct SeenAccess {
  /// Location read by one lane.
  struct Read {
    std::uint64_t address = 0;  ///< device address; shared memory: offset in the block's window
    bool shared = false;
  };
  bool changed = false;     ///< some byte of memory has changed its value
  std::vector<Read> reads;  ///< reads from memory that other threads can write, in ascending order of lanes
};

/// Memory path of the functional machine: computes addresses, performs the access and writes registers in one call.
/// Each lane is checked against the allocations and windows. Lanes act in ascending order; if lanes of one store write
/// the same byte, the highest lane wins. Limits: no caches, no time; one thread.
class MemoryPath {
 public:
  explicit MemoryPath(Store& store, MemoryCheck check = MemoryCheck::kAllocation)
      : store_(store), check_(store, check) {}

  /// Executes one memory record for the lanes of `mask`. On a fault, the faulting lane and the lanes above it write
  /// nothing to memory. `seen`: receives the effects of the access; may be null.
  [[nodiscard]] std::optional<MemoryFault> execute(const isa::Record& record, const isa::RegisterView& view,
                                                   isa::LaneMask mask, const Windows& windows,
                                                   SeenAccess* seen = nullptr);

  /// Returns the allowed and counted loads outside every allocation since `forget_outside_reads`. Its `first_at` is not
  /// set.
  [[nodiscard]] const OutsideReads& outside_reads() const { return outside_reads_; }
  /// Returns the record of the first counted load outside every allocation.
  [[nodiscard]] const isa::Record* first_outside_read() const { return first_outside_read_; }
  void forget_outside_reads() { outside_reads_ = {}; }

  /// Copies bytes at a generic address to the host, for system calls. Returns false if any byte is inaccessible.
  [[nodiscard]] bool read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned lanes,
                          const Windows& windows);

 private:
  /// Performs the access of one lane of `access_` on the bytes at `where`.
  void perform(unsigned lane, std::byte* where, SeenAccess* seen);
  /// Returns the host pointer to a region's bytes; null if the region is refused.
  [[nodiscard]] std::byte* base(const Region& region, const Windows& windows) const;
  [[nodiscard]] static Reach reach(const Windows& windows) {
    return {windows.shared_bytes, windows.local_bytes, windows.parameters, windows.parameter_bytes};
  }
  /// Returns the region that memory.check allows for an access of `record` outside every allocation. Counts the access.
  [[nodiscard]] Region outside(const isa::Record& record, std::uint64_t address);
  /// Handles the common case, in loops that the compiler unrolls: words or double words, all addresses in one region.
  /// Returns false if the access is not of this type; nothing has been done then.
  template <unsigned lanes>
  [[nodiscard]] bool fast(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask,
                          const Windows& windows);

  Store& store_;
  AddressCheck check_;
  isa::Access access_;
  OutsideReads outside_reads_;
  const isa::Record* first_outside_read_ = nullptr;
};

}  // namespace castor::gpu::functional
