// Every atomic operation, on global and on shared memory: 32 and 64 bits, signed, unsigned, float and double, and
// atomics that the program builds itself from compare-and-swap loops. Each operation is chosen so that its final value
// does not depend on the order of the threads.
#include <cuda_runtime.h>

#include <limits>

#include "common/program.h"

using namespace kernels;

struct Cells {
  int add, sub, min_signed, max_signed, exchange;
  unsigned min_unsigned, max_unsigned, increment, decrement, and_bits, or_bits, xor_bits, cas_max;
  float add_float, cas_min_float;
  unsigned long long add64, max64, min64, and64, or64, xor64, exchange64;
  long long min_signed64;
  double add_double, cas_product;
};

__device__ void float_min(float* address, float value) {
  int* const word = reinterpret_cast<int*>(address);
  int old = *word;
  while (value < __int_as_float(old)) {
    const int seen = atomicCAS(word, old, __float_as_int(value));
    if (seen == old) break;
    old = seen;
  }
}

__device__ void double_multiply(double* address, double factor) {
  unsigned long long* const word = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen,
                    static_cast<unsigned long long>(__double_as_longlong(__longlong_as_double(seen) * factor)));
  } while (old != seen);
}

__device__ void apply(Cells* c, unsigned x, unsigned thread) {
  const int s = static_cast<int>(x);
  const unsigned long long wide = static_cast<unsigned long long>(x) * 0x9e3779b97f4a7c15ull;
  atomicAdd(&c->add, s);
  atomicSub(&c->sub, s);
  atomicMin(&c->min_signed, s);
  atomicMax(&c->max_signed, s);
  atomicMin(&c->min_unsigned, x);
  atomicMax(&c->max_unsigned, x);
  atomicInc(&c->increment, 1000);
  atomicDec(&c->decrement, 1000);
  atomicAnd(&c->and_bits, x | 0xff0000ff);
  atomicOr(&c->or_bits, x & 0x0f0f0f0f);
  atomicXor(&c->xor_bits, x);
  atomicExch(&c->exchange, 77);
  for (unsigned old = c->cas_max; old < x;) {
    const unsigned seen = atomicCAS(&c->cas_max, old, x);
    if (seen == old) break;
    old = seen;
  }
  atomicAdd(&c->add_float, static_cast<float>(x % 16));
  float_min(&c->cas_min_float, static_cast<float>(s % 100000));
  atomicAdd(&c->add64, wide);
  atomicMax(&c->max64, wide);
  atomicMin(&c->min64, wide);
  atomicAnd(&c->and64, wide | 0xffff);
  atomicOr(&c->or64, wide & 0x0f0f0f0f0f0f0f0full);
  atomicXor(&c->xor64, wide);
  atomicExch(&c->exchange64, 0x123456789abcdefull);
  atomicMin(&c->min_signed64, static_cast<long long>(wide));
  atomicAdd(&c->add_double, static_cast<double>(s % 1000));
  double_multiply(&c->cas_product, thread % 3 == 0 ? -1.0 : 1.0);
}

__host__ __device__ Cells start() {
  Cells c;
  c.add = c.sub = c.exchange = 0;
  c.min_signed = INT32_MAX;
  c.max_signed = INT32_MIN;
  c.min_unsigned = UINT32_MAX;
  c.max_unsigned = c.increment = c.decrement = c.or_bits = c.xor_bits = c.cas_max = 0;
  c.and_bits = UINT32_MAX;
  c.add_float = 0;
  c.cas_min_float = 1e30f;
  c.add64 = c.max64 = c.or64 = c.xor64 = c.exchange64 = 0;
  c.min64 = c.and64 = ~0ull;
  c.min_signed64 = INT64_MAX;
  c.add_double = 0;
  c.cas_product = 1;
  return c;
}

__global__ void on_global(const unsigned* data, int n, Cells* cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) apply(cells, data[i], i);
}

// Runs on one block; the result cells are in shared memory and are copied to `cells` at the end.
__global__ void on_shared(const unsigned* data, int n, Cells* cells) {
  __shared__ Cells mine;
  if (threadIdx.x == 0) mine = start();
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) apply(&mine, data[i], i);
  __syncthreads();
  if (threadIdx.x == 0) *cells = mine;
}

