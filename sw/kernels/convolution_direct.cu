// Separable convolution without shared memory: every tap reads its pixel through the read-only cache (__ldg), where
// comparable programs use a texture. A border that repeats the outermost pixels replaces the texture's clamping. Taps
// and pixels are integers, so the float sums are exact.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMaxRadius = 8;

__constant__ float taps[2 * kMaxRadius + 1];

// `stride`: distance between taps in memory, 1 for rows and the pitch for columns. x and y are coordinates of the image
// without its border.
__global__ void filter(const float* in, int in_pitch, float* out, int out_pitch, int width, int height, int radius,
                       int stride) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* const first = in + y * in_pitch + x - radius * stride;
  float sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += taps[k] * __ldg(&first[k * stride]);
  out[y * out_pitch + x] = sum;
}

int main(int argc, char** argv) {
  long width = 100, height = 30, radius = 3, block_x = 16, block_y = 16, seed = 1;
  Options options("convolution_direct", "separable convolution of an image, each tap read by itself");
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("radius", &radius, 0, kMaxRadius, "taps on each side");
  options.add("block_x", &block_x, 1, 1024, "threads of a block in x");
  options.add("block_y", &block_y, 1, 1024, "threads of a block in y");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (block_x * block_y > 1024) options.fail("a block has at most 1024 threads");

  Random random(seed);
  std::vector<int> plain(width * height);
  std::vector<float> host_taps(2 * radius + 1);
  for (int& pixel : plain) pixel = static_cast<int>(random.range(0, 255));
  for (float& tap : host_taps) tap = static_cast<float>(random.range(-6, 9));
  CUDA_CHECK(cudaMemcpyToSymbol(taps, host_taps.data(), host_taps.size() * sizeof(float)));
  const auto at = [&](long x, long y) {
    return plain[std::min(std::max(y, 0L), height - 1) * width + std::min(std::max(x, 0L), width - 1)];
  };
  const long pitch = width + 2 * radius, rows = height + 2 * radius;
  std::vector<float> image(pitch * rows);
  for (long y = 0; y < rows; ++y) {
    for (long x = 0; x < pitch; ++x) image[y * pitch + x] = static_cast<float>(at(x - radius, y - radius));
  }

  // The first pass filters along rows, including the border above and below; the second pass filters along columns.
  DeviceArray<float> in(image), between(width * rows), out(plain.size());
  const dim3 block(block_x, block_y);
  const int w = static_cast<int>(width), h = static_cast<int>(height), r = static_cast<int>(radius);
  filter<<<dim3(blocks_for(width, block_x), blocks_for(rows, block_y)), block>>>(
      in.get() + radius, static_cast<int>(pitch), between.get(), w, w, static_cast<int>(rows), r, 1);
  filter<<<dim3(blocks_for(width, block_x), blocks_for(height, block_y)), block>>>(between.get() + width * radius, w,
                                                                                   out.get(), w, w, h, r, w);
  CUDA_CHECK(cudaGetLastError());

  // The reference computes the full two-dimensional sum in integers.
  std::vector<float> expected;
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      long sum = 0;
      for (long dy = -radius; dy <= radius; ++dy) {
        for (long dx = -radius; dx <= radius; ++dx) {
          sum += static_cast<long>(host_taps[dy + radius] * host_taps[dx + radius]) * at(x + dx, y + dy);
        }
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  Verdict verdict(options);
  verdict.equal("pixels", out.download(), expected);
  return verdict.finish();
}
