#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace castor::gpu {

/// `run.max_seconds`: a run ends after so much wall time of the host, counted from the device's construction on. For
/// people who wait; what a run gives until then does not depend on it.
class HostLimit {
 public:
  /// Empty = no limit.
  explicit HostLimit(std::optional<std::uint64_t> seconds) : seconds_(seconds) {}

  /// To be called often: the clock is looked at once in 64 calls.
  [[nodiscard]] bool reached() {
    if (!seconds_ || ++calls_ % kCalls != 0) return false;
    return std::chrono::steady_clock::now() - start_ >= std::chrono::seconds(*seconds_);
  }
  /// The begin of a message about it.
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
