#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "castor/gpu/memory/store_access.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// Data side of an L2 slice: performs an access on the store in the cycle in which tags and memory have made its data
/// available. For the watchdog it also detects changes of byte values (docs/gpu/faults.md, "Watchdogs").
class L2Data {
 public:
  L2Data(const Store& store, unsigned line_bytes) : store_(store), line_bytes_(line_bytes) {}

  /// Performs a request on its line in the store.
  void perform(Transaction& transaction) {
    MemoryRequest& request = transaction.request;
    if (watching_ && (request.is_write() || request.is_atomic())) {
      perform_watched(transaction);
    } else {
      gpu::perform(store_, transaction.line(), request);
    }
  }
  /// Prefetches the bytes of a line into the host's cache.
  void prefetch(std::uint64_t line) const { store_.prefetch(line, line_bytes_); }

  /// Starts or ends a watch for changed bytes. The first byte that changes its value ends the watch.
  void watch(bool on) { watching_ = on; }
  /// Returns whether the watch is still on: no byte has changed since `watch(true)`.
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
