// Separable convolution, rows then columns, with the radius as a template parameter and the filter taps in constant
// memory. Pixels outside the image are zero. Taps and pixels are integers, so the float sums are exact.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMaxRadius = 8;
constexpr int kWide = 64, kHigh = 4;

__constant__ float taps[2 * kMaxRadius + 1];

template <int Radius>
__global__ void rows(const float* in, float* out, int width, int height) {
  __shared__ float line[kHigh][kWide + 2 * Radius];
  const int y = blockIdx.y * kHigh + threadIdx.y;
  for (int i = threadIdx.x; i < kWide + 2 * Radius; i += kWide) {
    const int x = static_cast<int>(blockIdx.x) * kWide + i - Radius;
    line[threadIdx.y][i] = y < height && x >= 0 && x < width ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int x = blockIdx.x * kWide + threadIdx.x;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * Radius; ++i) sum += taps[i] * line[threadIdx.y][threadIdx.x + i];
  out[y * width + x] = sum;
}

template <int Radius>
__global__ void columns(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * kWide + threadIdx.x, y = blockIdx.y * kHigh + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int i = -Radius; i <= Radius; ++i) {
    if (y + i >= 0 && y + i < height) sum += taps[i + Radius] * __ldg(&in[(y + i) * width + x]);
  }
  out[y * width + x] = sum;
}

template <int Radius>
void convolve(const float* in, float* between, float* out, int width, int height) {
  const dim3 block(kWide, kHigh), grid(blocks_for(width, kWide), blocks_for(height, kHigh));
  rows<Radius><<<grid, block>>>(in, between, width, height);
  columns<Radius><<<grid, block>>>(between, out, width, height);
}

int main(int argc, char** argv) {
  long width = 130, height = 61, radius = 3, seed = 1;
  Options options("convolution", "separable convolution of an image");
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("radius", &radius, 1, kMaxRadius, "radius: 1, 2, 3, 5 or 8");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float> image(width * height), expected(image.size()), host_taps(2 * radius + 1);
  for (float& pixel : image) pixel = static_cast<float>(random.range(0, 255));
  for (float& tap : host_taps) tap = static_cast<float>(random.range(-6, 9));
  CUDA_CHECK(cudaMemcpyToSymbol(taps, host_taps.data(), host_taps.size() * sizeof(float)));

  DeviceArray<float> in(image), between(image.size()), out(image.size());
  switch (radius) {
    case 1:
      convolve<1>(in.get(), between.get(), out.get(), width, height);
      break;
    case 2:
      convolve<2>(in.get(), between.get(), out.get(), width, height);
      break;
    case 3:
      convolve<3>(in.get(), between.get(), out.get(), width, height);
      break;
    case 5:
      convolve<5>(in.get(), between.get(), out.get(), width, height);
      break;
    case 8:
      convolve<8>(in.get(), between.get(), out.get(), width, height);
      break;
    default:
      options.fail("option 'radius' is 1, 2, 3, 5 or 8");
  }
  CUDA_CHECK(cudaGetLastError());

  // The reference computes the full two-dimensional sum in integers.
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      long sum = 0;
      for (long dy = std::max(-radius, -y); dy <= std::min(radius, height - 1 - y); ++dy) {
        for (long dx = std::max(-radius, -x); dx <= std::min(radius, width - 1 - x); ++dx) {
          sum += static_cast<long>(host_taps[dy + radius] * host_taps[dx + radius] * image[(y + dy) * width + x + dx]);
        }
      }
      expected[y * width + x] = static_cast<float>(sum);
    }
  }
  Verdict verdict(options);
  verdict.equal("pixels", out.download(), expected);
  return verdict.finish();
}
