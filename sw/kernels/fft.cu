// Fast Fourier transforms of complex float vectors, one thread block for each: bit reversal by __brev, then radix-2
// stages in dynamic shared memory. The result is compared with the defining sum in double precision, and transformed
// back.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void transform(const float2* in, float2* out, int log2n, float sign, float scale) {
  extern __shared__ float2 line[];
  const int n = 1 << log2n;
  in += static_cast<long>(blockIdx.x) * n;
  out += static_cast<long>(blockIdx.x) * n;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) line[log2n == 0 ? 0 : __brev(i) >> (32 - log2n)] = in[i];
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
      const int k = i & (half - 1), low = 2 * i - k;
      float s, c;
      sincospif(sign * k / half, &s, &c);
      const float2 a = line[low], b = line[low + half];
      const float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
      line[low] = make_float2(a.x + turned.x, a.y + turned.y);
      line[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = make_float2(line[i].x * scale, line[i].y * scale);
}

std::vector<float> flat(const std::vector<float2>& values) {
  std::vector<float> parts;
  for (const float2& v : values) {
    parts.push_back(v.x);
    parts.push_back(v.y);
  }
  return parts;
}

int main(int argc, char** argv) {
  long log2n = 8, batch = 5, block = 128, seed = 1;
  Options options("fft", "complex fast Fourier transforms of 2^log2n points");
  options.add("log2n", &log2n, 0, 12, "logarithm of the number of points");
  options.add("batch", &batch, 1, 4096, "number of transforms");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  const long n = 1l << log2n;
  Random random(seed);
  std::vector<float2> data(n * batch);
  for (float2& v : data) {
    v.x = static_cast<float>(random.real(-1, 1));
    v.y = static_cast<float>(random.real(-1, 1));
  }
  DeviceArray<float2> in(data), spectrum(data.size()), back(data.size());
  const std::size_t shared = n * sizeof(float2);
  transform<<<batch, block, shared>>>(in.get(), spectrum.get(), log2n, -1.0f, 1.0f);
  transform<<<batch, block, shared>>>(spectrum.get(), back.get(), log2n, 1.0f, 1.0f / static_cast<float>(n));
  CUDA_CHECK(cudaGetLastError());

  // Reference: the defining sum, for the first and the last vector.
  std::vector<double> cosine(n), sine(n);
  for (long i = 0; i < n; ++i) {
    cosine[i] = std::cos(2 * M_PI * i / n);
    sine[i] = -std::sin(2 * M_PI * i / n);
  }
  const std::vector<float2> result = spectrum.download();
  std::vector<float> got;
  std::vector<double> expected;
  for (long index : {0l, (batch - 1) * n}) {
    for (long k = 0; k < n; ++k) {
      double re = 0, im = 0;
      for (long i = 0; i < n; ++i) {
        const double c = cosine[k * i & (n - 1)], s = sine[k * i & (n - 1)];
        re += data[index + i].x * c - data[index + i].y * s;
        im += data[index + i].x * s + data[index + i].y * c;
      }
      expected.push_back(re);
      expected.push_back(im);
      got.push_back(result[index + k].x);
      got.push_back(result[index + k].y);
    }
  }
  const double tolerance = 4e-7 * (log2n + 1) * std::sqrt(static_cast<double>(n));
  Verdict verdict(options);
  verdict.close("spectrum", got, expected, 0, tolerance);
  verdict.close("back", flat(back.download()), flat(data), 0, 1e-6 * (log2n + 1));
  return verdict.finish();
}
