// The cheapest path down a grid, row by row, moving at most one column sideways per step. A block computes several rows
// in one launch. Its row is in shared memory and is wider than the result by one column on each side for every row
// computed. Each row has two barriers.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kFar = 1 << 29;  // cost of a square beyond the grid

template <int kThreads>
__global__ void descend(const int* price, const int* in, int* out, int columns, int rows) {
  __shared__ int row[kThreads];
  const int t = threadIdx.x, x = static_cast<int>(blockIdx.x) * (kThreads - 2 * rows) + t - rows;
  const bool inside = x >= 0 && x < columns;
  int cost = inside ? in[x] : kFar;
  for (int i = 0; i < rows; ++i) {
    row[t] = cost;
    __syncthreads();
    if (inside && t > i && t < kThreads - 1 - i) {
      cost = min(row[t], min(row[t - 1], row[t + 1])) + price[static_cast<long>(i) * columns + x];
    }
    __syncthreads();
  }
  if (inside && t >= rows && t < kThreads - rows) out[x] = cost;
}

int main(int argc, char** argv) {
  long columns = 500, rows = 21, together = 8, block = 256, seed = 1;
  Options options("pathfinder", "cheapest ways down a grid");
  options.add("columns", &columns, 1, 1 << 22, "columns");
  options.add("rows", &rows, 1, 65536, "rows");
  options.add("together", &together, 1, 100, "rows of a launch");
  options.add("block", &block, 256, 1024, "threads of a block: 256 or 1024");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the prices");
  options.parse(argc, argv);
  if (block != 256 && block != 1024) options.fail("option 'block' is 256 or 1024");

  Random random(seed);
  std::vector<int> price(columns * rows);
  for (int& value : price) value = static_cast<int>(random.range(0, 99));
  DeviceArray<int> device_price(price), front(columns), back(columns);
  CUDA_CHECK(cudaMemcpy(front.get(), price.data(), columns * sizeof(int), cudaMemcpyHostToDevice));
  int *from = front.get(), *to = back.get();
  for (long row = 1; row < rows; row += together) {
    const long now = std::min(together, rows - row);
    (block == 256 ? descend<256> : descend<1024>)<<<blocks_for(columns, block - 2 * now), block>>>(
        device_price.get() + row * columns, from, to, static_cast<int>(columns), static_cast<int>(now));
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }
  std::vector<int> got(columns);
  CUDA_CHECK(cudaMemcpy(got.data(), from, columns * sizeof(int), cudaMemcpyDeviceToHost));

  std::vector<int> cost(price.begin(), price.begin() + columns), next(columns);
  for (long row = 1; row < rows; ++row) {
    for (long x = 0; x < columns; ++x) {
      const auto first = cost.begin() + std::max(x - 1, 0l), last = cost.begin() + std::min(x + 2, columns);
      next[x] = *std::min_element(first, last) + price[row * columns + x];
    }
    cost.swap(next);
  }
  Verdict verdict(options);
  verdict.equal("costs", got, cost);
  return verdict.finish();
}
