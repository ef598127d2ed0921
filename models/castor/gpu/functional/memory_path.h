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

/// What one warp can reach besides global memory.
struct Windows {
  std::byte* shared = nullptr;     ///< the block's shared memory
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  std::byte* local = nullptr;      ///< the warp's local memory, words interleaved over its lanes
  std::uint32_t local_bytes = 0;   ///< per thread
  std::uint64_t parameters = 0;    ///< device address of the kernel's parameter block
  std::uint32_t parameter_bytes = 0;
};

/// An access that memory refuses.
struct MemoryFault {
  FaultKind kind = FaultKind::kNone;
  unsigned lane = 0;
  std::uint64_t address = 0;  ///< as the program computed it
  std::string what;           ///< "load of 4 bytes from global address 0x...: 12 bytes behind ..."
};

/// The effects of an access, for a search for loops that change nothing.
struct SeenAccess {
  struct Read {
    std::uint64_t address = 0;  ///< device address; shared memory: offset in the block's window
    bool shared = false;
  };
  bool changed = false;     ///< a byte of memory has another value now
  std::vector<Read> reads;  ///< from memory that others can write, a lane after the other
};

/// Memory of the functional machine: address, perform and complete in a row, each lane checked against the allocations
/// and windows. Lanes act in ascending order; where lanes of one store hit the same byte, the highest lane wins.
/// Limits: no caches, no time; one thread.
class MemoryPath {
 public:
  explicit MemoryPath(Store& store, MemoryCheck check = MemoryCheck::kAllocation)
      : store_(store), check_(store, check) {}

  /// Runs one memory record for the lanes of `mask`. On a fault nothing is written to memory by the faulting lane or
  /// the lanes above it. `seen`: null = nobody wants to know.
  [[nodiscard]] std::optional<MemoryFault> execute(const isa::Record& record, const isa::RegisterView& view,
                                                   isa::LaneMask mask, const Windows& windows,
                                                   SeenAccess* seen = nullptr);

  /// Loads outside every allocation that were allowed and count, since `forget_outside_reads`; `first_at` is not set.
  [[nodiscard]] const OutsideReads& outside_reads() const { return outside_reads_; }
  /// The record of the first one.
  [[nodiscard]] const isa::Record* first_outside_read() const { return first_outside_read_; }
  void forget_outside_reads() { outside_reads_ = {}; }

  /// Copies bytes at a generic address to the host, for system calls. False if any byte is out of reach.
  [[nodiscard]] bool read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned lanes,
                          const Windows& windows);

 private:
  /// One lane of `access_`, whose bytes lie at `where`.
  void perform(unsigned lane, std::byte* where, SeenAccess* seen);
  /// Where the bytes of a region lie; null if it is refused.
  [[nodiscard]] std::byte* base(const Region& region, const Windows& windows) const;
  [[nodiscard]] static Reach reach(const Windows& windows) {
    return {windows.shared_bytes, windows.local_bytes, windows.parameters, windows.parameter_bytes};
  }
  /// An access of `record` that no allocation holds: the region that memory.check allows all the same.
  [[nodiscard]] Region outside(const isa::Record& record, std::uint64_t address);
  /// Words and double words at addresses that all pass at once: the common case, in loops that the compiler unrolls.
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
