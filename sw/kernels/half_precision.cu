// Half precision: conversions, __half and __half2 arithmetic, comparisons. The data are small multiples of 1/8, so that
// most results are exact in half precision; the host rounds the others with its own code.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void convert(const float* in, __half* out, float* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __float2half(in[i]);
  back[i] = __half2float(out[i]);
}

// Computes y = a x + y in half precision, two elements per operation; an odd last element is computed alone.
__global__ void axpy(__half a, const __half* x, __half* y, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    const __half2 x2 = *reinterpret_cast<const __half2*>(&x[i]);
    __half2* const y2 = reinterpret_cast<__half2*>(&y[i]);
    *y2 = __hfma2(__half2half2(a), x2, *y2);
  } else if (i < n) {
    y[i] = __hadd(__hmul(a, x[i]), y[i]);
  }
}

__global__ void count_greater(const __half* x, const __half* y, unsigned* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool greater = i < n && __hgt(x[i], y[i]);
  const unsigned vote = __ballot_sync(0xffffffffu, greater);
  if (threadIdx.x % 32 == 0 && vote != 0) atomicAdd(count, static_cast<unsigned>(__popc(vote)));
}

// Returns the half-precision number nearest to x (ties to even), as a float. Scales and rounds in double.
float to_half(float x) {
  if (x == 0 || std::isnan(x) || std::isinf(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - 11, -24);  // value of the last of 11 significant bits, at least 2^-24
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(static_cast<double>(x), -unit)), unit);
  if (std::fabs(rounded) > 65504) return x > 0 ? INFINITY : -INFINITY;
  return static_cast<float>(rounded);
}

int main(int argc, char** argv) {
  long n = 3001, seed = 1;
  Options options("half_precision", "arithmetic on 16-bit floating-point numbers");
  options.add("n", &n, 1, 1 << 22, "elements");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float> any(n), x(n), y(n), expected_any(n), expected(n);
  const float edges[] = {0.0f,          -0.0f,         65504.0f, 65519.9f, 65520.0f,   -1e6f,
                         5.9604645e-8f, 2.9802322e-8f, 3e-8f,    6.1e-5f,  1.0004883f, INFINITY};
  unsigned greater = 0;
  for (long i = 0; i < n; ++i) {
    any[i] = i < 12 ? edges[i]
                    : static_cast<float>(random.real(-1, 1) * std::ldexp(1.0, static_cast<int>(random.range(-26, 17))));
    x[i] = static_cast<float>(random.range(-64, 64)) / 8;
    y[i] = static_cast<float>(random.range(-640, 640)) / 8;
    expected_any[i] = to_half(any[i]);
    expected[i] = to_half(1.5f * x[i] + y[i]);  // exact in float, and the product is exact in half
    greater += x[i] > expected[i];
  }
  const unsigned blocks = blocks_for(n, 128);
  DeviceArray<float> in(any), back(n);
  DeviceArray<__half> half_any(n), half_x(n), half_y(n);
  DeviceArray<unsigned> count(1);
  count.fill_bytes(0);
  Verdict verdict(options);
  convert<<<blocks, 128>>>(in.get(), half_any.get(), back.get(), n);
  verdict.equal("conversions", back.download(), expected_any);
  in.upload(x);
  convert<<<blocks, 128>>>(in.get(), half_x.get(), back.get(), n);
  in.upload(y);
  convert<<<blocks, 128>>>(in.get(), half_y.get(), back.get(), n);
  axpy<<<blocks, 128>>>(__float2half(1.5f), half_x.get(), half_y.get(), n);
  count_greater<<<blocks, 128>>>(half_x.get(), half_y.get(), count.get(), n);
  CUDA_CHECK(cudaGetLastError());
  std::vector<__half> halves = half_y.download();
  std::vector<float> got;
  for (const __half& h : halves) got.push_back(__half2float(h));
  verdict.equal("a x + y", got, expected);
  verdict.equal("greater", count.download()[0], greater);
  return verdict.finish();
}
