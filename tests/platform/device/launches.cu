// Launches by device code in the forms that clang does not have: kernels that the arguments choose, through macros, and
// through pointers to kernels.
#include <cuda_runtime.h>

#include "check.h"

namespace ns {
template <class T, int N = 2, typename = typename std::enable_if<(N > 1)>::type>
static __global__ void __launch_bounds__(64) scale(T* __restrict__ p, const T* q, size_t n = 4) {
  if (threadIdx.x < n) p[threadIdx.x] += q[threadIdx.x] * T(N);
}
}  // namespace ns

template <int D>
__global__ void count_down(int* p) {
  *p += D;
  if constexpr (D > 0) count_down<D - 1><<<1, 1>>>(p);
}
template <class T>
__global__ void recurse(T* p, int depth) {
  *p += depth;
  if (depth > 0) recurse<<<1, 1>>>(p, depth - 1);
}
__global__ void over(int* p) { *p += 100; }
__global__ void over(float* p) { *p += 1000; }
template <class... A>
__global__ void many(int* p, A... a) {
  *p += (a + ... + 0);
}
__global__ void five(int* p) { *p += 5; }
__global__ void add(int* p, int v) { *p += v; }

#define LAUNCH(k, ...) k<<<1, 1>>>(__VA_ARGS__)
#define LAUNCH_CHECKED(k, g, b, p, ...)                             \
  do {                                                              \
    k<<<g, b>>>(p, __VA_ARGS__);                                    \
    const char* name = #k;                                          \
    if (cudaGetLastError() != 0 || name[0] != 'm') *(p) = -1000000; \
  } while (0)
#define OUTER(k, p) LAUNCH_CHECKED(k, 1, 1, p, 4, short(5))
#define CHECK(x) \
  do {           \
    x;           \
  } while (0)
#define GO five<<<1, 1>>>(p)

template <class T>
__global__ void templates(T* p) {
  const T* q = p + 4;
  ns::scale<<<1, 32>>>(p, q, 4);
  ns::scale<T, 3><<<1, 32>>>(p, q, 4);
  LAUNCH(ns::scale, p, q, 1);
  CHECK((ns::scale<<<1, 32>>>(p, p + 4, 2)));
}

typedef void (*Kernel)(int*);
struct Table {
  Kernel k[2];
};
__device__ Kernel choose(bool b) { return b ? five : &five; }
struct Runner {
  template <class K>
  __host__ __device__ void run(K k, int* p) const {
    k<<<1, 1>>>(p);
  }
};
template <void (*K)(int*)>
__device__ void run_argument(int* p) {
  K<<<1, 1>>>(p);
}

__global__ void forms(int* p, Table* t) {
  Kernel k = five;
  k<<<1, 1>>>(p);
  Kernel a[2] = {five, &five};
  a[threadIdx.x + 1]<<<1, 1>>>(p);
  if (p) (*k)<<<1, 1>>>(p);
  t->k[1] = five;
  t->k[1]<<<1, 1>>>(p);
  choose(p)<<<1, 1>>>(p);
  Runner().run(five, p);
  run_argument<five>(p);
  GO;
  LAUNCH(five, p);
  count_down<3><<<1, 1>>>(p);
  cudaDeviceSynchronize();
  recurse<<<1, 1>>>(p, 3);
  cudaDeviceSynchronize();
  over<<<1, 1>>>(p);
  many<<<1, 1>>>(p, 1, 2, 3);
  OUTER(many, p);
  auto lambda = [=](int v) { add<<<1, 1>>>(p, v); };
  lambda(7);
}

int main() {
  Shared<float> f(8);
  Shared<double> d(8);
  for (int i = 0; i < 8; ++i) f[i] = d[i] = i;
  templates<<<1, 1>>>(f.get());
  templates<<<1, 1>>>(d.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 4; ++i) {
    const int times = 5 + (i < 1 ? 2 : 0) + (i < 2 ? 2 : 0);
    EXPECT_SAME("scale of floats", f[i], float(i + times * (i + 4)));
    EXPECT_SAME("scale of doubles", d[i], double(i + times * (i + 4)));
  }
  Shared<int> sum(1);
  Shared<Table> table(1);
  forms<<<1, 1>>>(sum.get(), table.get());
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT_SAME("forms", sum[0], 9 * 5 + 6 + 6 + 100 + 6 + 9 + 7);
  Runner().run(five, sum.get());
  LAUNCH(add, sum.get(), 3);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT_SAME("the same on the host", sum[0], 9 * 5 + 6 + 6 + 100 + 6 + 9 + 7 + 8);
  return verdict();
}
