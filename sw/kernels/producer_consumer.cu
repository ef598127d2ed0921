// Thread blocks that pass items to each other through flags: the block of stage s takes item i when stage s - 1 has
// published it (volatile flag, __threadfence), processes it and publishes it in turn. Blocks obtain their stage number
// from an atomic counter. A waiting block therefore waits only for blocks that already run, so any number of blocks
// works.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kItem = 64;  // words of an item, and threads of a block

__device__ int next_ticket = 0;

__host__ __device__ unsigned work(unsigned word, unsigned stage) {
  word ^= stage * 0x9e3779b9u;
  word = word << 7 | word >> 25;
  return word * 5 + 0xe6546b64u;
}

// buffer[stage][item][kItem]: stage 0 is the input. ready[stage][item] is 1 when the item may be read.
__global__ void stage_of_line(unsigned* buffer, int* ready, int items) {
  __shared__ int my_stage;
  if (threadIdx.x == 0) my_stage = atomicAdd(&next_ticket, 1) + 1;
  __syncthreads();
  const int stage = my_stage;
  for (int item = 0; item < items; ++item) {
    const int source = (stage - 1) * items + item, target = stage * items + item;
    if (stage > 1) {
      if (threadIdx.x == 0) {
        while (*static_cast<volatile int*>(&ready[source]) == 0) {
        }
        __threadfence();
      }
      __syncthreads();
    }
    // Each thread reads a word that another thread wrote, because the words are rotated.
    const unsigned word = static_cast<volatile unsigned*>(buffer)[source * kItem + (threadIdx.x + stage) % kItem];
    buffer[target * kItem + threadIdx.x] = work(word, stage);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&ready[target], 1);
  }
}

int main(int argc, char** argv) {
  long stages = 40, items = 6, seed = 1;
  Options options("producer_consumer", "a line of thread blocks that hand items on");
  options.add("stages", &stages, 1, 4096, "thread blocks");
  options.add("items", &items, 1, 1024, "items of 64 words");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned> data(items * kItem), expected;
  for (unsigned& word : data) word = static_cast<unsigned>(random.next());
  const std::size_t words = (stages + 1) * data.size();
  DeviceArray<unsigned> buffer(words);
  DeviceArray<int> ready((stages + 1) * items);
  CUDA_CHECK(cudaMemcpy(buffer.get(), data.data(), data.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  ready.fill_bytes(0);
  stage_of_line<<<stages, kItem>>>(buffer.get(), ready.get(), items);
  CUDA_CHECK(cudaGetLastError());
  std::vector<unsigned> result(data.size());
  CUDA_CHECK(cudaMemcpy(result.data(), buffer.get() + stages * data.size(), data.size() * sizeof(unsigned),
                        cudaMemcpyDeviceToHost));
  for (long stage = 1; stage <= stages; ++stage) {
    expected.resize(data.size());
    for (long i = 0; i < static_cast<long>(data.size()); ++i) {
      expected[i] = work(data[i / kItem * kItem + (i + stage) % kItem], static_cast<unsigned>(stage));
    }
    data.swap(expected);
  }
  Verdict verdict(options);
  verdict.equal("words", result, data);
  return verdict.finish();
}
