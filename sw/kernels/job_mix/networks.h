// Recurrent networks, computed step by step: each step is a matrix-vector product of all gates, then small kernels on
// vectors. All jobs of a family share the weights.
#pragma once

#include <cmath>
#include <memory>

#include "work.h"

namespace job_mix {

enum class Cell { kLstm, kGru, kVanilla };
constexpr int gates(Cell cell) { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }

// Device buffers of a job, in floats. H is the number of hidden units, which equals the number of inputs.
//   x      input sequence, as many vectors of H as the longest job has steps
//   v      [input of the step, hidden state]
//   pre    gates before their activation, H each; a GRU has one more: the recurrent half of the candidate
//   c      cell state
//   bias   one per gate and unit
struct Buffers {
  float *x, *v, *pre, *c, *bias;
};

// Operations on the whole input sequence, element by element: convert raw bytes to centred floats, scale, clip.
enum Prepare { kConvert, kScale, kClip };
__global__ void tensor1(float* x, const unsigned char* raw, int n, Prepare what) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (what == kConvert) {
      x[i] = static_cast<float>(raw[i]) - 127.5f;
    } else if (what == kScale) {
      x[i] *= 1.0f / 96.0f;
    } else {
      x[i] = fminf(fmaxf(x[i], -1.0f), 1.0f);
    }
  }
}

// Sets `to` to `factor` * `from` + `offset`; to `offset` alone if `from` is null.
__global__ void tensor2(float* to, const float* from, int n, float factor, float offset) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
    to[i] = (from != nullptr ? factor * from[i] : 0.0f) + offset;
  }
}

// Computes the sum of two vectors, multiplied by `factor`.
__global__ void tensor3(float* to, const float* a, const float* b, int n, float factor) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = factor * (a[i] + b[i]);
}

// Adds the product of a diagonal matrix and a vector to `to`.
__global__ void tensor4(float* to, const float* diagonal, const float* vector, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] += diagonal[i] * vector[i];
}

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// Activation functions of one time step, split by part. The parts whose name ends with Out also write the hidden state
// and the input of the next step.
enum Part { kLstmGates, kLstmCell, kLstmOut, kGruGates, kGruOut, kVanillaOut };
__global__ void activation(Buffers b, int units, Part part, const float* next) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < units; i += gridDim.x * blockDim.x) {
    float h = 0;
    switch (part) {
      case kLstmGates:  // gates in order: input, forget, output
        for (int gate = 0; gate < 3; ++gate) b.pre[gate * units + i] = sigmoid(b.pre[gate * units + i]);
        continue;
      case kLstmCell:
        b.c[i] = b.pre[units + i] * b.c[i] + b.pre[i] * tanhf(b.pre[3 * units + i]);
        continue;
      case kGruGates:  // gates in order: update, reset
        for (int gate = 0; gate < 2; ++gate) b.pre[gate * units + i] = sigmoid(b.pre[gate * units + i]);
        continue;
      case kLstmOut:
        h = b.pre[2 * units + i] * tanhf(b.c[i]);
        break;
      case kGruOut: {
        const float z = b.pre[i];
        h = (1.0f - z) * tanhf(b.pre[2 * units + i] + b.pre[units + i] * b.pre[3 * units + i]) + z * b.v[units + i];
        break;
      }
      case kVanillaOut:
        h = tanhf(b.pre[i]);
        break;
    }
    b.v[units + i] = h;
    if (next != nullptr) b.v[i] = next[i];
  }
}

// Matrix-vector product: rows of all gates times [input, hidden state]. A launch has 1024 threads. Sixteen lanes share
// a row, four columns at a time, and each group of sixteen computes as many rows as are needed to cover all. Each block
// copies the vector to shared memory. The two halves of a GRU's candidate are kept apart, because the reset gate is
// applied between them.
constexpr int kProductThreads = 1024, kLanes = 16;

