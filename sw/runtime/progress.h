#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/host_functions.h"
#include "runtime/host_threads.h"

namespace castor::runtime {

/// Thread of the runtime that advances the device while the program waits outside the API
/// (docs/decisions/progress-between-calls.md). This class decides when to advance; the Session, which owns it, advances
/// the device.
///
/// `enter` and `leave` are thread-safe. All other functions require the session's lock.
class Progress {
 public:
  /// Certainty that the program resumes only if the device advances: proven, or judged by its use of time.
  enum class Certainty : std::uint8_t { kProven, kJudged };
  /// Advances the device unless the program has entered the API since `epoch`. Returns whether the device advanced.
  using Move = std::function<bool(std::uint64_t epoch, Certainty certainty)>;

  Progress(const HostFunctions& functions, Move move);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Marks the begin of an API call of the calling thread. Calls may be nested.
  void enter();
  /// Marks the end of an API call.
  void leave();
  /// Returns true if some thread is in the API or waits for its lock.
  [[nodiscard]] bool inside() const { return inside_.load() != 0; }
  /// Returns a counter that every ending API call increments.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_.load(); }

  /// Sets the patience of the HostWatch. Must be called before the thread starts.
  void set_patience(std::chrono::nanoseconds patience) { patience_ = patience; }
  /// Starts or wakes the thread: a host function was submitted.
  void watch_functions() { wake(); }
  /// Starts or wakes the thread: from now on the host can see memory that the device writes.
  void watch_memory();
  [[nodiscard]] bool watches_memory() const { return memory_.load(); }
  /// Pauses the device so that the program's threads run for a moment and can observe memory that the device wrote.
  static void let_look();
  /// Ends all advances. Waits for the thread to end, unless the caller is that thread.
  void stop();
  /// Prepares a fork: waits until the thread holds no lock that the child process would inherit, locks of system
  /// libraries included. `forked_parent` or `forked_child` follows. `forked_parent`: releases the thread in the parent
  /// after a fork.
  void about_to_fork();
  void forked_parent();
  /// Restarts in the child after a fork: the child has no runtime thread, and of the program's threads only the caller.
  void forked_child();

 private:
  struct Worker;

  void wake();
  void work(Worker& worker);

  const HostFunctions& functions_;
  Move move_;
  std::chrono::nanoseconds patience_{std::chrono::seconds(2)};
  std::atomic<unsigned> inside_{0};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<bool> memory_{false};
  bool stopped_ = false;
  std::unique_ptr<Worker> worker_;
};

}  // namespace castor::runtime
