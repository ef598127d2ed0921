// Transpose of a float matrix by tiles of 32x32 elements and blocks of 32x8 threads. Variants: plain copy and copy
// through shared memory (upper bounds), naive transpose, and transpose through shared memory with and without bank
// conflicts. The effective bandwidth counts the bytes of the matrix once read and once written.
#include "micro.h"

using namespace kernels;

constexpr int kTile = 32, kRows = 8;

__global__ void copy(float* out, const float* in) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y, width = gridDim.x * kTile;
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * width + x] = in[(y + j) * width + x];
}

__global__ void shared_copy(float* out, const float* in) {
  __shared__ float tile[kTile * kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y, width = gridDim.x * kTile;
  for (int j = 0; j < kTile; j += kRows) tile[(threadIdx.y + j) * kTile + threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * width + x] = tile[(threadIdx.y + j) * kTile + threadIdx.x];
}

__global__ void naive(float* out, const float* in) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y, width = gridDim.x * kTile;
  for (int j = 0; j < kTile; j += kRows) out[x * width + y + j] = in[(y + j) * width + x];
}

template <int kPadding>
__global__ void tiled(float* out, const float* in) {
  __shared__ float tile[kTile][kTile + kPadding];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const int width = gridDim.x * kTile;
  for (int j = 0; j < kTile; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char** argv) {
  long n = 1024, repetitions = 1, seed = 1;
  Options options("transposes", "matrix transpose, GB/s");
  options.add("n", &n, kTile, 8192, "rows and columns, a multiple of 32");
  options.add("repetitions", &repetitions, 1, 1000, "timed runs");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (n % kTile != 0) options.fail("option 'n' wants a multiple of 32");

  Random random(seed);
  std::vector<float> matrix(n * n), turned(n * n);
  for (float& x : matrix) x = static_cast<float>(random.real(-1, 1));
  for (long i = 0; i < n * n; ++i) turned[i % n * n + i / n] = matrix[i];
  DeviceArray<float> in(matrix), out(n * n);
  const dim3 grid(static_cast<unsigned>(n / kTile), static_cast<unsigned>(n / kTile)), block(kTile, kRows);
  micro::Figures figures("transposes");
  double straight = 0;
  Verdict verdict(options);
  const auto run = [&](const char* name, decltype(&copy) kernel, const std::vector<float>& expected) {
    out.fill_bytes(0xff);
    const double us = micro::time_of([&] { kernel<<<grid, block>>>(out.get(), in.get()); }, repetitions);
    const double rate = 2.0 * sizeof(float) * n * n / (us * 1e3);
    if (straight == 0) straight = rate;
    figures.add(name, rate);
    figures.add(std::string(name) + "_share", 100 * rate / straight);  // percentage of the copy's rate
    verdict.equal(name, out.download(), expected);
  };
  run("copy", copy, matrix);
  run("shared_copy", shared_copy, matrix);
  run("naive", naive, turned);
  run("coalesced", tiled<0>, turned);
  run("conflict_free", tiled<1>, turned);
  figures.print();
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
