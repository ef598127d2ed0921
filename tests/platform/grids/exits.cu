// Lanes and whole warps that end before the last barrier, in some thread blocks all warps but one: what is left of a
// thread block travels.
#include "grid.h"

constexpr int kThreads = 160, kSteps = 5;

// Returns the step before whose barrier a thread ends. Of each thread block one warp stays to the end.
__host__ __device__ inline unsigned last_step(unsigned block, unsigned thread) {
  const unsigned warp = thread / 32;
  if (warp == block % 5) return thread % 32 < 16 + block % 16 ? kSteps : block % kSteps;
  if (block % 3 == 0) return 1 + warp % 3;
  if (block % 3 == 1) return warp % 2 == 0 ? kSteps : 2 + thread % 3;
  return kSteps;
}

// Ends the thread by a guarded instruction, so that the other lanes of the warp do not part from it.
__device__ inline void end_if(bool ends) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p exit; }" ::"r"(unsigned(ends)) : "memory");
}

__global__ void fall(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, last = last_step(blockIdx.x, threadIdx.x);
  unsigned value = i;
  for (unsigned step = 0; step < kSteps; ++step) {
    if (step == last) out[i] = value;
    end_if(step == last);
    value = value * 3 + step;
    __globalSync();
    if (step % 2 != 0) __syncthreads();
  }
  out[i] = value + __popc(__activemask());
}

int main(int, char** argv) {
  const Grid grid("exits", fall, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned* const out = managed<unsigned>(n);
  fall<<<grid.blocks, kThreads>>>(out);
  check(cudaDeviceSynchronize());
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; ++i) {
    const unsigned block = i / kThreads, thread = i % kThreads, last = last_step(block, thread);
    host[i] = i;
    for (unsigned step = 0; step < last; ++step) host[i] = host[i] * 3 + step;
    for (unsigned lane = 0; last == kSteps && lane < 32; ++lane)
      host[i] += last_step(block, thread / 32 * 32 + lane) == kSteps;
  }
  return grid.compare(out, host, kSteps);
}
