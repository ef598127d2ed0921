// Fast Walsh-Hadamard transform of integers, in natural order. Steps over short distances run in shared memory on a
// block's part of the array, the others in global memory. The product with a second transform and the transform back
// then give the dyadic convolution.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMostThreads = 1024;

// Transforms 2 * blockDim.x elements per block.
__global__ void transform_part(float* data) {
  __shared__ float part[2 * kMostThreads];
  float* const own = data + static_cast<std::size_t>(blockIdx.x) * 2 * blockDim.x;
  const unsigned t = threadIdx.x;
  part[t] = own[t];
  part[t + blockDim.x] = own[t + blockDim.x];
  for (unsigned distance = 1; distance <= blockDim.x; distance *= 2) {
    __syncthreads();
    const unsigned low = t & (distance - 1), at = 2 * t - low;
    const float a = part[at], b = part[at + distance];
    part[at] = a + b;
    part[at + distance] = a - b;
  }
  __syncthreads();
  own[t] = part[t];
  own[t + blockDim.x] = part[t + blockDim.x];
}

// Executes one step over one distance, with a thread for each pair of elements.
__global__ void step(float* data, unsigned distance) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = i & (distance - 1), at = 2 * i - low;
  const float a = data[at], b = data[at + distance];
  data[at] = a + b;
  data[at + distance] = a - b;
}

__global__ void multiply(float* data, const float* factor, float scale, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    data[i] *= factor[i] * scale;
  }
}

void transform(float* data, unsigned n, unsigned block) {
  transform_part<<<n / (2 * block), block>>>(data);
  for (unsigned distance = 2 * block; distance < n; distance *= 2) step<<<n / (2 * block), block>>>(data, distance);
  CUDA_CHECK(cudaGetLastError());
}

// Reference: transforms the two halves recursively, so its steps are in the reverse order of the device's steps.
void transform_halves(std::vector<long>& data, std::size_t first, std::size_t size) {
  if (size == 1) return;
  const std::size_t half = size / 2;
  for (std::size_t i = first; i < first + half; ++i) {
    const long a = data[i], b = data[i + half];
    data[i] = a + b;
    data[i + half] = a - b;
  }
  transform_halves(data, first, half);
  transform_halves(data, first + half, half);
}

int main(int argc, char** argv) {
  long log2n = 12, block = 256, taps = 8, seed = 1;
  Options options("walsh", "dyadic convolution by fast Walsh transforms");
  options.add("log2n", &log2n, 1, 22, "elements, as a power of two");
  options.add("block", &block, 1, kMostThreads, "threads of a block, a power of two");
  options.add("taps", &taps, 1, 64, "elements of the second array that are not 0");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  const long n = 1L << log2n;
  if ((block & (block - 1)) != 0) options.fail("option 'block' is a power of two");
  block = std::min(block, n / 2);

  Random random(seed);
  std::vector<long> data(n), taps_of(n, 0), both(n, 0);
  for (long& x : data) x = random.range(-1, 1);
  for (long k = 0; k < taps; ++k) {
    const long at = random.range(0, n - 1), value = random.range(-1, 1);
    taps_of[at] += value;
    for (long i = 0; i < n; ++i) both[i ^ at] += value * data[i];
  }
  const auto floats = [](const std::vector<long>& from) { return std::vector<float>(from.begin(), from.end()); };
  DeviceArray<float> first(floats(data)), second(floats(taps_of));
  transform(first.get(), n, block);
  transform(second.get(), n, block);
  const std::vector<float> spectrum = first.download();
  const unsigned blocks = std::min(blocks_for(n, block), 4096u);
  multiply<<<blocks, block>>>(first.get(), second.get(), 1.0f / static_cast<float>(n), n);
  transform(first.get(), n, block);

  transform_halves(data, 0, n);
  Verdict verdict(options);
  verdict.equal("spectrum", spectrum, floats(data));
  verdict.close("convolution", first.download(), both, 0, 1e-3);
  return verdict.finish();
}
