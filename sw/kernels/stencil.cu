// Nine-point stencil over a 2D field, several steps: weights in constant memory, a shared tile with its halo, two
// buffers used alternately. Edges repeat the outermost value. Every step is a chain of fused multiply-adds in a fixed
// order.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kTile = 16;

__constant__ float weight[9];

__global__ void step(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int left = blockIdx.x * kTile - 1, top = blockIdx.y * kTile - 1;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    const int x = min(max(left + i % (kTile + 2), 0), width - 1);
    const int y = min(max(top + i / (kTile + 2), 0), height - 1);
    tile[i / (kTile + 2)][i % (kTile + 2)] = in[y * width + x];
  }
  __syncthreads();
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 3; ++dx) {
      sum = __fmaf_rn(weight[dy * 3 + dx], tile[threadIdx.y + dy][threadIdx.x + dx], sum);
    }
  }
  out[y * width + x] = sum;
}

int main(int argc, char** argv) {
  long width = 100, height = 70, steps = 4, seed = 1;
  Options options("stencil", "nine-point stencil over a 2D field of float");
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("steps", &steps, 1, 10000, "steps in time");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  const float weights[9] = {0.05f, 0.1f, 0.05f, 0.1f, 0.4f, 0.1f, 0.05f, 0.1f, 0.05f};
  CUDA_CHECK(cudaMemcpyToSymbol(weight, weights, sizeof weights));

  Random random(seed);
  std::vector<float> field(width * height);
  for (float& x : field) x = static_cast<float>(random.real(0, 100));
  DeviceArray<float> front(field), back(field.size());
  float *from = front.get(), *to = back.get();
  const dim3 grid(blocks_for(width, kTile), blocks_for(height, kTile)), block(kTile, kTile);
  for (long i = 0; i < steps; ++i) {
    step<<<grid, block>>>(from, to, width, height);
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }

  std::vector<float> next(field.size());
  for (long i = 0; i < steps; ++i) {
    for (long y = 0; y < height; ++y) {
      for (long x = 0; x < width; ++x) {
        float sum = 0.0f;
        for (long tap = 0; tap < 9; ++tap) {
          const long nx = std::min(std::max(x + tap % 3 - 1, 0l), width - 1);
          const long ny = std::min(std::max(y + tap / 3 - 1, 0l), height - 1);
          sum = std::fma(weights[tap], field[ny * width + nx], sum);
        }
        next[y * width + x] = sum;
      }
    }
    field.swap(next);
  }
  Verdict verdict(options);
  verdict.equal("field", (steps % 2 == 0 ? front : back).download(), field);
  return verdict.finish();
}
