// Matrix transpose: direct, through a shared tile with bank conflicts, and through a padded tile without conflicts.
// Both matrices are pitched, so the copies are two-dimensional.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of threads; each thread moves kTile / kRows elements

__global__ void straight(const float* in, long in_pitch, float* out, long out_pitch, int width, int height) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int y = blockIdx.y * kTile + threadIdx.y; y < min(height, (int)(blockIdx.y + 1) * kTile); y += kRows) {
    if (x < width) out[x * out_pitch + y] = in[y * in_pitch + x];
  }
}

template <int Padding>
__global__ void tiled(const float* in, long in_pitch, float* out, long out_pitch, int width, int height) {
  __shared__ float tile[kTile][kTile + Padding];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * in_pitch + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * kTile + threadIdx.x, out_y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows) {
    if (out_x < height && out_y + j < width) {
      out[(out_y + j) * out_pitch + out_x] = tile[threadIdx.x][threadIdx.y + j];
    }
  }
}

int main(int argc, char** argv) {
  long width = 200, height = 150, seed = 1;
  Options options("transpose", "transposes a matrix of float");
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float> matrix(width * height), expected(width * height);
  for (float& x : matrix) x = static_cast<float>(random.real(-1, 1));
  for (long i = 0; i < width * height; ++i) expected[i % width * height + i / width] = matrix[i];

  float *in = nullptr, *out = nullptr;
  std::size_t in_bytes = 0, out_bytes = 0;
  CUDA_CHECK(cudaMallocPitch(&in, &in_bytes, width * sizeof(float), height));
  CUDA_CHECK(cudaMallocPitch(&out, &out_bytes, height * sizeof(float), width));
  CUDA_CHECK(cudaMemcpy2D(in, in_bytes, matrix.data(), width * sizeof(float), width * sizeof(float), height,
                          cudaMemcpyHostToDevice));
  const long in_pitch = in_bytes / sizeof(float), out_pitch = out_bytes / sizeof(float);
  const dim3 grid(blocks_for(width, kTile), blocks_for(height, kTile)), block(kTile, kRows);

  Verdict verdict(options);
  const auto check = [&](const char* what, decltype(&straight) kernel) {
    CUDA_CHECK(cudaMemset2D(out, out_bytes, 0xff, height * sizeof(float), width));
    kernel<<<grid, block>>>(in, in_pitch, out, out_pitch, width, height);
    CUDA_CHECK(cudaGetLastError());
    std::vector<float> result(width * height);
    CUDA_CHECK(cudaMemcpy2D(result.data(), height * sizeof(float), out, out_bytes, height * sizeof(float), width,
                            cudaMemcpyDeviceToHost));
    verdict.equal(what, result, expected);
  };
  check("straight", straight);
  check("conflicts", tiled<0>);
  check("padded", tiled<1>);
  verdict.holds("pitch covers a row", in_bytes >= width * sizeof(float) && out_bytes >= height * sizeof(float));
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return verdict.finish();
}
