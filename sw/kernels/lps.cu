// Laplace's equation in three dimensions by Jacobi's method. A block walks through the layers of a column of cells. The
// current layer is in shared memory with a halo, the layers above and below are in registers. Each layer has two
// barriers. The outermost cells keep their value.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kTileX = 32, kTileY = 4;
constexpr float kSixth = 1.0f / 6.0f;

__global__ void relax(const float* in, float* out, int width, int height, int depth) {
  __shared__ float layer[kTileY + 2][kTileX + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTileX + tx, y = blockIdx.y * kTileY + ty;
  const bool inside = x < width && y < height;
  const bool on_rim = x == 0 || x == width - 1 || y == 0 || y == height - 1;
  const int to_next = width * height;
  int cell = y * width + x;
  float below = 0.0f, here = inside ? in[cell] : 0.0f;
  for (int z = 0; z < depth; ++z, cell += to_next) {
    const float above = inside && z + 1 < depth ? in[cell + to_next] : 0.0f;
    __syncthreads();  // other warps may still read the previous layer
    if (inside) {
      layer[ty + 1][tx + 1] = here;
      if (tx == 0 && x > 0) layer[ty + 1][0] = in[cell - 1];
      if (tx == kTileX - 1 && x + 1 < width) layer[ty + 1][kTileX + 1] = in[cell + 1];
      if (ty == 0 && y > 0) layer[0][tx + 1] = in[cell - width];
      if (ty == kTileY - 1 && y + 1 < height) layer[kTileY + 1][tx + 1] = in[cell + width];
    }
    __syncthreads();
    if (inside) {
      float value = here;
      if (!on_rim && z > 0 && z + 1 < depth) {
        value = layer[ty + 1][tx] + layer[ty + 1][tx + 2];
        value += layer[ty][tx + 1];
        value += layer[ty + 2][tx + 1];
        value += below;
        value += above;
        value *= kSixth;
      }
      out[cell] = value;
    }
    below = here;
    here = above;
  }
}

int main(int argc, char** argv) {
  long width = 64, height = 48, depth = 12, steps = 2, seed = 1;
  Options options("lps", "Jacobi steps for Laplace's equation in three dimensions");
  options.add("width", &width, 1, 512, "cells in x");
  options.add("height", &height, 1, 512, "cells in y");
  options.add("depth", &depth, 1, 512, "cells in z");
  options.add("steps", &steps, 1, 10000, "steps");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the first values");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float> field(width * height * depth);
  for (float& value : field) value = static_cast<float>(random.real(-100, 100));
  DeviceArray<float> front(field), back(field.size());
  float *from = front.get(), *to = back.get();
  const dim3 grid(blocks_for(width, kTileX), blocks_for(height, kTileY)), block(kTileX, kTileY);
  for (long i = 0; i < steps; ++i) {
    relax<<<grid, block>>>(from, to, static_cast<int>(width), static_cast<int>(height), static_cast<int>(depth));
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }

  // The reference adds the six neighbours, given by their offsets in memory, in the same order as the kernel.
  std::vector<float> next(field);
  const long neighbours[6] = {-1, 1, -width, width, -width * height, width * height};
  for (long i = 0; i < steps; ++i) {
    for (long z = 1; z < depth - 1; ++z) {
      for (long y = 1; y < height - 1; ++y) {
        for (long x = 1; x < width - 1; ++x) {
          const long cell = (z * height + y) * width + x;
          float sum = field[cell + neighbours[0]];
          for (int k = 1; k < 6; ++k) sum += field[cell + neighbours[k]];
          next[cell] = sum * kSixth;
        }
      }
    }
    field.swap(next);
  }
  Verdict verdict(options);
  verdict.equal("cells", (steps % 2 == 0 ? front : back).download(), field);
  return verdict.finish();
}
