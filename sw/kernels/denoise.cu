// Non-local means: every pixel becomes the mean of the pixels around it, weighted by the similarity of the two pixels'
// neighbourhoods. The image is read through the read-only cache (__ldg), where comparable programs use a texture. A
// border that repeats the outermost pixels replaces the texture's clamping.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

struct Weights {
  float noise, distance;  // decay of a weight with pixel difference and with distance
};

__global__ void denoise(const float* image, int pitch, float* out, int width, int height, int window, int patch,
                        Weights weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* const here = image + (y + window + patch) * pitch + x + window + patch;
  float sum = 0, all = 0;
  for (int i = -window; i <= window; ++i) {
    for (int j = -window; j <= window; ++j) {
      float difference = 0;
      for (int v = -patch; v <= patch; ++v) {
        for (int u = -patch; u <= patch; ++u) {
          const float d = __ldg(&here[(i + v) * pitch + j + u]) - __ldg(&here[v * pitch + u]);
          difference += d * d;
        }
      }
      const float away = static_cast<float>(i * i + j * j);
      const float weight = __expf(-(difference * weights.noise + away * weights.distance));
      all += weight;
      sum += weight * __ldg(&here[i * pitch + j]);
    }
  }
  out[y * width + x] = sum / all;
}

int main(int argc, char** argv) {
  long width = 50, height = 20, window = 2, patch = 1, block_x = 16, block_y = 16, seed = 1;
  Options options("denoise", "picture without noise, by non-local means");
  options.add("width", &width, 1, 4096, "columns");
  options.add("height", &height, 1, 4096, "rows");
  options.add("window", &window, 0, 10, "pixels around that count, on each side");
  options.add("patch", &patch, 0, 5, "pixels that are compared, on each side");
  options.add("block_x", &block_x, 1, 1024, "threads of a block in x");
  options.add("block_y", &block_y, 1, 1024, "threads of a block in y");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the picture");
  options.parse(argc, argv);
  if (block_x * block_y > 1024) options.fail("a block has at most 1024 threads");

  const long rim = window + patch, pitch = width + 2 * rim;
  Random random(seed);
  std::vector<float> plain(width * height), image(pitch * (height + 2 * rim));
  for (long i = 0; i < width * height; ++i) {
    plain[i] = static_cast<float>((i % width * 3 / width == 1 ? 0.75 : 0.25) + random.real(-0.125, 0.125));
  }
  const auto at = [&](long x, long y) {
    return plain[std::min(std::max(y, 0L), height - 1) * width + std::min(std::max(x, 0L), width - 1)];
  };
  for (long y = 0; y < height + 2 * rim; ++y) {
    for (long x = 0; x < pitch; ++x) image[y * pitch + x] = at(x - rim, y - rim);
  }
  const float patch_size = static_cast<float>((2 * patch + 1) * (2 * patch + 1));
  const Weights weights = {20.0f / patch_size, 0.05f};
  DeviceArray<float> device(image), out(plain.size());
  const dim3 block(block_x, block_y), grid(blocks_for(width, block_x), blocks_for(height, block_y));
  denoise<<<grid, block>>>(device.get(), static_cast<int>(pitch), out.get(), static_cast<int>(width),
                           static_cast<int>(height), static_cast<int>(window), static_cast<int>(patch), weights);
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> expected;
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      double sum = 0, all = 0;
      for (long i = -window; i <= window; ++i) {
        for (long j = -window; j <= window; ++j) {
          double difference = 0;
          for (long v = -patch; v <= patch; ++v) {
            for (long u = -patch; u <= patch; ++u) {
              difference += std::pow(static_cast<double>(at(x + j + u, y + i + v)) - at(x + u, y + v), 2);
            }
          }
          const double weight = std::exp(-(difference * weights.noise + (i * i + j * j) * weights.distance));
          all += weight;
          sum += weight * at(x + j, y + i);
        }
      }
      expected.push_back(sum / all);
    }
  }
  Verdict verdict(options);
  verdict.close("pixels", out.download(), expected, 1e-4, 1e-5);
  return verdict.finish();
}
