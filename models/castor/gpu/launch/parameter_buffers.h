#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "castor/gpu/dim3.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// A launch as device code describes it.
struct LaunchDescription {
  std::uint64_t kernel = 0;  ///< its value
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;  ///< bytes
};

/// Parameter buffers of launches by device code. Each is an allocation of its own below 2^35; together they take an
/// eighth of the memory at most, and 256 MiB. On machines whose launches have records in memory the record lies in
/// front of the buffer, in the same allocation, where device code has no access.
class ParameterBuffers {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kEnd = std::uint64_t{1} << 35;
  static constexpr std::uint64_t kMostAlignment = 64;

  struct Buffer {
    std::uint64_t bytes = 0;
    bool launched = false;
    std::optional<LaunchDescription> launch;  ///< what it was made for, if that was said
  };

  /// `record_bytes`: of a launch's record, a multiple of kMostAlignment; 0 = there are none.
  explicit ParameterBuffers(Store& store, std::uint64_t record_bytes = 0)
      : store_(store), record_bytes_(record_bytes) {}

  /// Device address; 0: alignment above 64 or no power of two, no room.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t alignment, std::uint64_t bytes,
                                       const std::optional<LaunchDescription>& launch = std::nullopt);
  /// The live buffer that begins there, or null.
  [[nodiscard]] const Buffer* find(std::uint64_t address) const;
  /// It belongs to a launch now: device code cannot write it any more.
  void launch(std::uint64_t address);
  /// Requests that found no room.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  void free(std::uint64_t address);
  void clear();
  /// Device address of the record in front of a buffer.
  [[nodiscard]] std::uint64_t record(std::uint64_t address) const { return address - record_bytes_; }

 private:
  /// Allocates; 0: no room.
  [[nodiscard]] std::uint64_t room(std::uint64_t bytes);

  Store& store_;
  std::uint64_t record_bytes_;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::uint64_t, Buffer> buffers_;
};

}  // namespace castor::gpu
