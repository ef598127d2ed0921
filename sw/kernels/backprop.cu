// Training of a network with one hidden layer of 16 units and one output, in fixed-point arithmetic with 12 fraction
// bits. Forward pass: each block multiplies 16 inputs with the weights of 16 units in shared memory and sums the
// products in a tree with a barrier per level. One block then adds the sums of all blocks and computes the output and
// its error. A last kernel updates the weights.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kUnits = 16;              // hidden units
constexpr int kRows = 16;               // inputs per block
constexpr int kShift = 12;              // fraction bits of a fixed-point number
constexpr int kOne = 1 << kShift;       // 1.0 in fixed point
constexpr int kLargest = 2 * kOne - 1;  // largest absolute weight, just below 2.0

// Returns v / (1 + |v|), the activation function, whose values are between -1 and 1.
__host__ __device__ inline int squash(int v) {
  const long long size = v < 0 ? -static_cast<long long>(v) : v;
  return static_cast<int>((static_cast<long long>(v) << kShift) / (kOne + size));
}

// Returns the slope of `squash` at the point where `squash` returned `result`.
__host__ __device__ inline int slope(int result) {
  const int rest = kOne - (result < 0 ? -result : result);
  return (rest * rest) >> kShift;
}

__host__ __device__ inline int clamped(int weight) {
  return weight > kLargest ? kLargest : weight < -kLargest ? -kLargest : weight;
}

// Sums the rows of `value` into row 0. Threads of row 0 may read row 0 without a further barrier.
__device__ void sum_rows(int (&value)[kRows][kUnits]) {
  for (int half = kRows / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) value[threadIdx.y][threadIdx.x] += value[threadIdx.y + half][threadIdx.x];
  }
}

__global__ void forward(const int* input, const int* weight, int* partial, int n) {
  __shared__ int x[kRows], product[kRows][kUnits];
  const int unit = threadIdx.x, row = threadIdx.y, i = blockIdx.x * kRows + row;
  if (unit == 0) x[row] = i < n ? input[i] : 0;
  __syncthreads();
  product[row][unit] = i < n ? (x[row] * weight[i * kUnits + unit]) >> kShift : 0;
  sum_rows(product);
  if (row == 0) partial[blockIdx.x * kUnits + unit] = product[0][unit];
}

// Runs on one block. Computes the hidden units from the partial sums, the output and its error, the new weights of the
// output, and the error of each hidden unit.
__global__ void output(const int* partial, int blocks, int* weight, int target, int* result, int* delta) {
  __shared__ int sum[kRows][kUnits], term[kUnits];
  const int unit = threadIdx.x, row = threadIdx.y;
  int mine = 0;
  for (int b = row; b < blocks; b += kRows) mine += partial[b * kUnits + unit];
  sum[row][unit] = mine;
  sum_rows(sum);
  int hidden = 0;
  if (row == 0) {
    hidden = squash(sum[0][unit]);
    term[unit] = (hidden * weight[unit]) >> kShift;
  }
  for (int half = kUnits / 2; half > 0; half /= 2) {
    __syncthreads();
    if (row == 0 && unit < half) term[unit] += term[unit + half];
  }
  __syncthreads();
  if (row != 0) return;
  const int out = squash(term[0]), error = ((target - out) * slope(out)) >> kShift;
  delta[unit] = (((error * weight[unit]) >> kShift) * slope(hidden)) >> kShift;
  weight[unit] = clamped(weight[unit] + ((error * hidden) >> (kShift + 1)));
  if (unit == 0) *result = out;
}

__global__ void adjust(const int* input, const int* delta, int* weight, int* change, int n) {
  __shared__ int x[kRows], error[kUnits];
  const int unit = threadIdx.x, row = threadIdx.y, i = blockIdx.x * kRows + row;
  if (unit == 0) x[row] = i < n ? input[i] : 0;
  if (row == 0) error[unit] = delta[unit];
  __syncthreads();
  if (i >= n) return;
  const int place = i * kUnits + unit;
  const int step = ((error[unit] * x[row]) >> (kShift + 2)) + (change[place] >> 1);
  change[place] = step;
  weight[place] = clamped(weight[place] + step);
}

int main(int argc, char** argv) {
  long n = 1000, epochs = 2, seed = 1;
  Options options("backprop", "training of a network with one hidden layer");
  options.add("n", &n, 1, 1 << 17, "inputs");
  options.add("epochs", &epochs, 1, 1000, "rounds of training");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the weights and inputs");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<int> input(n), weight(n * kUnits), output_weight(kUnits), results(epochs), deltas(kUnits);
  for (int& value : input) value = static_cast<int>(random.range(0, kOne));
  for (int& value : weight) value = static_cast<int>(random.range(-kOne / 16, kOne / 16));
  for (int& value : output_weight) value = static_cast<int>(random.range(-kOne, kOne));
  const int target = static_cast<int>(random.range(-kOne, kOne));
  const unsigned blocks = blocks_for(n, kRows);
  const dim3 block(kUnits, kRows);
  DeviceArray<int> device_input(input), device_weight(weight), change(weight.size()), device_output(output_weight);
  DeviceArray<int> partial(blocks * kUnits), delta(kUnits), result(epochs);
  change.fill_bytes(0);
  for (long epoch = 0; epoch < epochs; ++epoch) {
    forward<<<blocks, block>>>(device_input.get(), device_weight.get(), partial.get(), static_cast<int>(n));
    output<<<1, block>>>(partial.get(), static_cast<int>(blocks), device_output.get(), target, result.get() + epoch,
                         delta.get());
    adjust<<<blocks, block>>>(device_input.get(), delta.get(), device_weight.get(), change.get(), static_cast<int>(n));
    CUDA_CHECK(cudaGetLastError());
  }

  std::vector<int> changes(weight.size(), 0);
  for (long epoch = 0; epoch < epochs; ++epoch) {
    std::vector<int> hidden(kUnits, 0);
    for (long i = 0; i < n * kUnits; ++i) hidden[i % kUnits] += (input[i / kUnits] * weight[i]) >> kShift;
    int sum = 0;
    for (int unit = 0; unit < kUnits; ++unit) {
      hidden[unit] = squash(hidden[unit]);
      sum += (hidden[unit] * output_weight[unit]) >> kShift;
    }
    results[epoch] = squash(sum);
    const int error = ((target - results[epoch]) * slope(results[epoch])) >> kShift;
    for (int unit = 0; unit < kUnits; ++unit) {
      deltas[unit] = (((error * output_weight[unit]) >> kShift) * slope(hidden[unit])) >> kShift;
      output_weight[unit] = clamped(output_weight[unit] + ((error * hidden[unit]) >> (kShift + 1)));
    }
    for (long i = 0; i < n * kUnits; ++i) {
      changes[i] = ((deltas[i % kUnits] * input[i / kUnits]) >> (kShift + 2)) + (changes[i] >> 1);
      weight[i] = clamped(weight[i] + changes[i]);
    }
  }
  Verdict verdict(options);
  verdict.equal("outputs", result.download(), results);
  verdict.equal("weights of the output", device_output.download(), output_weight);
  verdict.equal("weights of the inputs", device_weight.download(), weight);
  return verdict.finish();
}
