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

/// A function of something that is plugged in and may be anybody's code: the engine of a block.
struct CallSite {
  const char* block;
  const char* function;
};

namespace detail {

/// The call under way, as a watch in another thread sees it.
struct CallUnderWay {
  std::atomic<const CallSite*> site{nullptr};  ///< null = none
  std::atomic<Cycle> cycle{0};
  std::atomic<std::uint64_t> calls{0};  ///< that began or went on
};
/// The mark of this shared object; one that is loaded is given that of the process (load_object).
extern CallUnderWay* call_under_way;

/// Throws the exception that is handled, as `handled_error` gives it, with the call as its place.
[[noreturn, gnu::cold]] void rethrow_named(const CallSite& site, Cycle cycle);

}  // namespace detail

/// The exception that is handled: as it is if it is a base::Error, else a base::Error that says that `place` threw it.
[[nodiscard, gnu::cold]] std::exception_ptr handled_error(const std::string& place);

/// Marks such a call for a CallWatch as long as it lives; calls nest. For one thread at a time.
class RunningCall {
 public:
  /// `site` outlives it; `cycle`: of the block's clock.
  RunningCall(const CallSite& site, Cycle cycle) : before_(now().site.load(kRelaxed)) {
    now().cycle.store(cycle, kRelaxed);
    set(&site);
  }
  ~RunningCall() { set(before_); }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static detail::CallUnderWay& now() { return *detail::call_under_way; }
  static void set(const CallSite* site) {
    now().calls.store(now().calls.load(kRelaxed) + 1, kRelaxed);
    now().site.store(site, kRelaxed);
  }
  const CallSite* const before_;
};

/// Makes a call of plugged-in code: whatever it throws arrives as a base::Error that names block, function and cycle.
template <class Call>
decltype(auto) call_named(const CallSite& site, Cycle cycle, Call&& call) {
  const RunningCall running(site, cycle);
  try {
    return call();
  } catch (...) {
    detail::rethrow_named(site, cycle);
  }
}

/// Looks from a thread of its own whether one RunningCall goes on and on: no call begins or ends while the process
/// computes for `seconds` of CPU time. Load and stops in a debugger do not count. `told` is called
/// there, once, with a line that names block, function and cycle, and should end the process: nobody else can.
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
  bool over_ = false;  ///< under `mutex_`
  std::thread thread_;
};

}  // namespace castor::base
