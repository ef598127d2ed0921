#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace castor::runtime {

/// Thread of this process, as another thread observes it.
struct HostThread {
  enum class State : std::uint8_t {
    kRuns,     ///< runs, or is ready to run, or sleeps in a page fault
    kBlocked,  ///< waits for another thread without time limit (futex), or has ended
    kSleeps    ///< sleeps in any other system call
  };
  pid_t id = 0;
  State state = State::kRuns;
  std::chrono::nanoseconds used{0};  ///< processor time so far
  std::uint64_t turns = 0;           ///< number of times the thread was scheduled; 0 if the system does not count it

  [[nodiscard]] bool operator==(const HostThread& other) const {
    return id == other.id && state == other.state && used == other.used;
  }
};

/// Returns all threads of the process except the caller, ordered by id. No thread is kBlocked if the system does not
/// show the system call that a thread is in.
[[nodiscard]] std::vector<HostThread> other_threads();
/// Returns the thread with that id, or null.
[[nodiscard]] const HostThread* find_thread(const std::vector<HostThread>& threads, pid_t id);

/// Activity of the program's threads while the program is outside the API.
enum class HostActivity : std::uint8_t {
  kWorks,
  kWaits,   ///< every thread waits for another one, so no thread can resume
  kLingers  ///< the threads have used up the patience
};

/// Judges whether a program outside the API is waiting (docs/decisions/progress-between-calls.md). All times are
/// arguments, for tests. Used by one thread.
class HostWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::nanoseconds;

  /// Sets the patience: the processor time, or time asleep, after which a thread counts as lingering. With 0, look()
  /// never returns kLingers.
  explicit HostWatch(Span patience) : longest_(patience), patience_(patience) {}

  /// Starts a new observation: the program has left the API, or the device has advanced.
  void restart() { started_ = false; }
  /// Judges two observations of the threads; the second began after the first had ended, at time `now`.
  [[nodiscard]] HostActivity look(const std::vector<HostThread>& first, const std::vector<HostThread>& second,
                                  Time now);
  /// True if some thread has used processor time since the first observation after `restart`.
  [[nodiscard]] bool active() const { return active_; }
  /// Notes that the program returned to the API after the device advanced because the patience was used up. `used`:
  /// processor time since that advance. A program that returns at once had been waiting. The patience is then reduced,
  /// so that the next wait is detected earlier.
  void came_back(Span used);
  /// Notes that the program did not return to the API after an advance made because the patience was used up. Restores
  /// the full patience.
  void stayed_away() { patience_ = longest_; }
  [[nodiscard]] Span patience() const { return patience_; }

 private:
  Span longest_;
  Span patience_;
  bool started_ = false;
  bool active_ = false;
  Time start_;
  std::vector<HostThread> base_;  ///< threads at the first observation
};

}  // namespace castor::runtime
