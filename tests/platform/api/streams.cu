// Streams, events, host functions: what is ordered with what, and when a call may say "not ready".
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

// Takes a while, then appends a digit.
__global__ void append(unsigned long long* out, int digit, int rounds) {
  unsigned long long sum = 0;
  for (int i = 0; i < rounds; ++i) sum = sum * 3 + clock();
  if (sum == 0x123456789abcdefull) *out = 0;  // never, but the loop must run
  *out = *out * 10 + digit;
}
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void set(volatile int* flag, int value) { *flag = value; }

unsigned long long *order, order_now;

unsigned long long value() {
  GOOD(cudaMemcpy(&order_now, order, sizeof order_now, cudaMemcpyDeviceToHost));
  GOOD(cudaMemset(order, 0, sizeof order_now));
  return order_now;
}

void legacy_default_stream() {
  cudaStream_t a, b;
  GOOD(cudaStreamCreate(&a));
  GOOD(cudaStreamCreate(&b));
  // The default stream waits for every blocking stream, and they for it. The first kernel of each pair is much longer.
  append<<<1, 1, 0, a>>>(order, 1, 3000);
  append<<<1, 1>>>(order, 2, 1000);
  append<<<1, 1, 0, b>>>(order, 3, 300);
  append<<<1, 1>>>(order, 4, 1);
  append<<<1, 1, 0, a>>>(order, 5, 1);
  append<<<1, 1, 0, cudaStreamLegacy>>>(order, 6, 1);
  CHECK(value() == 123456);
  // The per-thread stream is a blocking one.
  append<<<1, 1, 0, cudaStreamPerThread>>>(order, 1, 3000);
  append<<<1, 1>>>(order, 2, 1000);
  append<<<1, 1, 0, cudaStreamPerThread>>>(order, 3, 1);
  CHECK(value() == 123);
  GOOD(cudaStreamDestroy(a));
  GOOD(cudaStreamDestroy(b));
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(a));
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(b));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGetLastError());
}

