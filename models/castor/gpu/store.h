#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "castor/base/tick_wall.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// Purpose of an allocation.
enum class AllocationKind : std::uint8_t {
  kHeap,
  kManaged,
  kPinned,
  kCode,
  kConstant,
  kParameters,
  kLocal,
  kPool,
  kModule,
  kDeviceHeap,    ///< device-side malloc
  kQueues,        ///< rings of hardware queues
  kBlock,         ///< memory of a hardware block; lives as long as the machine
  kGridBarriers,  ///< workspaces of grid barriers; live as long as the machine
  kCount
};

[[nodiscard]] const char* name(AllocationKind kind);

/// A live or freed range of device memory.
struct Allocation {
  std::uint64_t address = 0;  ///< device address
  std::uint64_t size = 0;     ///< bytes as requested
  AllocationKind kind = AllocationKind::kHeap;
  bool read_only = false;      ///< device code may not store to the allocation
  std::uint64_t reserved = 0;  ///< number of first bytes that belong to the machine; device code has no access to them
  std::string label;           ///< name for messages, e.g. that of the symbol
};

/// Owns the bytes of device memory and records every allocation (docs/gpu/program.md, "Address map"). Device addresses
/// start at 2^32 and stay below 2^40. The whole range is mapped once at host address 2^45, so host pointer = 2^45 +
/// device address. Pages cost host memory only when touched. Fresh memory reads zero (or a poison pattern, for tests).
/// Limits: one store per process.
class Store {
 public:
  struct Options {
    std::uint64_t bytes = std::uint64_t{1} << 32;  ///< capacity, the machine's memory.bytes
    bool poison = false;                           ///< fill fresh memory with 0xcd instead of zero
    /// The machine's own allocations (code, parameters, local memory, queues) are placed at the top end of memory. The
    /// addresses and neighbours of a program's allocations are then the same on all machines. Memory of hardware blocks
    /// and of grid barriers is always placed there.
    bool apart = false;
  };
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kAlignment = 256;  ///< of every allocation, bytes
  /// Granularity of mapping, bytes. NVIDIA's drivers map device memory in pages of this size.
  static constexpr std::uint64_t kMappedPiece = std::uint64_t{1} << 21;

  explicit Store(const Options& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Allocates `size` bytes (at least 1) and returns the device address; nullopt when memory is exhausted. Freed ranges
  /// are reused only when no fresh memory is left, so that accesses to freed memory are detected. The first `reserved`
  /// bytes belong to the machine.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t size, AllocationKind kind, std::string label = {},
                                                      std::uint64_t alignment = kAlignment, std::uint64_t reserved = 0);
  /// Frees an allocation and remembers its range as freed. Returns false if `address` is not the start of a live
  /// allocation.
  bool free(std::uint64_t address);
  void set_read_only(std::uint64_t address, bool read_only);

  /// Returns the live allocation that contains `address`, or null.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  /// Describes the position of `address` for messages: "12 bytes behind the end of a 400-byte heap allocation at
  /// 0x...", "inside a freed allocation of ...".
  [[nodiscard]] std::string describe(std::uint64_t address) const;

  /// Returns the host pointer to a device address. Unchecked: the caller has found the allocation.
  [[nodiscard]] std::byte* host(std::uint64_t address) const {
    base::TickWall::check("bytes of the store");
    return reinterpret_cast<std::byte*>(isa::kHostWindow + address);
  }
  /// Returns a read-only host pointer to a device address. Unchecked.
  [[nodiscard]] const std::byte* bytes(std::uint64_t address) const {
    return reinterpret_cast<const std::byte*>(isa::kHostWindow + address);
  }
  /// Prefetches `size` bytes of device memory into the host's cache.
  void prefetch(std::uint64_t address, unsigned size) const {
    for (unsigned at = 0; at < size; at += 64) __builtin_prefetch(bytes(address + at));
  }
  /// Returns whether [address, address + size) is inside one live allocation; for accesses by the host.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t size) const;

  /// Returns whether [address, address + size) is device memory, allocated or not.
  [[nodiscard]] bool is_memory(std::uint64_t address, std::uint64_t size) const {
    return address >= kBase && address - kBase <= options_.bytes && size <= options_.bytes - (address - kBase);
  }
  /// Returns whether the page of kMappedPiece bytes around `address` contains a byte of a live allocation of a program.
  /// The machine's own allocations do not count. With `host_visible` only managed and pinned allocations count.
  [[nodiscard]] bool is_mapped(std::uint64_t address, bool host_visible) const;

  [[nodiscard]] std::uint64_t capacity() const { return options_.bytes; }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  /// Returns the bytes requested by the live allocations of one kind.
  [[nodiscard]] std::uint64_t used(AllocationKind kind) const { return used_by_kind_[static_cast<std::size_t>(kind)]; }
  /// Drops all allocations except those of hardware blocks and grid barriers (device reset) and returns their pages to
  /// the host.
  void clear();
  /// Returns a number that changes with every allocation and every free. Callers use it to cache results of `find`.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

 private:
  [[nodiscard]] std::optional<std::uint64_t> take_fresh(std::uint64_t span, std::uint64_t alignment);
  /// Allocates from the top end of fresh memory.
  [[nodiscard]] std::optional<std::uint64_t> take_last(std::uint64_t span, std::uint64_t alignment);
  /// Allocates from a hole that begins at `from` or later.
  [[nodiscard]] std::optional<std::uint64_t> take_hole(std::uint64_t span, std::uint64_t alignment,
                                                       std::uint64_t from = 0);
  void add_hole(std::uint64_t address, std::uint64_t size);
  void erase_bytes(std::uint64_t address, std::uint64_t size);

  Options options_;
  std::uint64_t next_;                            // first address of fresh memory, never used before
  std::uint64_t end_;                             // end of fresh memory (exclusive)
  std::map<std::uint64_t, Allocation> live_;      // live allocations, by address
  std::map<std::uint64_t, Allocation> freed_;     // by address; kept in quarantine until memory runs out
  std::map<std::uint64_t, std::uint64_t> holes_;  // freed ranges that may be used again: address -> size
  std::uint64_t used_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(AllocationKind::kCount)> used_by_kind_{};
  std::uint64_t generation_ = 1;
};

}  // namespace castor::gpu
