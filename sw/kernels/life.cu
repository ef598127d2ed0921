// Conway's game of life on a torus, one byte per cell. __syncthreads_count counts the living cells of a block. The
// population of every generation is kept in a __device__ array, which the host accesses by symbol.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMaxGenerations = 1024;

__device__ unsigned population[kMaxGenerations];

__global__ void generation(const unsigned char* __restrict__ cells, unsigned char* __restrict__ next, int width,
                           int height, int number) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inside = x < width && y < height;
  bool alive = false;
  if (inside) {
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dx == 0 && dy == 0) continue;
        neighbours += cells[(y + dy + height) % height * width + (x + dx + width) % width];
      }
    }
    switch (neighbours) {
      case 2:
        alive = cells[y * width + x] != 0;
        break;
      case 3:
        alive = true;
        break;
      default:
        alive = false;
    }
    next[y * width + x] = alive;
  }
  const int living = __syncthreads_count(alive);
  if (threadIdx.x == 0 && threadIdx.y == 0 && living > 0) atomicAdd(&population[number], living);
}

int main(int argc, char** argv) {
  long width = 75, height = 50, generations = 10, density = 30, seed = 1;
  Options options("life", "Conway's game of life on a torus");
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("generations", &generations, 1, kMaxGenerations, "generations");
  options.add("density", &density, 0, 100, "percentage of living cells at the start");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned char> cells(width * height);
  for (unsigned char& cell : cells) cell = random.range(0, 99) < density;
  DeviceArray<unsigned char> front(cells), back(cells.size());
  unsigned char *from = front.get(), *to = back.get();
  void* counters = nullptr;
  std::size_t counters_bytes = 0;
  CUDA_CHECK(cudaGetSymbolAddress(&counters, population));
  CUDA_CHECK(cudaGetSymbolSize(&counters_bytes, population));
  CUDA_CHECK(cudaMemset(counters, 0, counters_bytes));
  const dim3 block(32, 4), grid(blocks_for(width, 32), blocks_for(height, 4));
  for (long i = 0; i < generations; ++i) {
    generation<<<grid, block>>>(from, to, width, height, i);
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }
  std::vector<unsigned> counted(generations), expected_count(generations);
  CUDA_CHECK(cudaMemcpyFromSymbol(counted.data(), population, generations * sizeof(unsigned)));

  // The reference scatters: every living cell adds one to its eight neighbours.
  for (long i = 0; i < generations; ++i) {
    std::vector<int> neighbours(cells.size());
    for (long y = 0; y < height; ++y) {
      for (long x = 0; x < width; ++x) {
        if (!cells[y * width + x]) continue;
        const long rows[3] = {(y + height - 1) % height, y, (y + 1) % height};
        const long columns[3] = {(x + width - 1) % width, x, (x + 1) % width};
        for (int k = 0; k < 9; ++k) {
          if (k != 4) ++neighbours[rows[k / 3] * width + columns[k % 3]];
        }
      }
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      cells[c] = neighbours[c] == 3 || (cells[c] && neighbours[c] == 2);
      expected_count[i] += cells[c];
    }
  }
  Verdict verdict(options);
  verdict.equal("symbol bytes", counters_bytes, sizeof(unsigned) * kMaxGenerations);
  verdict.equal("cells", (generations % 2 == 0 ? front : back).download(), cells);
  verdict.equal("populations", counted, expected_count);
  return verdict.finish();
}
