#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// How long what is left will take. A run is taken to last as long as those that are over and have the most parameters
/// in common with it: the same program on the same machine, another seed.
class Estimate {
 public:
  explicit Estimate(const std::vector<Run*>& runs);
  /// A run is over; it took so many seconds.
  void finished(std::size_t run, double seconds);
  /// Of a run that is not; 0 before any is over.
  [[nodiscard]] double seconds_of(std::size_t run) const;

 private:
  struct Guess {
    std::vector<std::uint64_t> parameters;  ///< a digest of each, sorted
    std::size_t common = 0, count = 0;      ///< with so many runs that have so many parameters in common with it
    double seconds = 0;                     ///< in all
  };
  std::vector<Guess> guesses_;
};

/// "45 s", "3 min 20 s", "2 h 14 min".
[[nodiscard]] std::string duration_text(double seconds);

/// A line on a terminal about runs, written over itself.
class ProgressLine {
 public:
  /// `there`: runs that need not be done.
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
  std::vector<double> began_;  ///< seconds of a clock that only runs forward
};

}  // namespace castor::platforms::experiments
