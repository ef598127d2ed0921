// Simulated time as a program that generates load sees it, and what it tells the device of its kernels beforehand.
#include <castor_jobs.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count(int* n) { atomicAdd(n, 1); }
static int not_a_kernel;

static const char* name(cudaError_t error) { return cudaGetErrorName(error); }

int main() {
  unsigned long long start = 0, now = 0;
  std::printf("time: %s\n", name(castorHostTime(&start)));
  std::printf("no place for it: %s\n", name(castorHostTime(nullptr)));
  std::printf("wait: %s\n", name(castorHostWaitUntil(start + 12345)));
  castorHostTime(&now);
  std::printf("waited %llu ns\n", now - start);
  std::printf("into the past: %s\n", name(castorHostWaitUntil(start)));
  castorHostTime(&start);
  std::printf("took %llu ns\n", start - now);
  std::printf("an hour: %s\n", name(castorHostWaitUntil(start + 3600000000000ull)));
  std::printf("for ever: %s\n", name(castorHostWaitUntil(~0ull)));

  // A kernel that is under way ends while the host waits.
  int* n = nullptr;
  cudaMallocManaged(&n, sizeof *n);
  *n = 0;
  cudaEvent_t done;
  cudaEventCreate(&done);
  count<<<4, 64>>>(n);
  cudaEventRecord(done, 0);
  castorHostTime(&now);
  castorHostWaitUntil(now + 1000000);
  std::printf("kernel: %s, %d\n", name(cudaEventQuery(done)), *n);

  const void* const kernel = reinterpret_cast<const void*>(&count);
  std::printf("isolated time: %s\n", name(castorKernelSetIsolatedTime(kernel, 64, 256)));
  std::printf("none: %s\n", name(castorKernelSetIsolatedTime(kernel, 64, 0)));
  std::printf("no threads: %s\n", name(castorKernelSetIsolatedTime(kernel, 0, 256)));
  std::printf("no kernel: %s\n", name(castorKernelSetIsolatedTime(&not_a_kernel, 64, 256)));
  cudaGetLastError();
  return 0;
}
