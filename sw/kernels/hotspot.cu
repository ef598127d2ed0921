// Temperature of a chip from the power of its parts. A block computes several time steps in one launch. It loads a tile
// that is wider than its result by one cell on each side for every step. Each step invalidates the outermost ring of
// cells, so warps at the border skip work and reach the barriers early. Each step has two barriers. Edges repeat the
// outermost value.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kTile = 16;
// Fractions of heat that flow in one step to the neighbours in x (kAcross), in y (kDown) and to the air (kAir); heat
// per unit of power (kHeat).
constexpr float kAcross = 0.2f, kDown = 0.15f, kAir = 0.05f, kHeat = 0.5f, kAmbient = 80.0f;

__global__ void warm(const float* in, const float* power, float* out, int width, int height, int steps) {
  __shared__ float tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, gain = kTile - 2 * steps;
  const int x = static_cast<int>(blockIdx.x) * gain + tx - steps, y = static_cast<int>(blockIdx.y) * gain + ty - steps;
  const bool inside = x >= 0 && x < width && y >= 0 && y < height;
  float value = inside ? in[y * width + x] : 0.0f;
  const float source = inside ? power[y * width + x] : 0.0f;
  const int left = x > 0 ? tx - 1 : tx, right = x < width - 1 ? tx + 1 : tx;
  const int above = y > 0 ? ty - 1 : ty, below = y < height - 1 ? ty + 1 : ty;
  for (int i = 0; i < steps; ++i) {
    tile[ty][tx] = value;
    __syncthreads();
    if (inside && tx > i && tx < kTile - 1 - i && ty > i && ty < kTile - 1 - i) {
      const float twice = 2.0f * value;
      const float across = __fsub_rn(__fadd_rn(tile[ty][left], tile[ty][right]), twice);
      const float down = __fsub_rn(__fadd_rn(tile[above][tx], tile[below][tx]), twice);
      const float to_air = __fsub_rn(kAmbient, value);
      value =
          __fmaf_rn(kHeat, source, __fmaf_rn(kAir, to_air, __fmaf_rn(kDown, down, __fmaf_rn(kAcross, across, value))));
    }
    __syncthreads();
  }
  if (inside && tx >= steps && tx < kTile - steps && ty >= steps && ty < kTile - steps) out[y * width + x] = value;
}

int main(int argc, char** argv) {
  long width = 60, height = 50, steps = 5, together = 2, seed = 1;
  Options options("hotspot", "temperature of a chip, step by step");
  options.add("width", &width, 1, 4096, "cells in x");
  options.add("height", &height, 1, 4096, "cells in y");
  options.add("steps", &steps, 1, 10000, "steps in time");
  options.add("together", &together, 1, 7, "steps of a launch");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float> field(width * height), power(field.size());
  for (float& value : field) value = static_cast<float>(random.real(60, 100));
  for (float& value : power) value = static_cast<float>(random.real(0, 10));
  DeviceArray<float> front(field), back(field.size()), device_power(power);
  float *from = front.get(), *to = back.get();
  for (long i = 0; i < steps; i += together) {
    const long now = std::min(together, steps - i), gain = kTile - 2 * now;
    warm<<<dim3(blocks_for(width, gain), blocks_for(height, gain)), dim3(kTile, kTile)>>>(
        from, device_power.get(), to, static_cast<int>(width), static_cast<int>(height), static_cast<int>(now));
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }
  std::vector<float> got(field.size());
  CUDA_CHECK(cudaMemcpy(got.data(), from, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

  std::vector<float> next(field.size());
  for (long i = 0; i < steps; ++i) {
    for (long y = 0; y < height; ++y) {
      for (long x = 0; x < width; ++x) {
        const float here = field[y * width + x];
        const float left = field[y * width + std::max(x - 1, 0l)],
                    right = field[y * width + std::min(x + 1, width - 1)];
        const float above = field[std::max(y - 1, 0l) * width + x],
                    below = field[std::min(y + 1, height - 1) * width + x];
        float value = std::fma(kAcross, left + right - 2.0f * here, here);
        value = std::fma(kDown, above + below - 2.0f * here, value);
        value = std::fma(kAir, kAmbient - here, value);
        next[y * width + x] = std::fma(kHeat, power[y * width + x], value);
      }
    }
    field.swap(next);
  }
  Verdict verdict(options);
  verdict.equal("temperatures", got, field);
  return verdict.finish();
}
