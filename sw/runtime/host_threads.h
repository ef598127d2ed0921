#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace castor::runtime {

/// A thread of this process, as another one sees it.
struct HostThread {
  enum class State : std::uint8_t {
    kRuns,     ///< or could, if the host had a processor for it; also: sleeps in a page fault
    kBlocked,  ///< waits for another thread, without time limit (futex), or is over
    kSleeps    ///< in any other system call
  };
  pid_t id = 0;
  State state = State::kRuns;
  std::chrono::nanoseconds used{0};  ///< processor time so far
  std::uint64_t turns = 0;           ///< how often it has got a processor; 0 where the system does not count it

  [[nodiscard]] bool operator==(const HostThread& other) const {
    return id == other.id && state == other.state && used == other.used;
  }
};

/// All threads of the process but the one that calls, by their ids. Where the system does not say in which call a
/// thread is, none is kBlocked.
[[nodiscard]] std::vector<HostThread> other_threads();
/// The one with that id, null if it is not there.
[[nodiscard]] const HostThread* find_thread(const std::vector<HostThread>& threads, pid_t id);

/// What the threads of the program do between two calls of the API.
enum class HostActivity : std::uint8_t {
  kWorks,
  kWaits,   ///< every thread waits for another one: no one will go on
  kLingers  ///< has used up the patience
};

/// Judges whether a program that has left the API waits (docs/decisions/progress-between-calls.md). All times are
/// given, so that it can be tested. Limits: for one thread.
class HostWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::nanoseconds;

  /// Patience of 0: never kLingers.
  explicit HostWatch(Span patience) : longest_(patience), patience_(patience) {}

  /// The program has left the API, or the device has moved.
  void restart() { started_ = false; }
  /// Two looks at the threads, the second made after the first was over, at time `now`.
  [[nodiscard]] HostActivity look(const std::vector<HostThread>& first, const std::vector<HostThread>& second,
                                  Time now);
  /// Some thread has used processor time since the first look after `restart`.
  [[nodiscard]] bool active() const { return active_; }
  /// The device has moved because the patience was used up, and the program came back to the API, having used this
  /// processor time since: what comes back at once was waiting, and the next wait is found sooner.
  void came_back(Span used);
  /// The same, and it did not come back.
  void stayed_away() { patience_ = longest_; }
  [[nodiscard]] Span patience() const { return patience_; }

 private:
  Span longest_;
  Span patience_;
  bool started_ = false;
  bool active_ = false;
  Time start_;
  std::vector<HostThread> base_;  ///< the threads at the first look
};

}  // namespace castor::runtime
