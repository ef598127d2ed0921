// Divergent control flow: loops with different trip counts, break and continue, jumps into the middle of loops, nested
// switches with fall-through, early returns, short-circuit conditions. Each lane adds digits to a trace of its own.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int loops(int lane) {
  int trace = 0;
  for (int i = 0; i < lane; ++i) {
    if (i == 2) continue;
    if (i == 5) break;
    trace = trace * 10 + i + 1;
    for (int j = i; j < lane; j += 2) {
      if ((i + j) % 3 == 0) break;
      trace += 1;
    }
  }
  return trace;
}

__device__ int jumps(int lane) {
  int trace = 0, i = 0;
  if (lane % 2 == 1) goto inside;
  while (i < lane) {
    trace += 10;
  inside:
    trace += 1;
    ++i;
    if (trace > 40) goto out;
  }
  trace += 1000;
out:
  return trace;
}

__device__ int switches(int lane) {
  int trace = 0;
  switch (lane % 5) {
    case 0:
      trace += 1;  // falls through
    case 1:
      trace += 10;
      break;
    case 2:
      switch (lane) {
        case 2:
          return 7;
        case 7:
          trace += 500;
          break;
        default:
          trace += 600;
      }
      break;
    case 3:
      if (lane > 3 && trace == 0 && lane != 13) return -1;
      trace += 3;
  }
  return trace + 10000;
}

__global__ void run(int (*out)[3]) {
  const int lane = threadIdx.x;
  int* mine = out[lane];
  mine[0] = loops(lane);
  mine[1] = jumps(lane);
  mine[2] = switches(lane);
  // All lanes are back together here.
  const unsigned together = __ballot_sync(0xffffu, 1);
  if (lane == 0 && together != 0xffffu) mine[0] = -1;
}

int main() {
  int host[16][3];
  int(*device)[3] = nullptr;
  cudaMalloc(&device, sizeof host);
  run<<<1, 16>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 16; ++i) std::printf("%d: %d %d %d\n", i, host[i][0], host[i][1], host[i][2]);
  return 0;
}