__device__ inline float over_lanes(float x) {
  for (int step = kLanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

template <int kUnits, Cell kCell>
__global__ void product(Buffers b, const float4* weights) {
  constexpr int kGroups = kProductThreads / kLanes, kRows = gates(kCell) * kUnits / kGroups, kQuads = kUnits / 2;
  static_assert(kRows * kGroups == gates(kCell) * kUnits, "every group of lanes has as many rows");
  __shared__ float4 vector[kQuads];
  for (int i = threadIdx.x; i < kQuads; i += blockDim.x) vector[i] = reinterpret_cast<const float4*>(b.v)[i];
  __syncthreads();
  const int lane = threadIdx.x % kLanes, group = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes;
  const float4* const line = weights + group * kQuads + lane;
  float first[kRows], second[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) first[r] = second[r] = 0;
#pragma unroll
  for (int q = 0; q < kQuads; q += kLanes) {
    const float4 x = vector[q + lane];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float4 w = line[r * kGroups * kQuads + q];
      const float sum = w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
      (q < kQuads / 2 ? first : second)[r] += sum;
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int row = group + r * kGroups;
    const bool apart = kCell == Cell::kGru && row >= 2 * kUnits;
    if (kCell == Cell::kGru && r * kGroups >= 2 * kUnits) {
      first[r] = over_lanes(first[r]);
      second[r] = over_lanes(second[r]);
    } else {
      first[r] = over_lanes(first[r] + second[r]);
    }
    if (lane != 0) continue;
    b.pre[row] = first[r] + b.bias[row];
    if (apart) b.pre[row + kUnits] = second[r];
  }
}

// A family of recurrent networks. Kernels with a fixed number of calls per job: 3 tensor1, 5 tensor2, 2 tensor3, 1
// tensor4. Per time step: one product, and as many tensor4 and activation kernels as the cell has gates with a diagonal
// term (LSTM 3, GRU 2, vanilla 1).
template <int kUnits, Cell kCell>
class Networks final : public Family {
 public:
  Networks(const char* name, const Sizes& sizes) : name_(name), sizes_(sizes), vectors_(2 * kUnits) {
    length_ = sizes.longest * kUnits;
    kernels::Random random(sizes.seed * 1000 + static_cast<long>(kCell) * 10 + kUnits);
    const auto fill = [&](std::vector<float>& to, std::size_t n, double bound) {
      to.resize(n);
      for (float& one : to) one = static_cast<float>(random.real(-bound, bound));
    };
    fill(weights_, std::size_t{kGates} * kUnits * 2 * kUnits, 2.0 / std::sqrt(2.0 * kUnits));
    fill(bias_, 2 * kGates * kUnits, 0.3);
    fill(diagonal_, kGates * kUnits, 0.5);
    ones_.assign(kUnits, 1.0f);
  }

  int add(const Job& job) override {
    steps_.push_back(job.steps);
    kernels::Random random(sizes_.seed + 7919 * static_cast<long>(steps_.size()));
    for (long i = 0; i < length_; ++i) raw_.push_back(static_cast<unsigned char>(random.next() >> 40));
    return static_cast<int>(steps_.size()) - 1;
  }

  void upload() override {
    d_weights_ = std::make_unique<kernels::DeviceArray<float>>(weights_);
    d_bias_ = std::make_unique<kernels::DeviceArray<float>>(bias_);
    d_diagonal_ = std::make_unique<kernels::DeviceArray<float>>(diagonal_);
    d_ones_ = std::make_unique<kernels::DeviceArray<float>>(ones_);
    d_raw_ = std::make_unique<kernels::DeviceArray<unsigned char>>(raw_);
    d_state_ = std::make_unique<kernels::DeviceArray<float>>(steps_.size() * per_job());
    vectors_.upload(steps_.size());
  }

  void launch(int number, cudaStream_t stream) override {
    Buffers b;
    b.x = d_state_->get() + number * per_job();
    b.v = vectors_.device(number);
    b.pre = b.x + length_;
    b.c = b.pre + (kGates + 1) * kUnits;
    b.bias = b.c + kUnits;
    const unsigned char* const raw = d_raw_->get() + number * length_;
    const int n = static_cast<int>(steps_[number] * kUnits), rows = kGates * kUnits;
    const unsigned wide = kernels::blocks_for(16384 / sizes_.divide, 256);
    for (const Prepare what : {kConvert, kScale, kClip}) tensor1<<<wide, 256, 0, stream>>>(b.x, raw, n, what);
    tensor2<<<2, 64, 0, stream>>>(b.v, nullptr, kUnits, 0, 0);
    tensor2<<<2, 64, 0, stream>>>(b.v + kUnits, d_diagonal_->get(), kUnits, 0.5f, 0.1f);
    tensor2<<<2, 64, 0, stream>>>(b.c, d_diagonal_->get(), kUnits, -0.5f, 0.2f);
    tensor2<<<2, 64, 0, stream>>>(b.pre, nullptr, kUnits, 0, 0);
    tensor2<<<2, 64, 0, stream>>>(b.pre + kGates * kUnits, nullptr, kUnits, 0, 0);
    tensor3<<<8, 256, 0, stream>>>(b.bias, d_bias_->get(), d_bias_->get() + rows, rows, 1.0f);
    tensor3<<<8, 256, 0, stream>>>(b.bias, b.bias, b.bias, rows, 0.25f);
    tensor4<<<1, 64, 0, stream>>>(b.v, d_ones_->get(), b.x, kUnits);
    for (long step = 0; step < steps_[number]; ++step) {
      const float* const next = step + 1 < steps_[number] ? b.x + (step + 1) * kUnits : nullptr;
      product<kUnits, kCell>
          <<<kProductThreads / 256, 256, 0, stream>>>(b, reinterpret_cast<const float4*>(d_weights_->get()));
      const float* const term = kCell == Cell::kLstm ? b.c : b.v + kUnits;
      for (int gate = 0; gate < kDiagonals; ++gate) {
        tensor4<<<1, 64, 0, stream>>>(b.pre + gate * kUnits, d_diagonal_->get() + gate * kUnits, term, kUnits);
      }
      if (kCell == Cell::kLstm) {
        activation<<<2, 64, 0, stream>>>(b, kUnits, kLstmGates, nullptr);
        activation<<<2, 64, 0, stream>>>(b, kUnits, kLstmCell, nullptr);
        activation<<<2, 64, 0, stream>>>(b, kUnits, kLstmOut, next);
      } else if (kCell == Cell::kGru) {
        activation<<<2, 64, 0, stream>>>(b, kUnits, kGruGates, nullptr);
        activation<<<2, 64, 0, stream>>>(b, kUnits, kGruOut, next);
      } else {
        activation<<<2, 64, 0, stream>>>(b, kUnits, kVanillaOut, next);
      }
      CUDA_CHECK(cudaGetLastError());
    }
  }

  void download() override { vectors_.download(); }

  void check(const std::vector<bool>& ran, kernels::Verdict& verdict) override {
    std::vector<float> got;
    std::vector<double> want;
    bool untouched = true;
    for (int job = 0; job < static_cast<int>(ran.size()); ++job) {
      if (!ran[job]) {
        untouched = untouched && vectors_.untouched(job);
        continue;
      }
      const std::vector<double> hidden = on_host(job);
      got.insert(got.end(), vectors_.begin(job) + kUnits, vectors_.begin(job) + 2 * kUnits);
      want.insert(want.end(), hidden.begin(), hidden.end());
    }
    // The tolerance covers rounding errors of a few hundred additions, which the activations damp from step to step.
    verdict.close((std::string(name_) + " units").c_str(), got, want, 1e-5, 1e-5);
    if (!untouched) verdict.holds((std::string(name_) + " states of refused jobs untouched").c_str(), false);
  }

  bool set_isolated(const std::string& name, unsigned time) override {
    if (name == "tensor1") {
      job_mix::set_isolated(reinterpret_cast<const void*>(&tensor1), 256, time);
    } else if (name == "tensor2") {
      job_mix::set_isolated(reinterpret_cast<const void*>(&tensor2), 64, time);
    } else if (name == "tensor3") {
      job_mix::set_isolated(reinterpret_cast<const void*>(&tensor3), 256, time);
    } else if (name == "tensor4") {
      job_mix::set_isolated(reinterpret_cast<const void*>(&tensor4), 64, time);
    } else if (name == "activation") {
      job_mix::set_isolated(reinterpret_cast<const void*>(&activation), 64, time);
    } else if (name == std::string("gemm_") + name_) {
      job_mix::set_isolated(reinterpret_cast<const void*>(&product<kUnits, kCell>), 256, time);
    } else {
      return false;
    }
    return true;
  }

 private:
  static constexpr int kGates = gates(kCell);
  static constexpr int kDiagonals = kCell == Cell::kLstm ? 3 : kCell == Cell::kGru ? 2 : 1;

  // Returns the number of floats of a job except vector v: sequence, gates, cell state, bias.
  std::size_t per_job() const { return length_ + (kGates + 1 + 1 + kGates) * kUnits; }

  // Reference: the textbook's equations in double precision, gate by gate.
  std::vector<double> on_host(int job) const {
    std::vector<double> h(kUnits), c(kUnits), x(kUnits);
    for (int i = 0; i < kUnits; ++i) {
      h[i] = 0.5 * diagonal_[i] + 0.1;
      c[i] = 0.2 - 0.5 * diagonal_[i];
    }
    const auto sigma = [](double z) { return 1 / (1 + std::exp(-z)); };
    for (long step = 0; step < steps_[job]; ++step) {
      for (int i = 0; i < kUnits; ++i) {
        x[i] = std::min(std::max((raw_[job * length_ + step * kUnits + i] - 127.5) / 96, -1.0), 1.0);
      }
      const auto input = [&](int gate, int i) {
        double sum = (bias_[gate * kUnits + i] + bias_[(kGates + gate) * kUnits + i]) / 2;
        const float* const row = &weights_[(std::size_t{1} * gate * kUnits + i) * 2 * kUnits];
        for (int k = 0; k < kUnits; ++k) sum += row[k] * x[k];
        return sum;
      };
      const auto recurrent = [&](int gate, int i) {
        double sum = 0;
        const float* const row = &weights_[(std::size_t{1} * gate * kUnits + i) * 2 * kUnits + kUnits];
        for (int k = 0; k < kUnits; ++k) sum += row[k] * h[k];
        return sum;
      };
      const auto peephole = [&](int gate, int i, double value) { return diagonal_[gate * kUnits + i] * value; };
      std::vector<double> new_h(kUnits), new_c = c;
      for (int i = 0; i < kUnits; ++i) {
        if (kCell == Cell::kLstm) {
          const double in = sigma(input(0, i) + recurrent(0, i) + peephole(0, i, c[i]));
          const double forget = sigma(input(1, i) + recurrent(1, i) + peephole(1, i, c[i]));
          const double out = sigma(input(2, i) + recurrent(2, i) + peephole(2, i, c[i]));
          new_c[i] = forget * c[i] + in * std::tanh(input(3, i) + recurrent(3, i));
          new_h[i] = out * std::tanh(new_c[i]);
        } else if (kCell == Cell::kGru) {
          const double update = sigma(input(0, i) + recurrent(0, i) + peephole(0, i, h[i]));
          const double reset = sigma(input(1, i) + recurrent(1, i) + peephole(1, i, h[i]));
          new_h[i] = (1 - update) * std::tanh(input(2, i) + reset * recurrent(2, i)) + update * h[i];
        } else {
          new_h[i] = std::tanh(input(0, i) + recurrent(0, i) + peephole(0, i, h[i]));
        }
      }
      h = new_h;
      c = new_c;
    }
    return h;
  }

  const char* name_;
  Sizes sizes_;
  long length_ = 0;  ///< length of an input sequence, in bytes of raw data and in floats
  std::vector<long> steps_;
  std::vector<float> weights_, bias_, diagonal_, ones_;
  std::vector<unsigned char> raw_;
  Results<float> vectors_;  ///< [input of the last step, hidden state] of each job
  std::unique_ptr<kernels::DeviceArray<float>> d_weights_, d_bias_, d_diagonal_, d_ones_, d_state_;
  std::unique_ptr<kernels::DeviceArray<unsigned char>> d_raw_;
};

}  // namespace job_mix
