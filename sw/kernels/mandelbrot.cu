// Iterations of z -> z^2 + c until |z| > 2 over a part of the complex plane: the loop count differs between the lanes
// of a warp. Intrinsics that the compiler never fuses make the counts equal on every machine.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void iterate(unsigned short* count, int width, int height, float left, float top, float pixel, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = __fadd_rn(left, __fmul_rn(static_cast<float>(x), pixel));
  const float cy = __fsub_rn(top, __fmul_rn(static_cast<float>(y), pixel));
  float zx = 0, zy = 0;
  int i = 0;
  while (i < limit) {
    const float xx = __fmul_rn(zx, zx), yy = __fmul_rn(zy, zy);
    if (__fadd_rn(xx, yy) > 4.0f) break;
    zy = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, zx), zy), cy);
    zx = __fadd_rn(__fsub_rn(xx, yy), cx);
    ++i;
  }
  count[y * width + x] = static_cast<unsigned short>(i);
}

int main(int argc, char** argv) {
  long width = 96, height = 64, limit = 200, block_x = 16, block_y = 8;
  Options options("mandelbrot", "escape times of the Mandelbrot set");
  options.add("width", &width, 1, 4096, "columns");
  options.add("height", &height, 1, 4096, "rows");
  options.add("limit", &limit, 1, 65535, "most iterations");
  options.add("block_x", &block_x, 1, 32, "columns of a block");
  options.add("block_y", &block_y, 1, 32, "rows of a block");
  options.parse(argc, argv);

  const float left = -2.0f, top = 1.125f, pixel = 3.0f / static_cast<float>(width);
  DeviceArray<unsigned short> count(width * height);
  const dim3 block(block_x, block_y), grid(blocks_for(width, block_x), blocks_for(height, block_y));
  iterate<<<grid, block>>>(count.get(), width, height, left, top, pixel, limit);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned short> expected(width * height);
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      const float dx = static_cast<float>(x) * pixel, dy = static_cast<float>(y) * pixel;
      const float cx = left + dx, cy = top - dy;
      float zx = 0, zy = 0;
      long i = 0;
      for (; i < limit; ++i) {
        const float xx = zx * zx, yy = zy * zy;
        if (xx + yy > 4.0f) break;
        const float product = 2.0f * zx * zy, difference = xx - yy;
        zy = product + cy;
        zx = difference + cx;
      }
      expected[y * width + x] = static_cast<unsigned short>(i);
    }
  }
  Verdict verdict(options);
  verdict.equal("counts", count.download(), expected);
  return verdict.finish();
}
