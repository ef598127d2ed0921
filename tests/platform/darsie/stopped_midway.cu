// Kernels that are stopped midway: thread block 0 writes to an illegal address after a while. The others then compute,
// wait at barriers or for each other at branches, and a second kernel runs beside them when the device is reset. After
// each stop the same kernel runs to its end. In another kernel all warps but one exit on the way to a barrier, so that the
// last of these exits completes it.
#include <cuda_runtime.h>

#include <cstdio>
#include <iterator>
#include <vector>

constexpr int kBlocks = 6, kWidth = 16, kHeight = 16, kThreads = kWidth * kHeight, kRounds = 3, kWords = 64;
// So much shared memory that few thread blocks fit on an SM: their registers leave rows for the block darsie.
constexpr int kTile = 6000;
// Iterations until the write: with these each of the reasons to hold a warp meets a stop.
constexpr int kDelays[] = {0, 3, 7};

__host__ __device__ int mixed(const int* in, int sum, int x, int number, int round) {
  for (int i = 0; i < 4; ++i) {
    sum = sum * 5 + in[(x + i + round) & (kWords - 1)] * in[(i + round) & (kWords - 1)] + number;
  }
  return sum;
}

// `delay` < 0: nothing illegal is written.
__global__ void work(const int* in, int* out, int rounds, int delay) {
  __shared__ int tile[kTile];
  const int x = threadIdx.x, y = threadIdx.y, number = y * kWidth + x;
  int sum = 0;
  if (blockIdx.x == 0 && delay >= 0) {
    for (int i = 0; i < delay; ++i) sum = mixed(in, sum, x, number, i);
    out[(1l << 32) + sum] = 1;
    return;
  }
  for (int round = 0; round < rounds; ++round) {
    sum = mixed(in, sum, x, number, round);
    tile[number] = sum;
    __syncthreads();
    sum += tile[x];
    // Every second warp goes another way.
    if (y / 2 % 2 == round % 2) {
      for (int i = 0; i < 2; ++i) sum = sum * 3 + in[x + i];
    }
    __syncthreads();
  }
  out[blockIdx.x * kThreads + number] = sum;
}

// The last warp waits at the barrier.
__global__ void leave_before_barrier(const int* in, int* out) {
  __shared__ int tile[kTile];
  const int number = threadIdx.y * kWidth + threadIdx.x;
  tile[number] = in[number % kWords];
  if (number < kThreads - 32) return;
  __syncthreads();
  out[number] = tile[number ^ 1];
}

bool barriers_complete(const int* in, int* out, const std::vector<int>& values) {
  leave_before_barrier<<<kBlocks, dim3(kWidth, kHeight)>>>(in, out);
  std::vector<int> found(kThreads);
  bool good = cudaMemcpy(found.data(), out, kThreads * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
  for (int i = kThreads - 32; i < kThreads; ++i) good = good && found[i] == values[(i ^ 1) % kWords];
  return good;
}

std::vector<int> expected(const std::vector<int>& in) {
  std::vector<int> sums(kThreads), tile(kThreads);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kThreads; ++i) tile[i] = sums[i] = mixed(in.data(), sums[i], i % kWidth, i, round);
    for (int i = 0; i < kThreads; ++i) {
      const int x = i % kWidth, y = i / kWidth;
      sums[i] += tile[x];
      if (y / 2 % 2 == round % 2) {
        for (int k = 0; k < 2; ++k) sums[i] = sums[i] * 3 + in[x + k];
      }
    }
  }
  return sums;
}

int main() {
  std::vector<int> in(kWords), out(kBlocks * kThreads);
  for (int i = 0; i < kWords; ++i) in[i] = i * i % 97;
  const std::vector<int> sums = expected(in);
  const dim3 block(kWidth, kHeight);
  bool good = true;
  for (const int delay : kDelays) {
    int *device_in = nullptr, *device_out = nullptr, *beside = nullptr;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&device_in, in.size() * sizeof(int));
    cudaMalloc(&device_out, out.size() * sizeof(int));
    cudaMalloc(&beside, out.size() * sizeof(int));
    cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    work<<<1, block, 0, stream>>>(device_in, beside, 1000, -1);
    work<<<kBlocks, block>>>(device_in, device_out, 1000, delay);
    good &= cudaDeviceSynchronize() == cudaErrorIllegalAddress;
    cudaDeviceReset();
    cudaMalloc(&device_in, in.size() * sizeof(int));
    cudaMalloc(&device_out, out.size() * sizeof(int));
    cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    work<<<kBlocks, block>>>(device_in, device_out, kRounds, -1);
    good &= cudaMemcpy(out.data(), device_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (std::size_t i = 0; i < out.size(); ++i) good &= out[i] == sums[i % kThreads];
    good &= barriers_complete(device_in, device_out, in);
  }
  std::printf("%s %zu stops\n", good ? "PASS" : "FAIL", std::size(kDelays));
  return good ? 0 : 1;
}
