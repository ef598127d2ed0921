// Speckle-reducing anisotropic diffusion of an image. Each step computes mean and variance of all pixels (a reduction
// in every block, in integers, so the order does not matter), then the diffusion strength of each pixel, then the
// diffusion. Two variants: tiles with halos in shared memory, or one-dimensional blocks that read the neighbours from
// global memory. Edges repeat the outermost value.
#include <cuda_runtime.h>

#include "common/exact.h"
#include "common/program.h"

using namespace kernels;

constexpr int kTile = 16, kThreads = 256, kLine = 512;
constexpr float kUnits = 1024.0f;  // units of a pixel value in the integer sums
constexpr float kRate = 0.125f;    // rate of a step: a fourth of the usual lambda, 0.5

typedef unsigned long long Sum;

template <int threads>
__global__ void statistics(const float* image, int n, Sum* sums) {
  __shared__ Sum sum[threads], squares[threads];
  const int t = threadIdx.x;
  Sum mine = 0, mine_squared = 0;
  for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads) {
    const unsigned value = static_cast<unsigned>(image[i] * kUnits);
    mine += value;
    mine_squared += static_cast<Sum>(value) * value;
  }
  sum[t] = mine;
  squares[t] = mine_squared;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      sum[t] += sum[t + half];
      squares[t] += squares[t + half];
    }
  }
  if (t == 0) {
    atomicAdd(&sums[0], sum[0]);
    atomicAdd(&sums[1], squares[0]);
  }
}

// Returns the diffusion strength of a pixel: 1 in speckle, less at an edge of the image's content.
__host__ __device__ inline float strength(float here, float above, float below, float left, float right,
                                          float speckle) {
  const float north = exact_sub(above, here), south = exact_sub(below, here);
  const float west = exact_sub(left, here), east = exact_sub(right, here);
  const float squares = exact_add(exact_add(exact_mul(north, north), exact_mul(south, south)),
                                  exact_add(exact_mul(west, west), exact_mul(east, east)));
  const float gradient = exact_div(squares, exact_mul(here, here));
  const float laplace = exact_div(exact_add(exact_add(north, south), exact_add(west, east)), here);
  const float top = exact_sub(exact_mul(0.5f, gradient), exact_mul(0.0625f, exact_mul(laplace, laplace)));
  const float root = exact_add(1.0f, exact_mul(0.25f, laplace));
  const float local = exact_div(top, exact_mul(root, root));
  const float excess = exact_div(exact_sub(local, speckle), exact_mul(speckle, exact_add(1.0f, speckle)));
  const float result = exact_div(1.0f, exact_add(1.0f, excess));
  return result < 0.0f ? 0.0f : result > 1.0f ? 1.0f : result;
}

// Loads the tile of the block, `side` x `side` cells with the first at (left, top).
template <int side>
__device__ void load(float (&tile)[side][side], const float* from, int left, int top, int width, int height) {
  for (int i = threadIdx.y * kTile + threadIdx.x; i < side * side; i += kTile * kTile) {
    const int x = min(max(left + i % side, 0), width - 1), y = min(max(top + i / side, 0), height - 1);
    tile[i / side][i % side] = from[y * width + x];
  }
}

__global__ void find_strength(const float* image, float* strengths, int width, int height, float speckle) {
  __shared__ float tile[kTile + 2][kTile + 2];
  load(tile, image, static_cast<int>(blockIdx.x) * kTile - 1, static_cast<int>(blockIdx.y) * kTile - 1, width, height);
  __syncthreads();
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x >= width || y >= height) return;
  strengths[y * width + x] =
      strength(tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx], tile[ty][tx - 1], tile[ty][tx + 1], speckle);
}

__global__ void diffuse(const float* in, const float* strengths, float* out, int width, int height) {
  __shared__ float tile[kTile + 2][kTile + 2], factor[kTile + 1][kTile + 1];
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  load(tile, in, left - 1, top - 1, width, height);
  load(factor, strengths, left, top, width, height);
  __syncthreads();
  const int tx = threadIdx.x, ty = threadIdx.y, x = left + tx, y = top + ty;
  if (x >= width || y >= height) return;
  const float here = tile[ty + 1][tx + 1], own = factor[ty][tx];
  float flow = __fmul_rn(own, __fsub_rn(tile[ty][tx + 1], here));
  flow = __fmaf_rn(factor[ty + 1][tx], __fsub_rn(tile[ty + 2][tx + 1], here), flow);
  flow = __fmaf_rn(own, __fsub_rn(tile[ty + 1][tx], here), flow);
  flow = __fmaf_rn(factor[ty][tx + 1], __fsub_rn(tile[ty + 1][tx + 2], here), flow);
  out[y * width + x] = __fmaf_rn(kRate, flow, here);
}

// Computes the diffusion strengths with one-dimensional blocks: one thread per pixel in memory order.
__global__ void find_strength_in_line(const float* image, float* strengths, int width, int height, float speckle) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int y = i / width, x = i - y * width;
  const int above = y > 0 ? i - width : i, below = y < height - 1 ? i + width : i;
  const int left = x > 0 ? i - 1 : i, right = x < width - 1 ? i + 1 : i;
  strengths[i] = strength(image[i], image[above], image[below], image[left], image[right], speckle);
}

