#include "runtime/host_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

namespace castor::runtime {
namespace {

// Processor time; a program that returns to the API sooner was waiting.
constexpr std::chrono::milliseconds kAtOnce{20};
constexpr int kShortest = 16;  // the patience never falls below the initial patience / kShortest
// A thread with at least this many turns, and less than kShortTurn used per turn, yields its processor in a loop
// (sched_yield).
constexpr std::uint64_t kManyTurns = 16;
constexpr std::chrono::microseconds kShortTurn{50};

/// Returns the beginning of a file below /proc; empty if the file cannot be read.
std::string text_of(const std::string& path) {
  char text[512];
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t length = ::read(file, text, sizeof text);
  ::close(file);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
}

/// Reads the processor time of any thread of the process, from the clock that pthread_getcpuclockid would return.
bool used_by(pid_t id, std::chrono::nanoseconds& used) {
  constexpr unsigned kThreadClock = 6;
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(id) << 3) | kThreadClock);
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return false;
  used = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return true;
}

/// Returns the number of turns in a line "time waited turns" of schedstat.
std::uint64_t turns_in(const std::string& text) {
  const std::size_t last = text.rfind(' ');
  return last == std::string::npos ? 0 : std::strtoull(text.c_str() + last, nullptr, 10);
}

/// Returns the state of a thread from the line "number argument..." of the system call that it is in.
HostThread::State state_of_call(const char* text) {
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  unsigned long long arguments[6] = {};
  for (unsigned long long& argument : arguments) argument = std::strtoull(end, &end, 16);
  // A line "-1 stack counter" means that the thread is in no system call. The stack of a thread that has ended is 0.
  if (number < 0) return arguments[0] == 0 ? HostThread::State::kBlocked : HostThread::State::kRuns;
  constexpr int kTimeLimit = 3;
  return number == SYS_futex && arguments[kTimeLimit] == 0 ? HostThread::State::kBlocked : HostThread::State::kSleeps;
}

/// Returns the state of a thread from the line "id (name) S ..." of stat; used if the system does not show the system
/// call.
HostThread::State state_of_status(const std::string& text) {
  const std::size_t name = text.rfind(')');
  const char letter = name == std::string::npos || name + 2 >= text.size() ? 'R' : text[name + 2];
  if (letter == 'Z' || letter == 'X') return HostThread::State::kBlocked;
  return letter == 'R' ? HostThread::State::kRuns : HostThread::State::kSleeps;
}

}  // namespace

const HostThread* find_thread(const std::vector<HostThread>& threads, pid_t id) {
  const auto found = std::find_if(threads.begin(), threads.end(), [id](const HostThread& one) { return one.id == id; });
  return found == threads.end() ? nullptr : &*found;
}

std::vector<HostThread> other_threads() {
  std::vector<HostThread> threads;
  const std::string folder = "/proc/self/task/";
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(folder.c_str()), ::closedir);
  if (list == nullptr) return threads;
  const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
  while (const dirent* const entry = ::readdir(list.get())) {
    HostThread thread;
    thread.id = static_cast<pid_t>(std::atol(entry->d_name));
    if (thread.id == 0 || thread.id == self) continue;
    const std::string call = text_of(folder + entry->d_name + "/syscall");
    if (call.empty()) {
      const std::string status = text_of(folder + entry->d_name + "/stat");
      if (status.empty()) continue;  // the thread has just ended
      thread.state = state_of_status(status);
    } else {
      thread.state = call[0] == 'r' ? HostThread::State::kRuns : state_of_call(call.c_str());
    }
    // The time is read after the state. A thread that resumes after its state was read shows more time in the second
    // observation.
    if (!used_by(thread.id, thread.used)) continue;
    thread.turns = turns_in(text_of(folder + entry->d_name + "/schedstat"));
    threads.push_back(thread);
  }
  std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return threads;
}

HostActivity HostWatch::look(const std::vector<HostThread>& first, const std::vector<HostThread>& second, Time now) {
  // A thread that is blocked in both observations without using time was blocked throughout. If this holds for all
  // threads, all were blocked at the same moment.
  const bool blocked = std::all_of(second.begin(), second.end(), [](const HostThread& thread) {
    return thread.state == HostThread::State::kBlocked;
  });
  if (blocked && !second.empty() && first == second) return HostActivity::kWaits;
  if (!started_) {
    started_ = true;
    active_ = false;
    start_ = now;
    base_ = second;
    return HostActivity::kWorks;
  }
  bool lingers = !second.empty();  // if no thread is visible, the program cannot be judged
  for (const HostThread& thread : second) {
    const HostThread* const known = find_thread(base_, thread.id);
    if (known == nullptr) {
      base_.push_back(thread);
      active_ = true;
      lingers = false;
      continue;
    }
    const Span used = thread.used - known->used;
    if (used.count() > 0) active_ = true;
    if (thread.state == HostThread::State::kBlocked) continue;
    const std::uint64_t turns = thread.turns - known->turns;
    const bool computes =
        thread.state == HostThread::State::kRuns && (turns < kManyTurns || used >= turns * kShortTurn);
    if ((computes ? used : now - start_) < patience_) lingers = false;
  }
  return lingers && patience_.count() > 0 ? HostActivity::kLingers : HostActivity::kWorks;
}

void HostWatch::came_back(Span used) {
  if (used < kAtOnce) {
    patience_ = std::max(longest_ / kShortest, patience_ / 4);
  } else {
    patience_ = longest_;
  }
}

}  // namespace castor::runtime
