#pragma once

#include <cstddef>
#include <memory>

namespace castor::gpu {

/// Byte buffer on a 64-byte boundary. It keeps its memory when resized to a smaller size.
class AlignedBytes {
 public:
  /// Resizes to `size` bytes, all zero.
  void assign_zero(std::size_t size);
  /// Resizes to at least `size` bytes of undefined content. Host memory is used only where touched.
  void reserve(std::size_t size);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Release {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Release> data_;
  std::size_t capacity_ = 0;
};

}  // namespace castor::gpu
