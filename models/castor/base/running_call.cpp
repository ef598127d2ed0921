#include "castor/base/running_call.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <utility>

#include "castor/base/error.h"

namespace castor::base {

namespace {

detail::CallInProgress own_call_under_way;

std::string place_of(const CallSite& site, Cycle cycle) {
  return std::string("block ") + site.block + ": " + site.function + " of cycle " + std::to_string(cycle);
}

}  // namespace

namespace detail {

CallInProgress* call_in_progress = &own_call_under_way;

void rethrow_named(const CallSite& site, Cycle cycle) { std::rethrow_exception(handled_error(place_of(site, cycle))); }

}  // namespace detail

std::exception_ptr handled_error(const std::string& place) {
  try {
    throw;
  } catch (const Error&) {
    return std::current_exception();
  } catch (const std::exception& error) {
    return std::make_exception_ptr(Error(place + " threw an exception: " + printable(error.what(), 300)));
  } catch (...) {
    return std::make_exception_ptr(Error(place + " threw an object that is no std::exception"));
  }
}

namespace {

double cpu_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

CallWatch::CallWatch(std::function<void(const std::string&)> told, double seconds)
    : told_(std::move(told)), seconds_(seconds), thread_([this] { watch(); }) {}

CallWatch::~CallWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void CallWatch::watch() {
  constexpr auto kPeriod = std::chrono::milliseconds(50);
  std::uint64_t seen = 0;
  double since = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, kPeriod, [this] { return over_; })) {
    const CallSite* const site = detail::call_in_progress->site;
    const std::uint64_t calls = detail::call_in_progress->calls;
    const double now = cpu_seconds();
    if (site == nullptr || calls != seen) {
      seen = calls;
      since = now;
    } else if (now - since >= seconds_) {
      char span[40];
      std::snprintf(span, sizeof span, "%.3g s", seconds_);
      return told_(place_of(*site, detail::call_in_progress->cycle) + " has not returned after " + span +
                   " of CPU time");
    }
  }
}

}  // namespace castor::base
