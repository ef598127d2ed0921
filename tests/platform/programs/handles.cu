// Streams and events: queries, times that were not recorded, handles that are gone, waiting across streams.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void spin(int* out, int rounds) {
  volatile int x = 1;
  for (int i = 0; i < rounds; ++i) x = x * 1103515245 + 12345;
  *out = x;
}

const char* name(cudaError_t error) { return cudaGetErrorName(error); }

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 4);
  cudaStream_t one, two;
  cudaEvent_t first, last, no_time;
  float ms = -1;
  cudaStreamCreate(&one);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreate(&first);
  cudaEventCreate(&last);
  cudaEventCreateWithFlags(&no_time, cudaEventDisableTiming);
  std::printf("idle stream: %s\n", name(cudaStreamQuery(one)));
  std::printf("never recorded: %s\n", name(cudaEventQuery(first)));
  std::printf("time of unrecorded events: %s\n", name(cudaEventElapsedTime(&ms, first, last)));
  cudaGetLastError();
  cudaEventRecord(first, one);
  spin<<<112, 32, 0, one>>>(out, 4000);
  cudaEventRecord(last, one);
  cudaEventRecord(no_time, one);
  std::printf("busy stream: %s\n", name(cudaStreamQuery(one)));
  std::printf("waiting: %s\n", name(cudaStreamWaitEvent(two, last, 0)));
  std::printf("synchronize: %s\n", name(cudaStreamSynchronize(two)));
  std::printf("after waiting: %s\n", name(cudaEventQuery(last)));
  std::printf("time: %s, %s\n", name(cudaEventElapsedTime(&ms, first, last)), ms > 0 ? "positive" : "not positive");
  std::printf("backwards: %s\n",
              cudaEventElapsedTime(&ms, last, first) == cudaSuccess && ms < 0 ? "negative" : "wrong");
  std::printf("event without time: %s\n", name(cudaEventElapsedTime(&ms, first, no_time)));
  cudaGetLastError();
  std::printf("null handle: %s\n", name(cudaEventRecord(nullptr, one)));
  cudaGetLastError();
  std::printf("destroy: %s %s\n", name(cudaStreamDestroy(one)), name(cudaEventDestroy(first)));
  std::printf("last error: %s\n", name(cudaGetLastError()));
  return 0;
}
