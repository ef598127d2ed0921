#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace castor::gpu {

/// Reply to one memory request of a hook.
struct MemoryReply {
  std::uint32_t tag = 0;              ///< tag of the request
  std::uint8_t bytes = 0;             ///< valid bytes of `data`, from its beginning; 0 for writes and adds
  std::array<std::byte, 128> data{};  ///< bytes read, lowest address first
};

/// A hook's access to device memory; docs/gpu/front-end.md, "Memory client", has the rules for all memory clients.
///
/// A hook may make requests in `clock`. Requests are sent from the next cycle on, in the order in which they were made.
/// Each gets a reply in the hook's `In`, in the same order. An access lies inside one L2 line.
class HookMemory {
 public:
  virtual ~HookMemory() = default;
  /// Allocates device memory for the hook alone, for the life of the machine, and returns its address, a multiple of
  /// 256. To be called in `attach`. Throws InputError if device memory is exhausted.
  [[nodiscard]] virtual std::uint64_t allocate(std::uint64_t bytes, const char* what) = 0;
  /// Requests a read of 1 to 128 bytes at a device address. The reply carries `tag`.
  virtual void read(std::uint64_t address, unsigned bytes, std::uint32_t tag) = 0;
  virtual void write(std::uint64_t address, const void* data, unsigned bytes, std::uint32_t tag) = 0;
  /// Requests an atomic add of `value` to a word of 4 or 8 bytes; the reply has no data.
  virtual void add(std::uint64_t address, std::uint64_t value, unsigned bytes, std::uint32_t tag) = 0;
  /// Returns the number of requests without a reply.
  [[nodiscard]] virtual std::size_t open() const = 0;
  /// Returns the number of requests not yet sent.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
};

}  // namespace castor::gpu
