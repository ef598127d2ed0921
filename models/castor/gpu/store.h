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

/// What an allocation is for.
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
  kDeviceHeap,  ///< device-side malloc
  kQueues,      ///< rings of hardware queues
  kBlock,       ///< of a hardware block, as long as the machine lives
  kCount
};

[[nodiscard]] const char* name(AllocationKind kind);

struct Allocation {
  std::uint64_t address = 0;  ///< device address
  std::uint64_t size = 0;     ///< bytes, as asked for
  AllocationKind kind = AllocationKind::kHeap;
  bool read_only = false;      ///< device code may not store to it
  std::uint64_t reserved = 0;  ///< first bytes, which are the machine's: device code has no access
  std::string label;           ///< for messages, e.g. the symbol's name
};

/// Owns the bytes of the device and knows every allocation (docs/gpu/program.md, "Address map"). Device addresses start
/// at 2^32 and stay below 2^40; the whole range is mapped once at host address 2^45, so host pointer = 2^45 + device
/// address. Pages cost host memory only when touched; fresh memory reads zero (or a poison pattern, for tests). Limits:
/// one store per process.
class Store {
 public:
  struct Options {
    std::uint64_t bytes = std::uint64_t{1} << 32;  ///< capacity, the machine's memory.bytes
    bool poison = false;                           ///< fill fresh memory with 0xcd instead of zero
    /// What the machine allocates for itself (code, parameters, local memory, queues) lies at the other end of memory,
    /// so that addresses and neighbours of what a program allocates are the same on all machines. Memory of hardware
    /// blocks always does.
    bool apart = false;
  };
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kAlignment = 256;  ///< of every allocation, bytes
  /// Memory is mapped in pieces of this many bytes (NVIDIA's drivers map device memory so).
  static constexpr std::uint64_t kMappedPiece = std::uint64_t{1} << 21;

  explicit Store(const Options& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Device address of a new allocation; nullopt when memory is exhausted. Size 0 is rounded to 1. Freed ranges are
  /// used again only when fresh memory has run out, so that the use of freed memory is found. The first `reserved`
  /// bytes are the machine's.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t size, AllocationKind kind, std::string label = {},
                                                      std::uint64_t alignment = kAlignment, std::uint64_t reserved = 0);
  /// False if `address` is not the start of a live allocation. The range is remembered as freed.
  bool free(std::uint64_t address);
  void set_read_only(std::uint64_t address, bool read_only);

  /// The live allocation that holds `address`, or null.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  /// "12 bytes behind the end of a 400-byte heap allocation at 0x...", "inside a freed allocation of ...", for
  /// messages.
  [[nodiscard]] std::string describe(std::uint64_t address) const;

  /// Host view of device bytes. No check: callers have found the allocation.
  [[nodiscard]] std::byte* host(std::uint64_t address) const {
    base::TickWall::check("bytes of the store");
    return reinterpret_cast<std::byte*>(isa::kHostWindow + address);
  }
  /// The same, to be read only.
  [[nodiscard]] const std::byte* bytes(std::uint64_t address) const {
    return reinterpret_cast<const std::byte*>(isa::kHostWindow + address);
  }
  /// Has the host bring device bytes near, which will soon be used.
  void prefetch(std::uint64_t address, unsigned size) const {
    for (unsigned at = 0; at < size; at += 64) __builtin_prefetch(bytes(address + at));
  }
  /// Bounds-checked access for the host side; false if [address, address + size) is not inside one live allocation.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t size) const;

  /// Whether [address, address + size) is device memory, allocated or not.
  [[nodiscard]] bool is_memory(std::uint64_t address, std::uint64_t size) const {
    return address >= kBase && address - kBase <= options_.bytes && size <= options_.bytes - (address - kBase);
  }
  /// Whether the piece of kMappedPiece bytes that holds `address` also holds a byte of a live allocation that is not
  /// the machine's own; with `host_visible`, of a managed or pinned one.
  [[nodiscard]] bool is_mapped(std::uint64_t address, bool host_visible) const;

  [[nodiscard]] std::uint64_t capacity() const { return options_.bytes; }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  /// Bytes that live allocations of one kind asked for.
  [[nodiscard]] std::uint64_t used(AllocationKind kind) const { return used_by_kind_[static_cast<std::size_t>(kind)]; }
  /// Drops all allocations but those of hardware blocks (device reset); pages go back to the host.
  void clear();
  /// Changes whenever an allocation is made or freed: lets callers keep a memo of `find`.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

 private:
  [[nodiscard]] std::optional<std::uint64_t> take_fresh(std::uint64_t span, std::uint64_t alignment);
  /// The same from the other end.
  [[nodiscard]] std::optional<std::uint64_t> take_last(std::uint64_t span, std::uint64_t alignment);
  /// A hole that begins at `from` or later.
  [[nodiscard]] std::optional<std::uint64_t> take_hole(std::uint64_t span, std::uint64_t alignment,
                                                       std::uint64_t from = 0);
  void add_hole(std::uint64_t address, std::uint64_t size);
  void erase_bytes(std::uint64_t address, std::uint64_t size);

  Options options_;
  std::uint64_t next_;                            // first address that was never used
  std::uint64_t end_;                             // first one behind those
  std::map<std::uint64_t, Allocation> live_;      // by address
  std::map<std::uint64_t, Allocation> freed_;     // by address; in quarantine until memory runs out
  std::map<std::uint64_t, std::uint64_t> holes_;  // ranges to use again: address -> size
  std::uint64_t used_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(AllocationKind::kCount)> used_by_kind_{};
  std::uint64_t generation_ = 1;
};

}  // namespace castor::gpu