Cells expect(const std::vector<unsigned>& data) {
  Cells c = start();
  const unsigned n = static_cast<unsigned>(data.size());
  for (unsigned x : data) {
    const int s = static_cast<int>(x);
    const unsigned long long wide = x * 0x9e3779b97f4a7c15ull;
    c.add = static_cast<int>(static_cast<unsigned>(c.add) + x);
    c.sub = static_cast<int>(static_cast<unsigned>(c.sub) - x);
    c.min_signed = std::min(c.min_signed, s);
    c.max_signed = std::max(c.max_signed, s);
    c.min_unsigned = std::min(c.min_unsigned, x);
    c.max_unsigned = std::max(c.max_unsigned, x);
    c.and_bits &= x | 0xff0000ff;
    c.or_bits |= x & 0x0f0f0f0f;
    c.xor_bits ^= x;
    c.add_float += static_cast<float>(x % 16);
    c.cas_min_float = std::min(c.cas_min_float, static_cast<float>(s % 100000));
    c.add64 += wide;
    c.max64 = std::max(c.max64, wide);
    c.min64 = std::min(c.min64, wide);
    c.and64 &= wide | 0xffff;
    c.or64 |= wide & 0x0f0f0f0f0f0f0f0full;
    c.xor64 ^= wide;
    c.min_signed64 = std::min(c.min_signed64, static_cast<long long>(wide));
    c.add_double += s % 1000;
  }
  c.cas_max = c.max_unsigned;
  c.increment = n % 1001;                  // wraps after 1000
  c.decrement = (1001 - n % 1001) % 1001;  // 0 wraps to 1000
  c.exchange = 77;
  c.exchange64 = 0x123456789abcdefull;
  c.cas_product = (n + 2) / 3 % 2 == 0 ? 1 : -1;
  return c;
}

void compare(Verdict& verdict, const std::string& where, const Cells& got, const Cells& want) {
  const auto flat32 = [](const Cells& c) {
    return std::vector<unsigned>{static_cast<unsigned>(c.add),
                                 static_cast<unsigned>(c.sub),
                                 static_cast<unsigned>(c.min_signed),
                                 static_cast<unsigned>(c.max_signed),
                                 static_cast<unsigned>(c.exchange),
                                 c.min_unsigned,
                                 c.max_unsigned,
                                 c.increment,
                                 c.decrement,
                                 c.and_bits,
                                 c.or_bits,
                                 c.xor_bits,
                                 c.cas_max};
  };
  const auto flat64 = [](const Cells& c) {
    return std::vector<unsigned long long>{
        c.add64, c.max64, c.min64,      c.and64,
        c.or64,  c.xor64, c.exchange64, static_cast<unsigned long long>(c.min_signed64)};
  };
  const auto flat_real = [](const Cells& c) {
    return std::vector<double>{c.add_float, c.cas_min_float, c.add_double, c.cas_product};
  };
  verdict.equal((where + " 32-bit").c_str(), flat32(got), flat32(want));
  verdict.equal((where + " 64-bit").c_str(), flat64(got), flat64(want));
  verdict.equal((where + " real").c_str(), flat_real(got), flat_real(want));
}

int main(int argc, char** argv) {
  long n = 3000, block = 128, seed = 1;
  Options options("atomics", "atomic operations on global and shared memory");
  options.add("n", &n, 1, 1 << 20, "elements");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned> data(n);
  for (unsigned& x : data) x = static_cast<unsigned>(random.next());
  DeviceArray<unsigned> device_data(data);
  DeviceArray<Cells> cells(std::vector<Cells>{start()});
  const Cells want = expect(data);
  Verdict verdict(options);
  on_global<<<blocks_for(n, block), block>>>(device_data.get(), n, cells.get());
  CUDA_CHECK(cudaGetLastError());
  compare(verdict, "global", cells.download()[0], want);
  on_shared<<<1, block>>>(device_data.get(), n, cells.get());
  CUDA_CHECK(cudaGetLastError());
  compare(verdict, "shared", cells.download()[0], want);
  return verdict.finish();
}
