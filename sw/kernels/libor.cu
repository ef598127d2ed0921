// Monte Carlo simulation of the LIBOR market model: a thread follows one path of the forward rates and values a
// portfolio of swaptions at its end. Volatilities, maturities and swap rates are tables in global memory that all
// threads read at the same addresses. With `shared` 0 each path has random shocks of its own. With `shared` 1 all paths
// use the same shocks, as in programs that only time the kernel; all threads then compute the same rates.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kRates = 16;  // forward rates
constexpr int kSteps = 8;   // time steps; rates from kSteps on have not expired at the end
constexpr int kSwaptions = 6;

struct Model {
  float accrual;  // length of a period in years
  float root;     // square root of the length of a time step
  float start;    // initial value of all rates
};

// `volatility`: rate i in step n uses element i - n - 1. Swaption s covers the first ends[s] unexpired rates, at rate
// strikes[s]. `shocks`: step n uses element n if all paths share the shocks (`same`), else path p uses element n *
// paths + p.
template <bool same>
__global__ void follow(const float* volatility, const int* ends, const float* strikes, const float* shocks,
                       float* values, int paths, Model model) {
  const int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths) return;
  float rate[kRates];
#pragma unroll
  for (int i = 0; i < kRates; ++i) rate[i] = model.start;
#pragma unroll
  for (int n = 0; n < kSteps; ++n) {
    const float shock = model.root * shocks[same ? n : n * paths + path];
    float drift = 0;
#pragma unroll
    for (int i = n + 1; i < kRates; ++i) {
      const float own = volatility[i - n - 1], factor = model.accrual * own;
      drift += __fdividef(factor * rate[i], 1.0f + model.accrual * rate[i]);
      rate[i] *= __expf(factor * drift + own * (shock - 0.5f * factor));
    }
  }
  // Computes bond prices and swap values from the first unexpired rate on, then the discounted value of the portfolio.
  float bond[kRates - kSteps], annuity[kRates - kSteps], price = 1, sum = 0;
#pragma unroll
  for (int i = kSteps; i < kRates; ++i) {
    price = __fdividef(price, 1.0f + model.accrual * rate[i]);
    sum += model.accrual * price;
    bond[i - kSteps] = price;
    annuity[i - kSteps] = sum;
  }
  float value = 0;
  for (int s = 0; s < kSwaptions; ++s) {
    const int end = ends[s];
    float last = 0, sums = 0;
#pragma unroll
    for (int i = 0; i < kRates - kSteps; ++i) {
      last = i < end ? bond[i] : last;
      sums = i < end ? annuity[i] : sums;
    }
    value += fmaxf(strikes[s] * sums + last - 1.0f, 0.0f);
  }
#pragma unroll
  for (int n = 0; n < kSteps; ++n) value = __fdividef(value, 1.0f + model.accrual * rate[n]);
  values[path] = value;
}

int main(int argc, char** argv) {
  long paths = 1000, block = 256, shared = 0, seed = 1;
  Options options("libor", "Monte Carlo of forward rates");
  options.add("paths", &paths, 1, 1 << 22, "paths");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("shared", &shared, 0, 1, "1: one series of shocks for all paths");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the shocks");
  options.parse(argc, argv);

  const Model model = {0.25f, 0.5f, 0.05f};
  Random random(seed);
  std::vector<float> volatility(kRates), strikes(kSwaptions), shocks(kSteps * (shared != 0 ? 1 : paths));
  std::vector<int> ends(kSwaptions);
  for (float& v : volatility) v = static_cast<float>(random.real(0.1, 0.3));
  for (int s = 0; s < kSwaptions; ++s) {
    ends[s] = 1 + s * (kRates - kSteps - 1) / (kSwaptions - 1);
    strikes[s] = static_cast<float>(random.real(0.045, 0.08));
  }
  for (float& shock : shocks) {  // the sum of uniform numbers is nearly normally distributed
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += random.real(-0.5, 0.5);
    shock = static_cast<float>(sum);
  }
  DeviceArray<float> device_volatility(volatility), device_strikes(strikes), device_shocks(shocks), values(paths);
  DeviceArray<int> device_ends(ends);
  (shared != 0 ? follow<true> : follow<false>)<<<blocks_for(paths, block), static_cast<unsigned>(block)>>>(
      device_volatility.get(), device_ends.get(), device_strikes.get(), device_shocks.get(), values.get(),
      static_cast<int>(paths), model);
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> expected;
  for (long path = 0; path < paths; ++path) {
    std::vector<double> rate(kRates, model.start), bond, annuity;
    for (int n = 0; n < kSteps; ++n) {
      const double shock = model.root * static_cast<double>(shocks[shared != 0 ? n : n * paths + path]);
      double drift = 0;
      for (int i = n + 1; i < kRates; ++i) {
        const double own = volatility[i - n - 1], factor = model.accrual * own;
        drift += factor * rate[i] / (1 + model.accrual * rate[i]);
        rate[i] *= std::exp(factor * drift + own * (shock - factor / 2));
      }
    }
    double price = 1, sum = 0, value = 0;
    for (int i = kSteps; i < kRates; ++i) {
      price /= 1 + model.accrual * rate[i];
      sum += model.accrual * price;
      bond.push_back(price);
      annuity.push_back(sum);
    }
    for (int s = 0; s < kSwaptions; ++s) {
      value += std::max(strikes[s] * annuity[ends[s] - 1] + bond[ends[s] - 1] - 1.0, 0.0);
    }
    for (int n = 0; n < kSteps; ++n) value /= 1 + model.accrual * rate[n];
    expected.push_back(value);
  }
  Verdict verdict(options);
  verdict.close("values", values.download(), expected, 1e-3, 1e-5);
  return verdict.finish();
}
