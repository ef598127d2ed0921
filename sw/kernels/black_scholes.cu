// Prices of European options by the Black-Scholes formula, in float and double, with exp, log, sqrt and erfc. The data
// is split into chunks; several streams copy each chunk from pinned memory to the device, compute, and copy back.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

template <class T>
struct Option {
  T price, strike, years;
};

// Market parameters, passed to the kernel by value.
template <class T>
struct Market {
  T rate, volatility;
};

template <class T>
__host__ __device__ T normal_cdf(T x) {
  return static_cast<T>(0.5) * erfc(-x * static_cast<T>(0.70710678118654752440));
}

template <class T>
__global__ void value(const Option<T>* options, T* call, T* put, int n, Market<T> market) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Option<T> o = options[i];
  const T deviation = market.volatility * sqrt(o.years);
  const T d1 =
      (log(o.price / o.strike) + (market.rate + market.volatility * market.volatility / 2) * o.years) / deviation;
  const T d2 = d1 - deviation, discounted = o.strike * exp(-market.rate * o.years);
  call[i] = o.price * normal_cdf(d1) - discounted * normal_cdf(d2);
  put[i] = discounted * normal_cdf(-d2) - o.price * normal_cdf(-d1);
}

template <class T>
void check(Verdict& verdict, const std::vector<Option<double>>& batch, int streams, double tolerance) {
  const int n = static_cast<int>(batch.size());
  const Market<T> market = {static_cast<T>(0.02), static_cast<T>(0.30)};
  Option<T>*pinned_in = nullptr, *in = nullptr;
  T *pinned_out = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned_in, n * sizeof(Option<T>)));
  CUDA_CHECK(cudaHostAlloc(&pinned_out, 2 * n * sizeof(T), cudaHostAllocDefault));
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(Option<T>)));
  CUDA_CHECK(cudaMalloc(&out, 2 * n * sizeof(T)));
  for (int i = 0; i < n; ++i) {
    pinned_in[i] = {static_cast<T>(batch[i].price), static_cast<T>(batch[i].strike), static_cast<T>(batch[i].years)};
  }
  std::vector<cudaStream_t> stream(streams);
  const int chunk = (n + streams - 1) / streams;
  for (int s = 0; s < streams; ++s) {
    CUDA_CHECK(cudaStreamCreate(&stream[s]));
    const int first = std::min(n, s * chunk), size = std::min(chunk, n - first);
    if (size == 0) continue;
    CUDA_CHECK(
        cudaMemcpyAsync(in + first, pinned_in + first, size * sizeof(Option<T>), cudaMemcpyHostToDevice, stream[s]));
    value<T><<<blocks_for(size, 128), 128, 0, stream[s]>>>(in + first, out + first, out + n + first, size, market);
    CUDA_CHECK(cudaMemcpyAsync(pinned_out + first, out + first, size * sizeof(T), cudaMemcpyDeviceToHost, stream[s]));
    CUDA_CHECK(
        cudaMemcpyAsync(pinned_out + n + first, out + n + first, size * sizeof(T), cudaMemcpyDeviceToHost, stream[s]));
  }
  for (cudaStream_t s : stream) {
    CUDA_CHECK(cudaStreamSynchronize(s));
    CUDA_CHECK(cudaStreamDestroy(s));
  }
  std::vector<T> got(pinned_out, pinned_out + 2 * n);
  std::vector<double> expected(2 * n);
  for (int i = 0; i < n; ++i) {
    const double s = batch[i].price, k = batch[i].strike, t = batch[i].years, r = 0.02, sigma = 0.30;
    const double d1 = (std::log(s / k) + (r + sigma * sigma / 2) * t) / (sigma * std::sqrt(t));
    const double d2 = d1 - sigma * std::sqrt(t);
    const double call = s * normal_cdf(d1) - k * std::exp(-r * t) * normal_cdf(d2);
    expected[i] = call;
    expected[n + i] = call - s + k * std::exp(-r * t);  // put-call parity
  }
  verdict.close(sizeof(T) == 4 ? "float" : "double", got, expected, tolerance, 100 * tolerance);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFreeHost(pinned_in));
  CUDA_CHECK(cudaFreeHost(pinned_out));
}

int main(int argc, char** argv) {
  long n = 4000, streams = 3, seed = 1;
  Options options("black_scholes", "prices of European options");
  options.add("n", &n, 1, 1 << 22, "options");
  options.add("streams", &streams, 1, 32, "streams that share the work");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<Option<double>> batch(n);
  for (Option<double>& o : batch) o = {random.real(5, 30), random.real(1, 100), random.real(0.25, 10)};
  Verdict verdict(options);
  check<float>(verdict, batch, static_cast<int>(streams), 1e-6);
  check<double>(verdict, batch, static_cast<int>(streams), 1e-14);
  return verdict.finish();
}
