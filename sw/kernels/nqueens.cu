// Counts the ways to place n queens. The host places the first rows. Each thread then searches one of these placements
// with a stack in local memory, so the warps diverge strongly. With --show 1 the device prints the first board found.
#include <cuda_runtime.h>

#include <cassert>

#include "common/program.h"

using namespace kernels;

constexpr int kMaxQueens = 14;

// A placement of the first rows.
struct Beginning {
  unsigned columns, left, right;  // attacked squares of the next row: by column and by both diagonals
};

__device__ int boards_shown = 0;

__global__ void search(const Beginning* beginnings, int number, int n, int row, bool show,
                       unsigned long long* solutions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= number) return;
  const unsigned full = (1u << n) - 1;
  unsigned columns[kMaxQueens + 1], left[kMaxQueens + 1], right[kMaxQueens + 1], free_places[kMaxQueens + 1];
  columns[row] = beginnings[i].columns;
  left[row] = beginnings[i].left;
  right[row] = beginnings[i].right;
  free_places[row] = full & ~(columns[row] | left[row] | right[row]);
  unsigned long long found = 0;
  int depth = row;
  while (depth >= row) {
    assert(depth <= n);
    if (depth == n) {
      if (found++ == 0 && show && atomicExch(&boards_shown, 1) == 0) {
        printf("beginning %d of %d: last queen in column %d\n", i, number, __ffs(columns[n] ^ columns[n - 1]) - 1);
      }
      --depth;
      continue;
    }
    const unsigned place = free_places[depth] & -free_places[depth];
    if (place == 0) {
      --depth;
      continue;
    }
    free_places[depth] ^= place;
    columns[depth + 1] = columns[depth] | place;
    left[depth + 1] = (left[depth] | place) << 1;
    right[depth + 1] = (right[depth] | place) >> 1;
    ++depth;
    free_places[depth] = full & ~(columns[depth] | left[depth] | right[depth]);
  }
  if (found > 0) atomicAdd(solutions, found);
}

// Appends all placements of the first `rows` rows to `all`.
void begin(std::vector<Beginning>& all, int n, int rows, Beginning b) {
  if (rows == 0) {
    all.push_back(b);
    return;
  }
  for (unsigned place = 1; place < 1u << n; place <<= 1) {
    if ((place & (b.columns | b.left | b.right)) != 0) continue;
    begin(all, n, rows - 1, {b.columns | place, (b.left | place) << 1, (b.right | place) >> 1});
  }
}

// Reference: tries every column of every row and tests it against the queens already placed.
unsigned long long count(std::vector<int>& queens, int n) {
  const int row = static_cast<int>(queens.size());
  if (row == n) return 1;
  unsigned long long sum = 0;
  for (int column = 0; column < n; ++column) {
    bool attacked = false;
    for (int r = 0; r < row && !attacked; ++r) {
      attacked = queens[r] == column || std::abs(queens[r] - column) == row - r;
    }
    if (attacked) continue;
    queens.push_back(column);
    sum += count(queens, n);
    queens.pop_back();
  }
  return sum;
}

int main(int argc, char** argv) {
  long n = 8, depth = 2, show = 0;
  Options options("nqueens", "counts the solutions of the n queens problem");
  options.add("n", &n, 1, kMaxQueens, "queens");
  options.add("depth", &depth, 0, 5, "rows placed by the host");
  options.add("show", &show, 0, 1, "1 prints a line for one solution");
  options.parse(argc, argv);

  std::vector<Beginning> beginnings;
  const int rows = static_cast<int>(std::min(depth, n - 1));
  begin(beginnings, static_cast<int>(n), rows, {0, 0, 0});
  const int number = static_cast<int>(beginnings.size());
  beginnings.push_back({});
  DeviceArray<Beginning> device(beginnings);
  DeviceArray<unsigned long long> solutions(1);
  solutions.fill_bytes(0);
  if (number > 0) {
    search<<<blocks_for(number, 64), 64>>>(device.get(), number, n, rows, show != 0, solutions.get());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  const unsigned long long known[] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
  std::vector<int> queens;
  Verdict verdict(options);
  verdict.equal("solutions", solutions.download()[0], n <= 10 ? count(queens, static_cast<int>(n)) : known[n]);
  verdict.equal("known", solutions.download()[0], known[n]);
  return verdict.finish();
}
