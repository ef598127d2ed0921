// Reduction of any type with any operation: shuffles inside a warp and shared memory between the warps of a block. The
// last block to finish (threadfence and atomic counter) reduces the partial results.
#include <cuda_runtime.h>

#include <limits>

#include "common/program.h"

using namespace kernels;

struct Sum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Largest {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Smallest {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

__device__ unsigned blocks_done = 0;

template <class T, class Op>
__device__ T reduce_block(T value, Op op, T identity) {
  __shared__ T of_warp[32];
  for (int distance = 16; distance > 0; distance /= 2) {
    value = op(value, __shfl_down_sync(0xffffffffu, value, distance));
  }
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();  // the previous call may still use the array
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  value = lane < blockDim.x / 32 ? of_warp[lane] : identity;
  for (int mask = 16; mask > 0; mask /= 2) value = op(value, __shfl_xor_sync(0xffffffffu, value, mask));
  return value;
}

template <class T, class Op>
__global__ void reduce(const T* in, long n, volatile T* partial, T* result, Op op, T identity) {
  T value = identity;
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<long>(gridDim.x) * blockDim.x) {
    value = op(value, in[i]);
  }
  value = reduce_block(value, op, identity);

  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // wraps to 0 for the next launch
  }
  __syncthreads();
  if (!is_last) return;
  value = identity;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) value = op(value, static_cast<T>(partial[i]));
  value = reduce_block(value, op, identity);
  if (threadIdx.x == 0) *result = value;
}

template <class T, class Op>
void check(Verdict& verdict, const char* what, const std::vector<T>& data, Op op, T identity, unsigned block) {
  const unsigned grid = std::min(blocks_for(data.size(), block), 64u);
  DeviceArray<T> in(data), partial(grid), result(1);
  reduce<<<grid, block>>>(in.get(), static_cast<long>(data.size()), partial.get(), result.get(), op, identity);
  CUDA_CHECK(cudaGetLastError());
  T expected = identity;
  for (const T& value : data) expected = op(expected, value);
  verdict.equal(what, result.download()[0], expected);
}

int main(int argc, char** argv) {
  long n = 100000, block = 256, seed = 1;
  Options options("reduction", "sum, largest and smallest element in several types");
  options.add("n", &n, 1, 1 << 26, "elements");
  options.add("block", &block, 32, 1024, "threads of a block, a multiple of 32");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (block % 32 != 0) options.fail("option 'block' is a multiple of 32");

  Random random(seed);
  std::vector<unsigned> words(n);
  std::vector<float> floats(n);
  std::vector<double> doubles(n);
  std::vector<long long> longs(n);
  for (long i = 0; i < n; ++i) {
    words[i] = static_cast<unsigned>(random.next());
    floats[i] = static_cast<float>(random.real(-1e6, 1e6));
    doubles[i] = static_cast<double>(random.range(-1000000, 1000000));  // integers: the sum is equal in any order
    longs[i] = static_cast<long long>(random.next());
  }
  Verdict verdict(options);
  check(verdict, "sum of u32", words, Sum(), 0u, block);
  check(verdict, "largest float", floats, Largest(), -std::numeric_limits<float>::infinity(), block);
  check(verdict, "sum of double", doubles, Sum(), 0.0, block);
  check(verdict, "smallest s64", longs, Smallest(), std::numeric_limits<long long>::max(), block);
  return verdict.finish();
}
