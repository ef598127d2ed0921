#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "castor/gpu/dim3.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// Kernel launch as described by device code.
struct LaunchDescription {
  std::uint64_t kernel = 0;  ///< value that names the kernel in device code
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;  ///< dynamic shared memory in bytes
};

/// Parameter buffers of launches by device code. The launcher owns them. Each buffer is an allocation of its own below
/// address 2^35. Together they use at most an eighth of the device memory, and at most 256 MiB. On machines with launch
/// records in memory, the record precedes the buffer in the same allocation, where device code has no access.
class ParameterBuffers {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kEnd = std::uint64_t{1} << 35;
  static constexpr std::uint64_t kMostAlignment = 64;

  struct Buffer {
    std::uint64_t bytes = 0;
    bool launched = false;
    std::optional<LaunchDescription> launch;  ///< launch for which the buffer was described; empty if unknown
  };

  /// `record_bytes`: size of a launch record, a multiple of kMostAlignment; 0 = launches have no records in memory.
  explicit ParameterBuffers(Store& store, std::uint64_t record_bytes = 0)
      : store_(store), record_bytes_(record_bytes) {}

  /// Allocates a buffer and returns its device address; 0 if the alignment is above 64 or not a power of two, or if no
  /// memory is left.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t alignment, std::uint64_t bytes,
                                       const std::optional<LaunchDescription>& launch = std::nullopt);
  /// Returns the live buffer that begins at `address`, or null.
  [[nodiscard]] const Buffer* find(std::uint64_t address) const;
  /// Assigns the buffer to a launch: device code cannot write it any more.
  void launch(std::uint64_t address);
  /// Returns the number of requests for which no memory was left.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  void free(std::uint64_t address);
  void clear();
  /// Returns the device address of the record that precedes a buffer.
  [[nodiscard]] std::uint64_t record(std::uint64_t address) const { return address - record_bytes_; }

 private:
  /// Allocates memory for a buffer; 0: no memory is left.
  [[nodiscard]] std::uint64_t room(std::uint64_t bytes);

  Store& store_;
  std::uint64_t record_bytes_;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::uint64_t, Buffer> buffers_;
};

}  // namespace castor::gpu
