// Prices of European and American put options by a binomial tree: one block per option, one thread per node of a level.
// The block computes level after level back to the root, with a barrier per level. Threads whose node does not exist in
// the current level compute a value too, which is never read.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMostThreads = 1024;

struct Contract {
  float price, strike, years;
  int american;
};

__global__ void value(const Contract* contracts, float* values, int steps, float rate, float volatility) {
  __shared__ float node[kMostThreads + 1];
  const int t = threadIdx.x;
  const Contract contract = contracts[blockIdx.x];
  const float dt = contract.years / static_cast<float>(steps);
  const float move = volatility * sqrtf(dt);
  const float up = expf(move), down = 1.0f / up, discount = expf(-rate * dt);
  const float likely = (expf(rate * dt) - down) / (up - down);
  const float to_up = likely * discount, to_down = (1.0f - likely) * discount, up_twice = up * up;
  float price = contract.price * expf(move * static_cast<float>(2 * t - steps));
  float mine = fmaxf(contract.strike - price, 0.0f);
  for (int level = steps; level > 0; --level) {
    node[t] = mine;
    __syncthreads();
    price *= up;  // asset price of node t, one level nearer to the root
    mine = to_up * node[t + 1] + to_down * mine;
    if (contract.american != 0) mine = fmaxf(mine, contract.strike - price);
    __syncthreads();
  }
  if (t == 0) values[blockIdx.x] = mine;
}

// Returns the option's price from the same binomial tree, in double precision, on the host.
double expected_value(const Contract& contract, int steps, double rate, double volatility) {
  const double dt = static_cast<double>(contract.years) / steps, move = volatility * std::sqrt(dt);
  const double up = std::exp(move), likely = (std::exp(rate * dt) - 1 / up) / (up - 1 / up);
  std::vector<double> node(steps + 1);
  for (int j = 0; j <= steps; ++j) {
    node[j] = std::max(contract.strike - contract.price * std::exp(move * (2 * j - steps)), 0.0);
  }
  for (int level = steps - 1; level >= 0; --level) {
    for (int j = 0; j <= level; ++j) {
      node[j] = std::exp(-rate * dt) * (likely * node[j + 1] + (1 - likely) * node[j]);
      const double now = contract.strike - contract.price * std::exp(move * (2 * j - level));
      if (contract.american != 0) node[j] = std::max(node[j], now);
    }
  }
  return node[0];
}

int main(int argc, char** argv) {
  long n = 20, steps = 100, block = 256, seed = 1;
  Options options("binomial_options", "prices of options by binomial trees");
  options.add("n", &n, 1, 1 << 20, "options");
  options.add("steps", &steps, 1, kMostThreads - 1, "levels of the tree, fewer than threads");
  options.add("block", &block, 2, kMostThreads, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (steps >= block) options.fail("option 'steps' is below 'block'");

  const float rate = 0.02f, volatility = 0.3f;
  Random random(seed);
  std::vector<Contract> contracts(n);
  for (Contract& c : contracts) {
    c = {static_cast<float>(random.real(5, 30)), static_cast<float>(random.real(5, 30)),
         static_cast<float>(random.real(0.25, 10)), static_cast<int>(random.range(0, 1))};
  }
  DeviceArray<Contract> device_contracts(contracts);
  DeviceArray<float> values(n);
  value<<<static_cast<unsigned>(n), static_cast<unsigned>(block)>>>(device_contracts.get(), values.get(),
                                                                    static_cast<int>(steps), rate, volatility);
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> expected;
  for (const Contract& c : contracts) expected.push_back(expected_value(c, static_cast<int>(steps), rate, volatility));
  Verdict verdict(options);
  verdict.close("values", values.download(), expected, 2e-4, 2e-4);
  return verdict.finish();
}
