#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace castor::gpu {

/// The answer to one request.
struct MemoryReply {
  std::uint32_t tag = 0;              ///< of the request
  std::uint8_t bytes = 0;             ///< of `data`, from its beginning; 0 for writes and adds
  std::array<std::byte, 128> data{};  ///< what was read, lowest address first
};

/// A hook's access to device memory; docs/gpu/front-end.md, "Memory client", has what applies to all clients.
///
/// Requests may be made in `clock`; they are sent in the next cycle at the earliest, in the order in which they were
/// made. Each has a reply, in the same order, in the hook's `In`. An access lies inside one L2 line.
class HookMemory {
 public:
  virtual ~HookMemory() = default;
  /// Device memory that is the hook's alone as long as the machine lives, a multiple of 256; to be asked for in
  /// `attach`. Throws InputError if there is none left.
  [[nodiscard]] virtual std::uint64_t allocate(std::uint64_t bytes, const char* what) = 0;
  /// `address`: of the device; `bytes` 4 to 128; `tag` comes back with the reply.
  virtual void read(std::uint64_t address, unsigned bytes, std::uint32_t tag) = 0;
  virtual void write(std::uint64_t address, const void* data, unsigned bytes, std::uint32_t tag) = 0;
  /// Adds to a word of 4 or 8 bytes without reading it.
  virtual void add(std::uint64_t address, std::uint64_t value, unsigned bytes, std::uint32_t tag) = 0;
  /// Requests whose reply the hook has not got.
  [[nodiscard]] virtual std::size_t open() const = 0;
  /// Requests that were not sent.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
};

}  // namespace castor::gpu
