// Calls and recursion: between barriers, and barriers inside functions that are called by others, at a depth of calls
// that no SIMT line holds.
#include "grid.h"

constexpr int kThreads = 64, kDepth = 9;

__host__ __device__ __noinline__ unsigned tree(unsigned n, unsigned key) {
  return n < 2 ? key + n : tree(n - 1, key * 3) + tree(n - 2, key ^ n);
}

// Each call keeps an array, and a value of the word that another thread block wrote before the barrier.
__device__ __noinline__ unsigned descend(int depth, unsigned* words, unsigned* board, unsigned sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned own[4] = {sum, sum * 3, i, 0};
  board[depth * n + i] = sum + i;
  __globalSync();
  const unsigned seen = *(volatile unsigned*)(board + depth * n + (i + blockDim.x) % n);
  words[depth % 4] += seen;
  if (depth > 0) sum = descend(depth - 1, own, board, sum * 5 + seen);
  return sum + own[0] + own[1] * 7 + own[2] + words[(depth + 1) % 4] % 16;
}

__global__ void climb(unsigned* out, unsigned* board) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned words[4] = {i, 1, 2, 3};
  const unsigned early = tree(i % 6, i);
  __globalSync();
  const unsigned sum = descend(kDepth, words, board, early);
  out[i] = sum + tree(5, words[1]) + words[0];
}

// What the threads of the grid compute, depth by depth: all are at the same depth behind each barrier.
std::vector<unsigned> on_host(unsigned n) {
  struct Frame {
    unsigned own[4], sum;
  };
  std::vector<std::vector<Frame>> frames(n, std::vector<Frame>(kDepth + 2));
  std::vector<unsigned> sum(n), early(n), out(n);
  for (unsigned i = 0; i < n; ++i) {
    sum[i] = tree(i % 6, i);
    frames[i][kDepth + 1] = {{i, 1, 2, 3}, 0};
  }
  for (int depth = kDepth; depth >= 0; --depth) {
    std::vector<unsigned> board(n);
    for (unsigned i = 0; i < n; ++i) board[i] = sum[i] + i;
    for (unsigned i = 0; i < n; ++i) {
      frames[i][depth] = {{sum[i], sum[i] * 3, i, 0}, sum[i]};
      const unsigned seen = board[(i + kThreads) % n];
      frames[i][depth + 1].own[depth % 4] += seen;
      if (depth > 0) sum[i] = sum[i] * 5 + seen;
    }
  }
  for (unsigned i = 0; i < n; ++i) {
    for (int depth = 0; depth <= kDepth; ++depth) {
      const Frame& frame = frames[i][depth];
      sum[i] += frame.own[0] + frame.own[1] * 7 + frame.own[2] + frames[i][depth + 1].own[(depth + 1) % 4] % 16;
    }
    out[i] = sum[i] + tree(5, frames[i][kDepth + 1].own[1]) + frames[i][kDepth + 1].own[0];
  }
  return out;
}

int main(int, char** argv) {
  const Grid grid("calls", climb, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned *const out = managed<unsigned>(n), *const board = managed<unsigned>(n * (kDepth + 1));
  climb<<<grid.blocks, kThreads>>>(out, board);
  check(cudaDeviceSynchronize());
  return grid.compare(out, on_host(n), kDepth + 2);
}
