#include "runtime/progress.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace castor::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr nanoseconds kFirstLook = std::chrono::microseconds(300);
constexpr nanoseconds kLongestPause = milliseconds(10);
constexpr nanoseconds kMemoryPause = milliseconds(50);
// processor time that each running thread may use in a pause of the device
constexpr nanoseconds kLook = milliseconds(1);
constexpr int kMostLooks = 200;

thread_local unsigned calls_of_thread = 0;

nanoseconds used_by_process() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

/// Returns the signals that the runtime's thread blocks, since they belong to the program. Signals of an error in a
/// host function are delivered to the thread that made the error.
sigset_t foreign_signals() {
  sigset_t set;
  ::sigfillset(&set);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) ::sigdelset(&set, signal);
  return set;
}

}  // namespace

/// Thread with the variables that wake and stop it. The child of a fork abandons the object.
struct Progress::Worker {
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  bool begun = false;  ///< the thread has finished its set-up, in which libraries hold locks that a fork would copy
  std::recursive_mutex busy;  ///< held by the thread while it observes and advances; recursive, since a host function
                              ///< may fork
  std::thread thread;
};

Progress::Progress(const HostFunctions& functions, Move move) : functions_(functions), move_(std::move(move)) {}

Progress::~Progress() { stop(); }

void Progress::enter() {
  ++calls_of_thread;
  inside_.fetch_add(1);
}

void Progress::leave() {
  epoch_.fetch_add(1);
  inside_.fetch_sub(1);
  --calls_of_thread;
}

void Progress::watch_memory() {
  if (memory_.exchange(true)) return;
  wake();
}

void Progress::wake() {
  if (stopped_) return;
  if (worker_ != nullptr) {
    const std::lock_guard<std::mutex> lock(worker_->mutex);
    worker_->changed.notify_one();
    return;
  }
  worker_ = std::make_unique<Worker>();
  sigset_t before;
  const sigset_t blocked = foreign_signals();
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  worker_->thread = std::thread([this, &worker = *worker_] { work(worker); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_setname_np(worker_->thread.native_handle(), "castor");
  std::unique_lock<std::mutex> lock(worker_->mutex);
  worker_->changed.wait(lock, [this] { return worker_->begun; });
}

void Progress::stop() {
  stopped_ = true;
  if (worker_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(worker_->mutex);
    worker_->stop = true;
    worker_->changed.notify_one();
  }
  if (worker_->thread.get_id() == std::this_thread::get_id())
    return;  // the caller is the runtime's thread: a host function that ends the program
  worker_->thread.join();
  worker_.reset();
}

void Progress::about_to_fork() {
  if (worker_ != nullptr) worker_->busy.lock();
}

void Progress::forked_parent() {
  if (worker_ != nullptr) worker_->busy.unlock();
}

void Progress::forked_child() {
  static_cast<void>(worker_.release());
  inside_ = calls_of_thread;
  if (functions_.pending() || memory_) wake();
}

void Progress::let_look() {
  const std::vector<HostThread> before = other_threads();
  for (int i = 0; i < kMostLooks; ++i) {
    std::this_thread::sleep_for(kLook);
    const std::vector<HostThread> after = other_threads();
    const bool all = std::all_of(after.begin(), after.end(), [&](const HostThread& thread) {
      if (thread.state != HostThread::State::kRuns) return true;
      const HostThread* const known = find_thread(before, thread.id);
      return known == nullptr || thread.used - known->used >= kLook;
    });
    if (all) return;
  }
}

void Progress::work(Worker& worker) {
  HostWatch watch(patience_);
  std::uint64_t seen = ~std::uint64_t{0};
  nanoseconds pause = kFirstLook;
  bool judged = false;  // the device has advanced without proof, and the program is still outside the API
  nanoseconds then{0};  // processor time that the process had used at that advance
  std::unique_lock<std::mutex> lock(worker.mutex);
  worker.begun = true;
  worker.changed.notify_one();
  while (!worker.stop) {
    if (!functions_.pending() && !memory_) {
      worker.changed.wait(lock);
      continue;
    }
    worker.changed.wait_for(lock, functions_.pending() ? pause : kMemoryPause);
    if (worker.stop) break;
    const std::uint64_t epoch = epoch_.load();
    pause = std::min(2 * pause, kLongestPause);
    if (epoch != seen || inside()) {
      if (epoch != seen) pause = kFirstLook;
      if (judged) watch.came_back(used_by_process() - then);
      judged = false;
      seen = epoch;
      watch.restart();
      if (inside()) continue;
    }
    lock.unlock();
    const std::lock_guard<std::recursive_mutex> busy(worker.busy);
    const std::vector<HostThread> first = other_threads();
    const HostActivity activity = watch.look(first, other_threads(), Clock::now());
    const bool proven = activity == HostActivity::kWaits;
    // Only a lingering program can notice memory that the device writes: threads that are blocked on other threads, or
    // that sleep for ever, do not read memory.
    const bool moves =
        functions_.pending() ? activity != HostActivity::kWorks : activity == HostActivity::kLingers && watch.active();
    if (moves && move_(epoch, proven ? Certainty::kProven : Certainty::kJudged)) {
      pause = kFirstLook;
      watch.restart();
      if (!proven) {
        if (judged) watch.stayed_away();
        judged = true;
        then = used_by_process();
      }
    }
    lock.lock();
  }
}

}  // namespace castor::runtime
