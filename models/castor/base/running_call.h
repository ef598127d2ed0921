#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "castor/base/time.h"

namespace castor::base {

/// Names a function of plugged-in code of unknown origin, such as the engine of a block.
struct CallSite {
  const char* block;
  const char* function;
};

namespace detail {

/// The call in progress, as a watchdog in another thread reads it.
struct CallInProgress {
  std::atomic<const CallSite*> site{nullptr};  ///< call in progress; null = none
  std::atomic<Cycle> cycle{0};                 ///< cycle of the block's clock in which the call was made
  std::atomic<std::uint64_t> calls{0};         ///< number of calls that began, plus the number that ended
};
/// State of the calls that this shared object makes. load_object points it to the state of the process.
extern CallInProgress* call_in_progress;

/// Rethrows the exception being handled as `handled_error` returns it, with `site` and `cycle` named in the message.
[[noreturn, gnu::cold]] void rethrow_named(const CallSite& site, Cycle cycle);

}  // namespace detail

/// Returns the exception being handled: unchanged if it is a base::Error, else a base::Error that says that `place`
/// threw it.
[[nodiscard, gnu::cold]] std::exception_ptr handled_error(const std::string& place);

/// Marks a call of plugged-in code as in progress for CallWatch, from construction to destruction. Calls nest. Only one
/// thread at a time may make such calls.
class RunningCall {
 public:
  /// `site` must outlive this object; `cycle` counts the block's clock.
  RunningCall(const CallSite& site, Cycle cycle) : before_(now().site.load(kRelaxed)) {
    now().cycle.store(cycle, kRelaxed);
    set(&site);
  }
  ~RunningCall() { set(before_); }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static detail::CallInProgress& now() { return *detail::call_in_progress; }
  static void set(const CallSite* site) {
    now().calls.store(now().calls.load(kRelaxed) + 1, kRelaxed);
    now().site.store(site, kRelaxed);
  }
  const CallSite* const before_;
};

/// Calls plugged-in code. Converts any exception that the code throws to a base::Error that names block, function and
/// cycle.
template <class Call>
decltype(auto) call_named(const CallSite& site, Cycle cycle, Call&& call) {
  const RunningCall running(site, cycle);
  try {
    return call();
  } catch (...) {
    detail::rethrow_named(site, cycle);
  }
}

/// Watchdog thread that detects a RunningCall that does not return. It fires when no call begins or ends while the
/// process uses `seconds` of CPU time; a loaded host or a stop in a debugger does not count. The watchdog thread then
/// calls the function `told` once, with a line that names block, function and cycle. `told` should end the process,
/// because the thread of the hanging call cannot.
class CallWatch {
 public:
  static constexpr double kSeconds = 20;

  explicit CallWatch(std::function<void(const std::string& text)> told, double seconds = kSeconds);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

 private:
  void watch();

  std::function<void(const std::string&)> told_;
  double seconds_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;  ///< tells the thread of `watch` to end; guarded by `mutex_`
  std::thread thread_;
};

}  // namespace castor::base
