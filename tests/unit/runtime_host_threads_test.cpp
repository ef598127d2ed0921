// Tests of the classification of the program's threads by their activity.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "runtime/host_threads.h"

namespace castor::runtime::runtime_host_threads_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using State = HostThread::State;

constexpr nanoseconds kPatience = milliseconds(1000);

HostWatch::Time at(int ms) { return HostWatch::Time{} + milliseconds(ms); }
HostThread thread(pid_t id, State state, int used_ms, std::uint64_t turns = 0) {
  return {id, state, milliseconds(used_ms), turns};
}

using Threads = std::vector<HostThread>;

/// Observes the threads twice with the same state.
HostActivity look(HostWatch& watch, const Threads& threads, int ms) { return watch.look(threads, threads, at(ms)); }

TEST(HostWatch, AllThreadsThatAreBlockedInBothLooksWait) {
  HostWatch watch(kPatience);
  const Threads blocked = {thread(1, State::kBlocked, 5), thread(2, State::kBlocked, 0)};
  EXPECT_EQ(look(watch, blocked, 0), HostActivity::kWaits);
  EXPECT_EQ(watch.look({}, {}, at(0)), HostActivity::kWorks);
}

TEST(HostWatch, OneThatRanBetweenTheLooksMayHaveWokenAnother) {
  HostWatch watch(kPatience);
  const Threads before = {thread(1, State::kBlocked, 5), thread(2, State::kBlocked, 0)};
  const Threads after = {thread(1, State::kBlocked, 5), thread(2, State::kBlocked, 1)};
  EXPECT_EQ(watch.look(before, after, at(0)), HostActivity::kWorks);
  const Threads more = {thread(1, State::kBlocked, 5), thread(2, State::kBlocked, 1), thread(3, State::kBlocked, 0)};
  EXPECT_EQ(watch.look(after, more, at(1)), HostActivity::kWorks);
  EXPECT_EQ(look(watch, more, 2), HostActivity::kWaits);
}

TEST(HostWatch, AThreadThatRunsOrSleepsIsNoProof) {
  HostWatch watch(kPatience);
  for (const State state : {State::kRuns, State::kSleeps}) {
    EXPECT_EQ(look(watch, {thread(1, State::kBlocked, 5), thread(2, state, 0)}, 0), HostActivity::kWorks);
  }
}

TEST(HostWatch, OneThatRunsLingersByItsProcessorTimeAndNotByThatOfTheWall) {
  HostWatch watch(kPatience);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 300)}, 0), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 1299)}, 90'000), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 1300)}, 90'001), HostActivity::kLingers);
}

TEST(HostWatch, OneThatSleepsLingersByTheTimeOfTheWall) {
  HostWatch watch(kPatience);
  EXPECT_EQ(look(watch, {thread(1, State::kSleeps, 0)}, 10), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kSleeps, 0)}, 1009), HostActivity::kWorks);
  EXPECT_FALSE(watch.active());
  EXPECT_EQ(look(watch, {thread(1, State::kSleeps, 1)}, 1010), HostActivity::kLingers);
  EXPECT_TRUE(watch.active());
}

TEST(HostWatch, OneThatGivesItsProcessorAwayLingersByTheTimeOfTheWall) {
  HostWatch watch(kPatience);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 0, 5)}, 0), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 1, 1005)}, 999), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 1, 1005)}, 1000), HostActivity::kLingers);
}

TEST(HostWatch, OneThatIsInterruptedOrWaitsForAProcessorComputes) {
  HostWatch watch(kPatience);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 0, 5)}, 0), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 50, 1005)}, 90'000), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 0, 20)}, 90'000), HostActivity::kWorks);  // few turns
}

TEST(HostWatch, EveryThreadHasToLinger) {
  HostWatch watch(kPatience);
  const Threads start = {thread(1, State::kSleeps, 0), thread(2, State::kRuns, 0), thread(3, State::kBlocked, 0)};
  EXPECT_EQ(look(watch, start, 0), HostActivity::kWorks);
  Threads later = start;
  later[1].used = milliseconds(999);
  EXPECT_EQ(look(watch, later, 5000), HostActivity::kWorks);
  later[1].used = milliseconds(1000);
  EXPECT_EQ(look(watch, later, 5000), HostActivity::kLingers);
  later.push_back(thread(4, State::kRuns, 2000));  // began meanwhile
  EXPECT_EQ(look(watch, later, 5000), HostActivity::kWorks);
}

