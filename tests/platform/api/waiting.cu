// A host that waits outside the API for what the device does. Arguments: how, rounds of a loop. Prints the simulated
// time at which the host went on, and its work on the device goes on from there.
#include <castor_jobs.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

// Takes a while, then adds one.
__global__ void add_one(unsigned long long* cell, int rounds) {
  unsigned long long sum = 0;
  for (int i = 0; i < rounds; ++i) sum = sum * 3 + clock();
  *cell += sum == 0x123456789abcdefull ? 2 : 1;
}
__global__ void fail_at(int* p) { *p = 1; }
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void big(unsigned long long* cell, volatile int* flag, int rounds) {
  for (int i = 0; i < rounds; ++i) *cell += clock() == 7;
  *flag = 1;
  __threadfence_system();
}

struct Host {
  sem_t semaphore;
  std::mutex mutex;
  std::condition_variable changed;
  bool told = false;
  std::promise<int> promise;
  std::atomic<int> flag{0};
  volatile int plain = 0;
  int pipe[2] = {-1, -1};
  cudaError_t status = cudaErrorUnknown;
  std::thread thread;
  unsigned long long* cell = nullptr;
} host;

void post(void*) { sem_post(&host.semaphore); }
void tell(void*) {
  const std::lock_guard<std::mutex> lock(host.mutex);
  host.told = true;
  host.changed.notify_all();
}
void keep(void*) { host.promise.set_value(7); }
void raise_flag(void*) { host.flag = 1; }
void raise_plain(void*) { host.plain = 1; }
void write_pipe(void*) {
  const char byte = 'x';
  if (write(host.pipe[1], &byte, 1) != 1) std::abort();
}
void post_status(cudaStream_t, cudaError_t status, void*) {
  host.status = status;
  sem_post(&host.semaphore);
}
void leave(void*) { std::exit(3); }
void throw_it(void*) { throw std::runtime_error("from a host function"); }
// The host works on in a thread of its own, which uses the API.
void start_thread(void*) {
  host.thread = std::thread([] {
    unsigned long long value = 0;
    GOOD(cudaMemcpy(&value, host.cell, 8, cudaMemcpyDeviceToHost));
    CHECK(value == 1);
    post(nullptr);
  });
}
void nothing(void*) {}

void say_time(const char* what) {
  unsigned long long ns = 0;
  GOOD(castorHostTime(&ns));
  std::printf("%s at %llu ns\n", what, ns);
}

// One kernel, a host function behind it.
void submit(cudaStream_t stream, cudaHostFn_t function, int rounds = 2000) {
  add_one<<<1, 32, 0, stream>>>(host.cell, rounds);
  GOOD(cudaLaunchHostFunc(stream, function, nullptr));
}

// What the device does from here on is the same in each run, too.
int finish() {
  say_time("on");
  unsigned long long value = 0;
  add_one<<<1, 1>>>(host.cell, 100);
  GOOD(cudaMemcpy(&value, host.cell, 8, cudaMemcpyDeviceToHost));
  CHECK(value >= 2);
  say_time("end");
  return verdict();
}

