// Miniature convolutional network, one frame behind the other. A layer has six functions: im2col, matrix product, and
// four that treat each element alone (normalisation, scale, bias, activation). im2col reads neighbouring pixels of all
// channels, and a product reads a whole column, so all thread blocks meet before and after the product, and between
// layers. The systems differ in how they meet:
//   relaunch   a kernel per function; each product reads its weights from memory
//   barrier    one cooperative kernel with CUDA's grid barrier; the weights of all layers stay in shared memory
//   atomic     the same with a counter as barrier
//   flags      the same with flags as barrier
#include <cuda_runtime.h>

#include "../common/exact.h"
#include "../common/program.h"
#include "grid_barrier.h"

using namespace kernels;

constexpr int kTaps = 9;
constexpr int kMostLayers = 4;
constexpr int kMostChannels = 16;
constexpr unsigned kMostThreads = 512;

/// Parameters of one channel of one layer, for the functions behind the product.
struct Channel {
  float mean, inverse;  ///< normalisation: mean value and inverse of the standard deviation
  float scale, bias;
};

struct Network {
  int side;  ///< frames have side x side pixels
  int channels, layers, frames;
  const float* weight;     ///< [layer][channel of the output][channel of the input][tap]
  const Channel* channel;  ///< [layer][channel]
  float* frame;            ///< [frame][channel][pixel]: input, at the end the output of the last layer
  float* column;           ///< [channel of the input][tap][pixel]
  float* product;          ///< [channel][pixel]

  __host__ __device__ int pixels() const { return side * side; }
  __host__ __device__ int elements() const { return channels * pixels(); }
  __host__ __device__ int taps() const { return channels * kTaps; }
};

/// Returns element i of the matrix of columns: the pixel that a tap reads, 0 outside the frame.
__host__ __device__ inline float column_of(const Network& network, const float* frame, int i) {
  const int pixel = i % network.pixels(), row = i / network.pixels(), tap = row % kTaps;
  const int x = pixel % network.side + tap % 3 - 1, y = pixel / network.side + tap / 3 - 1;
  if (x < 0 || y < 0 || x >= network.side || y >= network.side) return 0;
  return frame[row / kTaps * network.pixels() + y * network.side + x];
}

__host__ __device__ inline float product_of(const Network& network, const float* weight, const float* column,
                                            int pixel) {
  float sum = 0;
  for (int tap = 0; tap < network.taps(); ++tap) {
    sum = exact_add(sum, exact_mul(weight[tap], column[tap * network.pixels() + pixel]));
  }
  return sum;
}

__host__ __device__ inline float normalised(const Channel& channel, float value) {
  return exact_mul(exact_sub(value, channel.mean), channel.inverse);
}
__host__ __device__ inline float scaled(const Channel& channel, float value) { return exact_mul(value, channel.scale); }
__host__ __device__ inline float biased(const Channel& channel, float value) { return exact_add(value, channel.bias); }
__host__ __device__ inline float activated(const Channel&, float value) {
  return value > 0 ? value : exact_mul(0.125f, value);
}

__device__ const Channel& channel_of(const Network& network, int layer, int element) {
  return network.channel[layer * network.channels + element / network.pixels()];
}

/// A thread block computes products of one channel: block b those of channel b modulo the number of channels.
__device__ int channel_of_block(const Network& network) { return static_cast<int>(blockIdx.x) % network.channels; }
__device__ int pixel_of_thread(const Network& network) {
  return static_cast<int>(blockIdx.x) / network.channels * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
}

/// Loads the weights of one layer for the channel of the block into shared memory.
__device__ void load_weights(const Network& network, int layer, float* weights) {
  const float* const from = network.weight + (layer * network.channels + channel_of_block(network)) * network.taps();
  for (int i = static_cast<int>(threadIdx.x); i < network.taps(); i += static_cast<int>(blockDim.x))
    weights[i] = from[i];
}

__device__ void multiply(const Network& network, const float* weights) {
  const int pixel = pixel_of_thread(network);
  if (pixel >= network.pixels()) return;
  network.product[channel_of_block(network) * network.pixels() + pixel] =
      product_of(network, weights, network.column, pixel);
}

__global__ void im2col(Network network, const float* frame) {
  const int i = static_cast<int>(rank_in_grid());
  if (i < network.taps() * network.pixels()) network.column[i] = column_of(network, frame, i);
}

__global__ void gemm(Network network, int layer) {
  __shared__ float weights[kMostChannels * kTaps];
  load_weights(network, layer, weights);
  __syncthreads();
  multiply(network, weights);
}

template <float (*function)(const Channel&, float)>
__global__ void each(Network network, int layer, const float* from, float* to) {
  const int i = static_cast<int>(rank_in_grid());
  if (i < network.elements()) to[i] = function(channel_of(network, layer, i), from[i]);
}