void non_blocking_stream() {
  cudaStream_t free_stream, blocking;
  GOOD(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
  GOOD(cudaStreamCreate(&blocking));
  int* flag = nullptr;
  GOOD(cudaMalloc(&flag, 4));
  GOOD(cudaMemset(flag, 0, 4));
  // A kernel in the default stream waits for one that was submitted later to the non-blocking stream.
  wait_for<<<1, 1>>>(flag);
  set<<<1, 1, 0, free_stream>>>(flag, 1);
  GOOD(cudaDeviceSynchronize());
  unsigned flags = 0;
  GOOD(cudaStreamGetFlags(free_stream, &flags));
  CHECK(flags == cudaStreamNonBlocking);
  // The other way round: the default stream does not wait for it.
  GOOD(cudaMemset(flag, 0, 4));
  GOOD(cudaDeviceSynchronize());
  wait_for<<<1, 1, 0, free_stream>>>(flag);
  set<<<1, 1>>>(flag, 1);
  GOOD(cudaStreamSynchronize(nullptr));
  GOOD(cudaStreamSynchronize(free_stream));
  GOOD(cudaFree(flag));
  GOOD(cudaStreamDestroy(free_stream));
  GOOD(cudaStreamDestroy(blocking));
}

void events() {
  cudaStream_t a, b;
  cudaEvent_t first, second, third, untimed;
  GOOD(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  GOOD(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  GOOD(cudaEventCreate(&first));
  GOOD(cudaEventCreate(&second));
  GOOD(cudaEventCreate(&third));
  GOOD(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  RETURNS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&untimed, 0x80));
  GOOD(cudaEventQuery(first));  // never recorded: complete
  GOOD(cudaEventSynchronize(first));
  float ms = -1;
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, first, second));
  GOOD(cudaEventRecord(first, a));
  append<<<1, 32, 0, a>>>(order, 1, 2000);
  GOOD(cudaEventRecord(second, a));
  GOOD(cudaEventRecord(untimed, a));
  GOOD(cudaStreamWaitEvent(b, second, 0));
  append<<<1, 1, 0, b>>>(order, 2, 10);
  GOOD(cudaEventRecord(third, b));
  GOOD(cudaEventSynchronize(third));
  GOOD(cudaEventQuery(second));
  float one = 0, two = 0, both = 0;
  GOOD(cudaEventElapsedTime(&one, first, second));
  GOOD(cudaEventElapsedTime(&two, second, third));
  GOOD(cudaEventElapsedTime(&both, first, third));
  CHECK(one > 0 && two > 0);
  CHECK(both >= one && both >= two);
  CHECK(both - (one + two) < 1e-4f && both - (one + two) > -1e-4f);
  GOOD(cudaEventElapsedTime(&both, third, first));
  CHECK(both < 0);
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, first, untimed));
  GOOD(cudaEventElapsedTime(&ms, first, first));
  CHECK(ms == 0);
  CHECK(value() == 12);

  // Recorded again, an event stands for the new place.
  GOOD(cudaEventRecord(first, a));
  GOOD(cudaEventSynchronize(first));
  GOOD(cudaEventElapsedTime(&ms, third, first));
  CHECK(ms >= 0);

  // Time goes on when the host only waits.
  GOOD(cudaEventRecord(first, a));
  for (int i = 0; i < 10; ++i) GOOD(cudaDeviceSynchronize());
  GOOD(cudaEventRecord(second, a));
  GOOD(cudaEventSynchronize(second));
  GOOD(cudaEventElapsedTime(&ms, first, second));
  CHECK(ms > 0);

  for (cudaEvent_t event : {first, second, third, untimed}) GOOD(cudaEventDestroy(event));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventDestroy(first));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventRecord(second, a));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGetLastError());
  GOOD(cudaStreamDestroy(a));
  GOOD(cudaStreamDestroy(b));
}

void polling() {
  cudaStream_t stream;
  cudaEvent_t event;
  GOOD(cudaStreamCreate(&stream));
  GOOD(cudaEventCreate(&event));
  GOOD(cudaStreamQuery(stream));
  append<<<20, 64, 0, stream>>>(order, 1, 5000);
  GOOD(cudaEventRecord(event, stream));
  unsigned long polls = 0;
  while (cudaStreamQuery(stream) == cudaErrorNotReady) ++polls;
  CHECK(polls > 0);
  GOOD(cudaStreamQuery(stream));
  GOOD(cudaEventQuery(event));
  append<<<20, 64, 0, stream>>>(order, 1, 5000);
  GOOD(cudaEventRecord(event, stream));
  polls = 0;
  cudaError_t state = cudaSuccess;
  while ((state = cudaEventQuery(event)) == cudaErrorNotReady) ++polls;
  CHECK(polls > 0 && state == cudaSuccess);
  // A default stream with work says "not ready" too.
  append<<<20, 64>>>(order, 1, 20000);
  RETURNS(cudaErrorNotReady, cudaStreamQuery(nullptr));
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaStreamQuery(nullptr));
  GOOD(cudaGetLastError());
  GOOD(cudaStreamDestroy(stream));
  GOOD(cudaEventDestroy(event));
  (void)value();
}

struct Seen {
  unsigned long long* device;
  std::vector<int>* calls;
  int which;
  cudaError_t inside;
};
void note(void* argument) {
  auto* seen = static_cast<Seen*>(argument);
  seen->calls->push_back(seen->which);
  void* p = nullptr;
  seen->inside = cudaMalloc(&p, 16);
}
void note_callback(cudaStream_t, cudaError_t status, void* argument) {
  CHECK(status == cudaSuccess);
  note(argument);
}