TEST(HostWatch, ThreadsThatTheSystemDoesNotShowDoNotLinger) {
  HostWatch watch(kPatience);
  EXPECT_EQ(look(watch, {}, 0), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {}, 90'000), HostActivity::kWorks);
}

TEST(HostWatch, ARestartForgetsWhatWasUsed) {
  HostWatch watch(kPatience);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 0)}, 0), HostActivity::kWorks);
  watch.restart();
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 5000)}, 5000), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 5999)}, 5999), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 6000)}, 6000), HostActivity::kLingers);
}

TEST(HostWatch, NoPatienceAtAllIsEndlessAndAProofStillOne) {
  HostWatch watch(nanoseconds(0));
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 0)}, 0), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kRuns, 900'000)}, 900'000), HostActivity::kWorks);
  EXPECT_EQ(look(watch, {thread(1, State::kBlocked, 900'000)}, 900'000), HostActivity::kWaits);
}

TEST(HostWatch, PatienceShrinksToASixteenthWithProgramsThatComeBackAtOnceAndComesBackWithOthers) {
  HostWatch watch(kPatience);
  for (const int ms : {250, 62, 62}) {
    watch.came_back(milliseconds(1));
    EXPECT_EQ(std::chrono::duration_cast<milliseconds>(watch.patience()).count(), ms);
  }
  watch.came_back(milliseconds(20));
  EXPECT_EQ(watch.patience(), kPatience);
  watch.came_back(milliseconds(0));
  watch.stayed_away();
  EXPECT_EQ(watch.patience(), kPatience);
}

/// Starts threads that wait or run in different ways, and waits until each is reported in its state.
TEST(OtherThreads, AreSeenInWhatTheyWaitFor) {
  sem_t semaphore;
  ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
  std::atomic<bool> stop{false};
  std::atomic<pid_t> ids[4] = {};
  const auto enter = [&](int i) { ids[i] = static_cast<pid_t>(syscall(SYS_gettid)); };
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  std::thread blocked([&] { enter(0), sem_wait(&semaphore); });
  std::thread runs([&] {
    enter(1);
    while (!stop) {
    }
  });
  std::thread sleeps([&] {
    char byte = 0;
    enter(2);
    EXPECT_EQ(read(pipes[0], &byte, 1), 1);
  });
  std::thread limited([&] {
    enter(3);
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 3600;
    sem_timedwait(&semaphore, &time);
  });
  const State wanted[] = {State::kBlocked, State::kRuns, State::kSleeps, State::kSleeps};
  const auto state_of = [&](int i) {
    for (const HostThread& thread : other_threads()) {
      if (thread.id == ids[i]) return thread.state;
    }
    return State::kRuns;
  };
  for (int i = 0; i < 4; ++i) {
    while (ids[i] == 0 || state_of(i) != wanted[i]) std::this_thread::yield();  // the test's time limit ends it
  }
  const Threads first = other_threads();
  Threads second = other_threads();
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  for (const HostThread& thread : second) EXPECT_NE(thread.id, self);
  EXPECT_GE(second.size(), 4U);
  const auto used = [&](const Threads& threads, int i) {
    for (const HostThread& thread : threads) {
      if (thread.id == ids[i]) return thread.used;
    }
    return nanoseconds(-1);
  };
  EXPECT_EQ(used(first, 0), used(second, 0));
  while (used(second, 1) <= used(first, 1)) second = other_threads();
  EXPECT_GT(find_thread(second, ids[1])->turns, 0U);
  stop = true;
  sem_post(&semaphore);
  sem_post(&semaphore);
  EXPECT_EQ(write(pipes[1], "x", 1), 1);
  for (std::thread* one : {&blocked, &runs, &sleeps, &limited}) one->join();
  close(pipes[0]);
  close(pipes[1]);
  sem_destroy(&semaphore);
}

}  // namespace
}  // namespace castor::runtime::runtime_host_threads_test