__global__ void diffuse_in_line(const float* in, const float* strengths, float* out, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int y = i / width, x = i - y * width;
  const int above = y > 0 ? i - width : i, below = y < height - 1 ? i + width : i;
  const int left = x > 0 ? i - 1 : i, right = x < width - 1 ? i + 1 : i;
  const float here = in[i], own = strengths[i];
  float flow = __fmul_rn(own, __fsub_rn(in[above], here));
  flow = __fmaf_rn(strengths[below], __fsub_rn(in[below], here), flow);
  flow = __fmaf_rn(own, __fsub_rn(in[left], here), flow);
  flow = __fmaf_rn(strengths[right], __fsub_rn(in[right], here), flow);
  out[i] = __fmaf_rn(kRate, flow, here);
}

// Returns the variance over the square of the mean. The result is at least 1e-6, because the strength divides by it.
float speckle_of(Sum sum, Sum squares, long n) {
  const double mean = static_cast<double>(sum) / static_cast<double>(n);
  const double variance = static_cast<double>(squares) / static_cast<double>(n) - mean * mean;
  return std::max(static_cast<float>(variance / (mean * mean)), 1e-6f);
}

int main(int argc, char** argv) {
  long width = 50, height = 40, steps = 2, blocks = 16, line = 0, seed = 1;
  Options options("srad", "speckle reducing diffusion of a picture");
  options.add("width", &width, 1, 4096, "columns");
  options.add("height", &height, 1, 4096, "rows");
  options.add("steps", &steps, 1, 1000, "steps");
  options.add("blocks", &blocks, 1, 65535, "most blocks of the reduction");
  options.add("line", &line, 0, 1, "1: blocks of 512 threads in one dimension, 0: tiles of 16 x 16");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the picture");
  options.parse(argc, argv);

  const long n = width * height;
  Random random(seed);
  std::vector<float> image(n);
  for (long i = 0; i < n; ++i) {
    const double plain = i % width * 3 / width == 1 && i / width * 3 / height == 1 ? 2.0 : 1.25;
    image[i] = static_cast<float>(plain * random.real(0.875, 1.125));
  }
  DeviceArray<float> front(image), back(n), strengths(n);
  DeviceArray<Sum> sums(2);
  float *from = front.get(), *to = back.get();
  const dim3 grid(blocks_for(width, kTile), blocks_for(height, kTile)), block(kTile, kTile);
  const unsigned reducing = std::min(blocks_for(n, line != 0 ? kLine : kThreads), static_cast<unsigned>(blocks));
  const unsigned lines = blocks_for(n, kLine);
  const int w = static_cast<int>(width), h = static_cast<int>(height);
  std::vector<Sum> got_sums, expected_sums;
  for (long i = 0; i < steps; ++i) {
    sums.fill_bytes(0);
    if (line != 0) {
      statistics<kLine><<<reducing, kLine>>>(from, static_cast<int>(n), sums.get());
    } else {
      statistics<kThreads><<<reducing, kThreads>>>(from, static_cast<int>(n), sums.get());
    }
    CUDA_CHECK(cudaGetLastError());
    const std::vector<Sum> both = sums.download();
    got_sums.insert(got_sums.end(), both.begin(), both.end());
    const float measured = speckle_of(both[0], both[1], n);
    if (line != 0) {
      find_strength_in_line<<<lines, kLine>>>(from, strengths.get(), w, h, measured);
      diffuse_in_line<<<lines, kLine>>>(from, strengths.get(), to, w, h);
    } else {
      find_strength<<<grid, block>>>(from, strengths.get(), w, h, measured);
      diffuse<<<grid, block>>>(from, strengths.get(), to, w, h);
    }
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }

  std::vector<float> next(n), factor(n);
  for (long i = 0; i < steps; ++i) {
    Sum sum = 0, squares = 0;
    for (const float value : image) {
      const Sum units = static_cast<Sum>(value * kUnits);
      sum += units;
      squares += units * units;
    }
    expected_sums.push_back(sum);
    expected_sums.push_back(squares);
    const float speckle = speckle_of(sum, squares, n);
    const auto at = [&](const std::vector<float>& field, long x, long y) {
      return field[std::min(std::max(y, 0l), height - 1) * width + std::min(std::max(x, 0l), width - 1)];
    };
    for (long k = 0; k < n; ++k) {
      const long x = k % width, y = k / width;
      factor[k] = strength(image[k], at(image, x, y - 1), at(image, x, y + 1), at(image, x - 1, y), at(image, x + 1, y),
                           speckle);
    }
    for (long k = 0; k < n; ++k) {
      const long x = k % width, y = k / width;
      float flow = factor[k] * (at(image, x, y - 1) - image[k]);
      flow = std::fma(at(factor, x, y + 1), at(image, x, y + 1) - image[k], flow);
      flow = std::fma(factor[k], at(image, x - 1, y) - image[k], flow);
      flow = std::fma(at(factor, x + 1, y), at(image, x + 1, y) - image[k], flow);
      next[k] = std::fma(kRate, flow, image[k]);
    }
    image.swap(next);
  }
  Verdict verdict(options);
  verdict.equal("sums", got_sums, expected_sums);
  verdict.equal("pixels", (steps % 2 == 0 ? front : back).download(), image);
  return verdict.finish();
}