void wait_on_semaphore() {
  while (sem_wait(&host.semaphore) != 0) {
  }
}

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "semaphore";
  sem_init(&host.semaphore, 0, 0);
  GOOD(cudaMalloc(&host.cell, 8));
  GOOD(cudaMemset(host.cell, 0, 8));
  cudaStream_t stream, other;
  GOOD(cudaStreamCreate(&stream));
  GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  if (how == "call") {  // no waiting outside
    submit(stream, nothing);
    GOOD(cudaStreamSynchronize(stream));
  } else if (how == "semaphore") {
    submit(stream, post);
    wait_on_semaphore();
  } else if (how == "many") {  // several, in two streams, and only the last one of them is waited for by its number
    for (int i = 0; i < 5; ++i) submit(i % 2 == 0 ? stream : other, post, 500 * (5 - i));
    for (int i = 0; i < 5; ++i) wait_on_semaphore();
  } else if (how == "condition") {
    submit(stream, tell);
    std::unique_lock<std::mutex> lock(host.mutex);
    host.changed.wait(lock, [] { return host.told; });
  } else if (how == "future") {
    submit(stream, keep);
    CHECK(host.promise.get_future().get() == 7);
  } else if (how == "limit") {  // with a time limit that is far away
    submit(stream, keep);
    CHECK(host.promise.get_future().wait_for(std::chrono::hours(1)) == std::future_status::ready);
  } else if (how == "atomic") {
    submit(stream, raise_flag);
    while (host.flag == 0) {
    }
  } else if (how == "volatile") {
    submit(stream, raise_plain);
    while (host.plain == 0) {
    }
  } else if (how == "yield") {
    submit(stream, raise_flag);
    while (host.flag == 0) std::this_thread::yield();
  } else if (how == "sleep") {
    submit(stream, raise_flag);
    while (host.flag == 0) usleep(500);
  } else if (how == "poll") {
    CHECK(pipe(host.pipe) == 0);
    submit(stream, write_pipe);
    pollfd wanted = {host.pipe[0], POLLIN, 0};
    CHECK(poll(&wanted, 1, -1) == 1);
  } else if (how == "driver") {
    CHECK(cuInit(0) == CUDA_SUCCESS);
    add_one<<<1, 32, 0, stream>>>(host.cell, 2000);
    CHECK(cuLaunchHostFunc(stream, post, nullptr) == CUDA_SUCCESS);
    wait_on_semaphore();
  } else if (how == "callback") {
    add_one<<<1, 32, 0, stream>>>(host.cell, 2000);
    GOOD(cudaStreamAddCallback(stream, post_status, nullptr, 0));
    wait_on_semaphore();
    GOOD(host.status);
  } else if (how == "thread") {
    submit(stream, start_thread);
    wait_on_semaphore();
    host.thread.join();
  } else if (how == "workers") {  // main joins one that waits; a third one idles for good
    submit(stream, post);
    std::thread idle([] {
      std::unique_lock<std::mutex> lock(host.mutex);
      host.changed.wait(lock, [] { return host.told; });
    });
    std::thread(wait_on_semaphore).join();
    tell(nullptr);
    idle.join();
  } else if (how == "memory") {  // a kernel writes what the host reads
    int* flag = nullptr;
    GOOD(cudaMallocHost(&flag, 4));
    *flag = 0;
    big<<<1, 1, 0, stream>>>(host.cell, flag, argc > 2 ? std::atoi(argv[2]) : 2000);
    while (*static_cast<volatile int*>(flag) == 0) {
    }
    add_one<<<1, 1, 0, stream>>>(host.cell, 1);
    GOOD(cudaStreamSynchronize(stream));
  } else if (how == "work") {  // computes between two calls, and does not wait
    submit(stream, nothing);
    for (volatile int i = 0; i < 20000000;) i = i + 1;
  } else if (how == "nap") {  // sleeps between two calls, and does not wait
    submit(stream, nothing);
    usleep(100000);
  } else if (how == "busy_worker") {  // another thread computes, and main waits for it
    submit(stream, nothing);
    std::thread([] {
      for (volatile int i = 0; i < 20000000;) i = i + 1;
    }).join();
  } else if (how == "exit") {
    submit(stream, leave);
    wait_on_semaphore();
  } else if (how == "throw") {
    submit(stream, throw_it);
    wait_on_semaphore();
  } else if (how == "deadlock") {  // the function stands behind a kernel that does not end
    int* flag = nullptr;
    GOOD(cudaMalloc(&flag, 4));
    GOOD(cudaMemset(flag, 0, 4));
    wait_for<<<1, 1, 0, stream>>>(flag);
    GOOD(cudaStreamAddCallback(stream, post_status, nullptr, 0));
    wait_on_semaphore();
    RETURNS(cudaErrorLaunchTimeout, host.status);
    RETURNS(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
    return verdict();
  } else if (how == "fault") {
    int* flag = nullptr;  // so that the fault comes after the submissions
    GOOD(cudaMalloc(&flag, 4));
    GOOD(cudaMemset(flag, 0, 4));
    wait_for<<<1, 1, 0, stream>>>(flag);
    fail_at<<<1, 1, 0, stream>>>(nullptr);
    GOOD(cudaLaunchHostFunc(stream, leave, nullptr));  // is not called
    GOOD(cudaStreamAddCallback(stream, post_status, nullptr, 0));
    GOOD(cudaMemsetAsync(flag, 1, 4, other));
    wait_on_semaphore();
    RETURNS(cudaErrorIllegalAddress, host.status);
    RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    GOOD(cudaDeviceReset());  // and all is as at the beginning
    GOOD(cudaMalloc(&host.cell, 8));
    GOOD(cudaMemset(host.cell, 0, 8));
    submit(nullptr, post);
    wait_on_semaphore();
  } else if (how == "fork") {
    submit(stream, post);
    const pid_t child = fork();
    if (child == 0) {  // the child's copy of the device does the same
      wait_on_semaphore();
      say_time("child");
      std::fflush(stdout);
      _exit(failures == 0 ? 5 : 6);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    wait_on_semaphore();
  } else if (how == "forks") {  // while the runtime's thread looks whether main waits
    submit(stream, post);
    for (int i = 0; i < 100; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        const std::vector<std::string> words(20, std::string(100, 'x'));
        unsigned long long ns = 0;
        _exit(words.size() == 20 && castorHostTime(&ns) == cudaSuccess ? 5 : 6);
      }
      int status = 0;
      CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    }
    wait_on_semaphore();
  } else {
    std::printf("unknown: %s\n", how.c_str());
    return 2;
  }
  return finish();
}
