#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/host_functions.h"
#include "runtime/host_threads.h"

namespace castor::runtime {

/// The thread of the runtime that moves the device on while the program is outside the API and waits
/// (docs/decisions/progress-between-calls.md). It decides when; the session moves.
///
/// Any thread may enter and leave; the rest is for who holds the session's lock.
class Progress {
 public:
  /// How sure it is that the program goes on only if the device does.
  enum class Certainty : std::uint8_t { kProven, kJudged };
  /// Moves the device on unless the program has entered the API since `epoch`; tells whether it did.
  using Move = std::function<bool(std::uint64_t epoch, Certainty certainty)>;

  Progress(const HostFunctions& functions, Move move);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A call of the API begins, ends. Calls may be made inside calls.
  void enter();
  void leave();
  /// A thread is in the API or waits for the lock.
  [[nodiscard]] bool inside() const { return inside_.load() != 0; }
  /// Grows with every call that ends.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_.load(); }

  /// See HostWatch. Before anything is watched.
  void set_patience(std::chrono::nanoseconds patience) { patience_ = patience; }
  /// A host function was submitted.
  void watch_functions() { wake(); }
  /// The host can see memory that the device writes, from now on.
  void watch_memory();
  [[nodiscard]] bool watches_memory() const { return memory_.load(); }
  /// Lets the program run for a moment, so that who looks at memory sees what the device wrote.
  static void let_look();
  /// Nothing moves any more. Waits for the thread, unless it is the one that calls.
  void stop();
  /// Before a fork: waits until the thread holds nothing that the child would miss, locks of the libraries it calls
  /// among them. Then one of the two.
  void about_to_fork();
  void forked_parent();
  /// The thread is not there, and of the program's one.
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