template <class Barrier>
__global__ void __launch_bounds__(kMostThreads) all_layers(BarrierMemory memory, Network network) {
  __shared__ float weights[kMostLayers][kMostChannels * kTaps];
  for (int layer = 0; layer < network.layers; ++layer) load_weights(network, layer, weights[layer]);
  __syncthreads();
  Barrier barrier(memory);
  const int self = static_cast<int>(rank_in_grid()), threads = static_cast<int>(threads_of_grid());
  for (int number = 0; number < network.frames; ++number) {
    float* const frame = network.frame + number * network.elements();
    for (int layer = 0; layer < network.layers; ++layer) {
      for (int i = self; i < network.taps() * network.pixels(); i += threads) {
        network.column[i] = column_of(network, frame, i);
      }
      barrier.sync();
      multiply(network, weights[layer]);
      barrier.sync();
      for (int i = self; i < network.elements(); i += threads) {
        const Channel& channel = channel_of(network, layer, i);
        const float value = biased(channel, scaled(channel, normalised(channel, network.product[i])));
        frame[i] = activated(channel, value);
      }
      barrier.sync();
    }
  }
}

unsigned blocks_of_product(const Network& network, unsigned block) {
  return static_cast<unsigned>(network.channels) * blocks_for(network.pixels(), block);
}

void relaunch(const Network& network, unsigned block) {
  const unsigned blocks = blocks_for(network.elements(), block);
  float* const product = network.product;
  for (int number = 0; number < network.frames; ++number) {
    float* const frame = network.frame + number * network.elements();
    for (int layer = 0; layer < network.layers; ++layer) {
      im2col<<<blocks_for(network.taps() * network.pixels(), block), block>>>(network, frame);
      gemm<<<blocks_of_product(network, block), block>>>(network, layer);
      each<normalised><<<blocks, block>>>(network, layer, product, product);
      each<scaled><<<blocks, block>>>(network, layer, product, product);
      each<biased><<<blocks, block>>>(network, layer, product, product);
      each<activated><<<blocks, block>>>(network, layer, product, frame);
      CUDA_CHECK(cudaGetLastError());
    }
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

template <class Barrier>
void meet(const Network& network, unsigned block) {
  run_with_barriers<Barrier>(&all_layers<Barrier>, blocks_of_product(network, block), block, network);
}

void run(const std::string& system, const Network& network, unsigned block) {
  if (system == "barrier") return meet<CooperativeBarrier>(network, block);
  if (system == "atomic") return meet<AtomicBarrier>(network, block);
  if (system == "flags") return meet<FlagBarrier>(network, block);
  relaunch(network, block);
}

/// Runs on the host, on arrays of the host.
void run_on_host(const Network& network) {
  std::vector<float> next(network.elements());
  for (int number = 0; number < network.frames; ++number) {
    float* const frame = network.frame + number * network.elements();
    for (int layer = 0; layer < network.layers; ++layer) {
      for (int i = 0; i < network.elements(); ++i) {
        const int row = layer * network.channels + i / network.pixels(), pixel = i % network.pixels();
        float sum = 0;
        for (int tap = 0; tap < network.taps(); ++tap) {
          const float value = column_of(network, frame, tap * network.pixels() + pixel);
          sum = exact_add(sum, exact_mul(network.weight[row * network.taps() + tap], value));
        }
        const Channel& channel = network.channel[row];
        next[i] = activated(channel, biased(channel, scaled(channel, normalised(channel, sum))));
      }
      std::copy(next.begin(), next.end(), frame);
    }
  }
}

std::vector<float> random_values(Random& random, long count, double largest) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.real(-largest, largest));
  return values;
}

int main(int argc, char** argv) {
  long side = 16, channels = 8, layers = 3, frames = 2, block = 128, seed = 1;
  System system({"relaunch", "barrier", "atomic", "flags"});
  Options options("barriers_cnn", "convolutional network, between whose functions all thread blocks meet");
  system.add(options);
  options.add("side", &side, 1, 512, "columns and rows of a frame");
  options.add("channels", &channels, 1, kMostChannels, "channels of each layer");
  options.add("layers", &layers, 1, kMostLayers, "layers");
  options.add("frames", &frames, 1, 1000, "frames");
  options.add("block", &block, 1, kMostThreads, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of frames and weights");
  options.parse(argc, argv);
  system.check(options);

  Random random(seed);
  Network network{static_cast<int>(side), static_cast<int>(channels), static_cast<int>(layers),
                  static_cast<int>(frames)};
  std::vector<float> frame = random_values(random, frames * network.elements(), 1);
  const std::vector<float> weight = random_values(random, layers * channels * network.taps(), 0.5);
  std::vector<Channel> channel(layers * channels);
  for (Channel& one : channel) {
    one = {static_cast<float>(random.real(-0.5, 0.5)), static_cast<float>(random.real(0.5, 1)),
           static_cast<float>(random.real(0.5, 1)), static_cast<float>(random.real(-1, 1))};
  }
  DeviceArray<float> device_frame(frame), device_weight(weight);
  DeviceArray<float> column(static_cast<std::size_t>(network.taps()) * network.pixels()), product(network.elements());
  DeviceArray<Channel> device_channel(channel);
  Network on_device = network;
  on_device.weight = device_weight.get();
  on_device.channel = device_channel.get();
  on_device.frame = device_frame.get();
  on_device.column = column.get();
  on_device.product = product.get();
  run(system.name, on_device, static_cast<unsigned>(block));

  network.weight = weight.data();
  network.channel = channel.data();
  network.frame = frame.data();
  run_on_host(network);
  Verdict verdict(options);
  verdict.equal("frames", device_frame.download(), frame);
  return verdict.finish();
}
