// A recurrent layer: its arrays, the work of a warp in one time step, and the same on the host. A warp has one hidden
// unit. Lane l has the weights of the columns l, l + 32, l + 64 and so on, and the lanes' sums are added as a tree.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "../common/exact.h"

namespace kernels {

constexpr int kBatch = 4;  ///< sequences that the layer treats together
constexpr int kLanes = 32;

/// A layer and its sequences. A unit has a column of weights for each input and for each unit of the step before.
struct Layer {
  int inputs, hidden, steps;
  const float* weight;  ///< [gate][unit][column]; columns of the inputs first
  const float* bias;    ///< [gate][unit]
  const float* input;   ///< [step][sequence][input]
  float* state;         ///< [step][sequence][unit]; step 0 is the state at the start

  __host__ __device__ int columns() const { return inputs + hidden; }
  __host__ __device__ float* state_of(int step, int sequence) const {
    return state + (static_cast<long>(step) * kBatch + sequence) * hidden;
  }
  /// Returns the factor of a column in a time step; 0 behind the last column.
  __host__ __device__ float factor(int step, int sequence, int column) const {
    if (column < inputs) return input[(static_cast<long>(step) * kBatch + sequence) * inputs + column];
    return column < columns() ? state_of(step, sequence)[column - inputs] : 0;
  }
  /// Returns the weight of a column; 0 behind the last column.
  __host__ __device__ float weight_of(int gate, int unit, int column) const {
    return column < columns() ? weight[(static_cast<long>(gate) * hidden + unit) * columns() + column] : 0;
  }
};

/// Weights of a unit that a lane keeps in registers, for layers of at most 32 * kPerLane columns.
template <class Cell, int kPerLane>
class UnitOfWarp {
 public:
  __forceinline__ __device__ UnitOfWarp(const Layer& layer, int unit, int lane) : unit_(unit), lane_(lane) {
#pragma unroll
    for (int gate = 0; gate < Cell::kGates; ++gate) {
      bias_[gate] = layer.bias[gate * layer.hidden + unit];
#pragma unroll
      for (int i = 0; i < kPerLane; ++i) weight_[gate][i] = layer.weight_of(gate, unit, lane + i * kLanes);
    }
  }

  /// Computes the unit's state after time step `step` from the state of all units before it.
  __forceinline__ __device__ void run(const Layer& layer, int step) const {
#pragma unroll
    for (int sequence = 0; sequence < kBatch; ++sequence) {
      float sum[Cell::kGates] = {};
#pragma unroll
      for (int i = 0; i < kPerLane; ++i) {
        const float factor = layer.factor(step, sequence, lane_ + i * kLanes);
#pragma unroll
        for (int gate = 0; gate < Cell::kGates; ++gate) {
          sum[gate] = exact_add(sum[gate], exact_mul(weight_[gate][i], factor));
        }
      }
#pragma unroll
      for (int gate = 0; gate < Cell::kGates; ++gate) {
        for (int offset = kLanes / 2; offset > 0; offset /= 2) {
          sum[gate] = exact_add(sum[gate], __shfl_xor_sync(~0u, sum[gate], offset));
        }
        sum[gate] = exact_add(sum[gate], bias_[gate]);
      }
      if (lane_ == 0) layer.state_of(step + 1, sequence)[unit_] = Cell::output(sum);
    }
  }

 private:
  int unit_, lane_;
  float weight_[Cell::kGates][kPerLane], bias_[Cell::kGates];
};

/// Runs all time steps on the host, on arrays of the host.
template <class Cell>
void run_on_host(const Layer& layer) {
  for (int step = 0; step < layer.steps; ++step) {
    for (int sequence = 0; sequence < kBatch; ++sequence) {
      for (int unit = 0; unit < layer.hidden; ++unit) {
        float sum[Cell::kGates];
        for (int gate = 0; gate < Cell::kGates; ++gate) {
          float lanes[kLanes] = {};
          for (int column = 0; column < layer.columns(); ++column) {
            float& lane = lanes[column % kLanes];
            lane =
                exact_add(lane, exact_mul(layer.weight_of(gate, unit, column), layer.factor(step, sequence, column)));
          }
          for (int half = kLanes / 2; half > 0; half /= 2) {
            for (int lane = 0; lane < half; ++lane) lanes[lane] = exact_add(lanes[lane], lanes[lane + half]);
          }
          sum[gate] = exact_add(lanes[0], layer.bias[gate * layer.hidden + unit]);
        }
        layer.state_of(step + 1, sequence)[unit] = Cell::output(sum);
      }
    }
  }
}

}  // namespace kernels
