// Tiled matrix multiply C = A B with 16x16 and 32x32 thread blocks, for any m, k and n.
// The entries are small whole numbers, so that every order of summation gives the same bits.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

template <int Tile>
__global__ void multiply(const float* a, const float* b, float* c, int m, int k, int n) {
  __shared__ float tile_a[Tile][Tile];
  __shared__ float tile_b[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += Tile) {
    const int ka = first + threadIdx.x, kb = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Tile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

template <int Tile>
std::vector<float> run(const DeviceArray<float>& a, const DeviceArray<float>& b, int m, int k, int n) {
  DeviceArray<float> c(static_cast<std::size_t>(m) * n);
  c.fill_bytes(0xff);
  const dim3 grid(blocks_for(n, Tile), blocks_for(m, Tile)), block(Tile, Tile);
  multiply<Tile><<<grid, block>>>(a.get(), b.get(), c.get(), m, k, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return c.download();
}

int main(int argc, char** argv) {
  long n = 128, m = 0, k = 0, tile = 0, seed = 1;
  Options options("matmul", "multiplies an m x k by a k x n matrix of float");
  options.add("n", &n, 1, 8192, "columns of B");
  options.add("m", &m, 0, 8192, "rows of A, 0 for n");
  options.add("k", &k, 0, 8192, "columns of A, 0 for n");
  options.add("tile", &tile, 0, 32, "16 or 32, 0 for both");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (tile != 0 && tile != 16 && tile != 32) options.fail("option 'tile' is 0, 16 or 32");
  if (m == 0) m = n;
  if (k == 0) k = n;

  Random random(seed);
  std::vector<float> a(m * k), b(k * n), expected(m * n);
  for (float& x : a) x = static_cast<float>(random.range(-8, 8));
  for (float& x : b) x = static_cast<float>(random.range(-8, 8));
  std::vector<int> row(n);
  for (long i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), 0);
    for (long l = 0; l < k; ++l) {
      const int factor = static_cast<int>(a[i * k + l]);
      for (long j = 0; j < n; ++j) row[j] += factor * static_cast<int>(b[l * n + j]);
    }
    std::copy(row.begin(), row.end(), expected.begin() + i * n);
  }

  DeviceArray<float> device_a(a), device_b(b);
  Verdict verdict(options);
  if (tile != 32) verdict.equal("16x16", run<16>(device_a, device_b, m, k, n), expected);
  if (tile != 16) verdict.equal("32x32", run<32>(device_a, device_b, m, k, n), expected);
  return verdict.finish();
}
