#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Estimate of the remaining time. A run is expected to take the mean time of the finished runs that share the most
/// parameters with it: the same program on the same machine, with another seed.
class Estimate {
 public:
  explicit Estimate(const std::vector<Run*>& runs);
  /// Records that a run has finished after `seconds`.
  void finished(std::size_t run, double seconds);
  /// Returns the expected duration of an unfinished run; 0 before any run has finished.
  [[nodiscard]] double seconds_of(std::size_t run) const;

 private:
  /// Data for the estimate of one run.
  struct Guess {
    std::vector<std::uint64_t> parameters;  ///< digest of each parameter, sorted
    /// largest number of parameters that the run shares with a finished run; number of such finished runs
    std::size_t common = 0, count = 0;
    double seconds = 0;  ///< total duration of these runs
  };
  std::vector<Guess> guesses_;
};

/// Returns a duration as "45 s", "3 min 20 s" or "2 h 14 min".
[[nodiscard]] std::string duration_text(double seconds);

/// A progress line on the terminal that is overwritten at each update.
class ProgressLine {
 public:
  /// `there`: number of runs that already have stored results.
  ProgressLine(std::string name, const std::vector<Run*>& left, std::size_t there, unsigned workers);
  void started(std::size_t run);
  void finished(std::size_t run);
  void show() const;

 private:
  enum class State : std::uint8_t { kWaiting, kRunning, kOver };
  std::string name_;
  std::size_t there_;
  unsigned workers_;
  Estimate estimate_;
  std::vector<State> states_;
  std::vector<double> began_;  ///< seconds of a monotonic clock
};

}  // namespace castor::platforms::experiments
