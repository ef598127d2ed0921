// LU decomposition with partial pivoting, in place, double precision, one column at a time:
// pivot search by a block, row exchange, scaling, rank-1 update.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kBlock = 128;

// Finds the row >= k with the largest |a[row][k]|; in a tie, the first one.
__global__ void find_pivot(const double* a, int n, int k, int* pivot) {
  __shared__ double size[kBlock];
  __shared__ int at[kBlock];
  double largest = -1;
  int where = k;
  for (int row = k + threadIdx.x; row < n; row += kBlock) {
    const double candidate = fabs(a[row * n + k]);
    if (candidate > largest) {
      largest = candidate;
      where = row;
    }
  }
  size[threadIdx.x] = largest;
  at[threadIdx.x] = where;
  for (int half = kBlock / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const int other = threadIdx.x + half;
    if (size[other] > size[threadIdx.x] || (size[other] == size[threadIdx.x] && at[other] < at[threadIdx.x])) {
      size[threadIdx.x] = size[other];
      at[threadIdx.x] = at[other];
    }
  }
  if (threadIdx.x == 0) pivot[k] = at[0];
}

__global__ void exchange_rows(double* a, int n, int k, const int* pivot) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, other = pivot[k];
  if (column >= n || other == k) return;
  const double t = a[k * n + column];
  a[k * n + column] = a[other * n + column];
  a[other * n + column] = t;
}

__global__ void scale(double* a, int n, int k) {
  const int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) a[row * n + k] /= a[k * n + k];
}

__global__ void update(double* a, int n, int k) {
  const int column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) a[row * n + column] -= a[row * n + k] * a[k * n + column];
}

int main(int argc, char** argv) {
  long n = 60, seed = 1;
  Options options("lu", "LU decomposition with partial pivoting");
  options.add("n", &n, 1, 2048, "rows and columns");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<double> matrix(n * n);
  for (double& x : matrix) x = random.real(-1, 1);
  DeviceArray<double> device(matrix);
  DeviceArray<int> pivot(n);
  for (long k = 0; k < n; ++k) {
    find_pivot<<<1, kBlock>>>(device.get(), n, k, pivot.get());
    exchange_rows<<<blocks_for(n, kBlock), kBlock>>>(device.get(), n, k, pivot.get());
    if (k + 1 == n) break;
    scale<<<blocks_for(n - k - 1, kBlock), kBlock>>>(device.get(), n, k);
    update<<<dim3(blocks_for(n - k - 1, 32), blocks_for(n - k - 1, 8)), dim3(32, 8)>>>(device.get(), n, k);
  }
  CUDA_CHECK(cudaGetLastError());

  // The product L U must equal the matrix with exchanged rows, and no entry of L may exceed 1.
  const std::vector<double> lu = device.download();
  const std::vector<int> pivots = pivot.download();
  std::vector<double> product(n * n), exchanged = matrix;
  bool small = true;
  for (long k = 0; k < n; ++k) {
    const bool good = pivots[k] >= k && pivots[k] < n;
    small = small && good;
    if (!good) break;
    if (pivots[k] == k) continue;
    std::swap_ranges(exchanged.begin() + k * n, exchanged.begin() + (k + 1) * n, exchanged.begin() + pivots[k] * n);
  }
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      for (long k = 0; k <= std::min(i, j); ++k) product[i * n + j] += (k == i ? 1.0 : lu[i * n + k]) * lu[k * n + j];
      if (j < i) small = small && std::fabs(lu[i * n + j]) <= 1.0;
    }
  }
  Verdict verdict(options);
  verdict.holds("|L| <= 1", small);
  verdict.close("L U", product, exchanged, 0, 4e-15 * static_cast<double>(n));
  return verdict.finish();
}
