#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "castor/gpu/memory/store_access.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// The bytes that a slice serves: accesses are performed on the store, at the time that tags and memory say. Notices
/// whether a byte changes its value (docs/gpu/faults.md, "Watchdogs").
class L2Data {
 public:
  L2Data(const Store& store, unsigned line_bytes) : store_(store), line_bytes_(line_bytes) {}

  /// Performs a request on its line.
  void perform(Transaction& transaction) {
    MemoryRequest& request = transaction.request;
    if (watching_ && (request.is_write() || request.is_atomic())) {
      perform_watched(transaction);
    } else {
      gpu::perform(store_, transaction.line(), request);
    }
  }
  /// Has the host bring the bytes of a line near, which will soon be used.
  void prefetch(std::uint64_t line) const { store_.prefetch(line, line_bytes_); }

  /// Begins or ends a window in which a byte that changes its value is noticed; the first one ends it.
  void watch(bool on) { watching_ = on; }
  /// The window goes on: no byte has changed since `watch(true)`.
  [[nodiscard]] bool watching() const { return watching_; }

 private:
  void perform_watched(Transaction& transaction) {
    std::array<std::byte, kMaxLineBytes> before;
    const std::byte* const bytes = store_.host(transaction.line());
    std::memcpy(before.data(), bytes, line_bytes_);
    gpu::perform(store_, transaction.line(), transaction.request);
    if (std::memcmp(before.data(), bytes, line_bytes_) != 0) watching_ = false;
  }

  const Store& store_;
  unsigned line_bytes_;
  bool watching_ = false;
};

}  // namespace castor::gpu
