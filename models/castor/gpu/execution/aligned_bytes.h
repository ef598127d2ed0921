#pragma once

#include <cstddef>
#include <memory>

namespace castor::gpu {

/// Bytes on a 64-byte boundary; keeps its memory when it is resized to something smaller.
class AlignedBytes {
 public:
  /// `size` zero bytes.
  void assign_zero(std::size_t size);
  /// At least `size` bytes of any content; costs memory only where it is touched.
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