void host_functions() {
  cudaStream_t a, b;
  GOOD(cudaStreamCreate(&a));
  GOOD(cudaStreamCreate(&b));
  std::vector<int> calls;
  Seen seen[4];
  for (int i = 0; i < 4; ++i) seen[i] = {order, &calls, i, cudaSuccess};
  cudaEvent_t event;
  GOOD(cudaEventCreate(&event));
  append<<<1, 1, 0, a>>>(order, 1, 3000);
  GOOD(cudaLaunchHostFunc(a, note, &seen[0]));
  GOOD(cudaEventRecord(event, a));
  GOOD(cudaStreamWaitEvent(b, event));
  GOOD(cudaLaunchHostFunc(b, note, &seen[1]));
  GOOD(cudaStreamAddCallback(b, note_callback, &seen[2], 0));
  GOOD(cudaLaunchHostFunc(nullptr, note, &seen[3]));
  GOOD(cudaDeviceSynchronize());
  CHECK((calls == std::vector<int>{0, 1, 2, 3}));
  for (const Seen& one : seen) CHECK(one.inside == cudaErrorNotPermitted);
  RETURNS(cudaErrorNotPermitted, cudaGetLastError());  // host functions ran in this thread
  RETURNS(cudaErrorInvalidValue, cudaLaunchHostFunc(a, nullptr, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  GOOD(cudaEventDestroy(event));
  GOOD(cudaStreamDestroy(a));
  GOOD(cudaStreamDestroy(b));
  (void)value();
}

void many_streams() {
  // More streams than the machine has queues, with waits in a ring.
  constexpr int kStreams = 100;
  std::vector<cudaStream_t> streams(kStreams);
  std::vector<cudaEvent_t> done(kStreams);
  unsigned long long* cell = nullptr;
  GOOD(cudaMalloc(&cell, 8 * kStreams));
  GOOD(cudaMemset(cell, 0, 8 * kStreams));
  for (int i = 0; i < kStreams; ++i) {
    GOOD(cudaStreamCreateWithFlags(&streams[i], i % 2 == 0 ? cudaStreamNonBlocking : cudaStreamDefault));
    GOOD(cudaEventCreate(&done[i]));
  }
  GOOD(cudaMemset(order, 0, 8));
  GOOD(cudaDeviceSynchronize());
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kStreams; ++i) {
      if (i > 0 || round > 0) GOOD(cudaStreamWaitEvent(streams[i], done[(i + kStreams - 1) % kStreams], 0));
      append<<<1, 1, 0, streams[i]>>>(cell + i, round + 1, 5);
      GOOD(cudaEventRecord(done[i], streams[i]));
    }
  }
  GOOD(cudaDeviceSynchronize());
  std::vector<unsigned long long> got(kStreams);
  GOOD(cudaMemcpy(got.data(), cell, 8 * kStreams, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kStreams; ++i) CHECK(got[i] == 123);
  // Destroyed with work pending: the work is done all the same.
  append<<<1, 1, 0, streams[0]>>>(cell, 4, 3000);
  for (int i = 0; i < kStreams; ++i) {
    GOOD(cudaStreamDestroy(streams[i]));
    GOOD(cudaEventDestroy(done[i]));
  }
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaMemcpy(got.data(), cell, 8, cudaMemcpyDeviceToHost));
  CHECK(got[0] == 1234);
  GOOD(cudaFree(cell));
}

void priorities() {
  int least = 1, greatest = 1, priority = 7;
  GOOD(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least >= greatest);
  cudaStream_t stream;
  GOOD(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100));
  GOOD(cudaStreamGetPriority(stream, &priority));
  CHECK(priority == greatest);
  GOOD(cudaStreamDestroy(stream));
}

int main() {
  GOOD(cudaMalloc(&order, 8));
  GOOD(cudaMemset(order, 0, 8));
  legacy_default_stream();
  non_blocking_stream();
  events();
  polling();
  host_functions();
  many_streams();
  priorities();
  GOOD(cudaFree(order));
  return verdict();
}
