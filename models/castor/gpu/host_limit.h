#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace castor::gpu {

/// Limit on the wall time of a run on the host (machine key run.max_seconds), counted from the device's construction.
/// The limit only ends the run; it does not change results computed before.
class HostLimit {
 public:
  /// `seconds`: empty = no limit.
  explicit HostLimit(std::optional<std::uint64_t> seconds) : seconds_(seconds) {}

  /// Returns whether the limit is reached. To be called often: reads the clock in one of 64 calls.
  [[nodiscard]] bool reached() {
    if (!seconds_ || ++calls_ % kCalls != 0) return false;
    return std::chrono::steady_clock::now() - start_ >= std::chrono::seconds(*seconds_);
  }
  /// Returns the beginning of the message about the limit.
  [[nodiscard]] std::string text() const {
    return "time limit reached: run.max_seconds = " + std::to_string(*seconds_) + " seconds of the host";
  }

 private:
  static constexpr unsigned kCalls = 64;

  std::optional<std::uint64_t> seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  unsigned calls_ = 0;
};

}  // namespace castor::gpu
