// A program of several files: this file is plain C++ and calls the filters of two .cu files.
#include "../common/program.h"
#include "filters.h"

using namespace kernels;

int main(int argc, char** argv) {
  long n = 1000, gain = 2, offset = 5, seed = 1;
  Options options("multi_file", "filters in several source files");
  options.add("n", &n, 1, 1 << 24, "elements");
  options.add("gain", &gain, -9, 9, "the constant of one file");
  options.add("offset", &offset, -9, 9, "the constant of the other file");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<int> data(n), expected(n);
  for (int& x : data) x = static_cast<int>(random.range(-100000, 100000));
  DeviceArray<int> in(data), out(n);
  set_gain(static_cast<int>(gain));
  set_offset(static_cast<int>(offset));
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaDeviceSynchronize());
  apply_gain(in.get(), static_cast<int>(n), stream);
  apply_blur(in.get(), out.get(), static_cast<int>(n), stream);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
  for (long i = 0; i < n; ++i) {
    for (long j = std::max(i - 1, 0l); j <= std::min(i + 1, n - 1); ++j) {
      expected[i] += data[j] * static_cast<int>(gain + 1);
    }
    expected[i] += static_cast<int>(offset);
  }
  Verdict verdict(options);
  verdict.equal("elements", out.download(), expected);
  return verdict.finish();
}
