// CUDA C++: launches, functions, memory spaces, and what of C++ runs in device code.
#include <cassert>

#include "feature.h"

__global__ void plain(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
template <class T, int N>
__global__ void templated(T* out) {
  out[threadIdx.x] = N;
}
template <class F>
__global__ void apply(F f) {
  f(threadIdx.x);
}
template <class... T>
__global__ void variadic(int* out, T... v) {
  *out = (v + ...);
}

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__host__ __device__ constexpr int square(int n) { return n * n; }
struct Shape {
  __device__ virtual int corners() const { return 0; }
};
struct Triangle : Shape {
  __device__ int corners() const override { return 3; }
};
__device__ int twice(int v) { return 2 * v; }
__device__ int thrice(int v) { return 3 * v; }
__device__ int (*const table[2])(int) = {twice, thrice};
__device__ int counter = 5;
__constant__ int factors[4] = {1, 2, 3, 4};
volatile __device__ int flag = 9;
extern __shared__ int dynamic[];
struct Pair {
  int a, b;
  __device__ Pair operator+(const Pair& other) const { return {a + other.a, b + other.b}; }
};

__global__ void functions(int* out, int n) {
  out[0] = factorial(n);
  constexpr int known = square(6);
  out[1] = known;
  Triangle t;
  const Shape* shape = &t;
  out[2] = shape->corners();
  out[3] = table[n & 1](10);
  const auto add = [n](int v) { return v + n; };
  out[4] = add(1);
  const Pair sum = Pair{1, 2} + Pair{3, n};
  out[5] = sum.a * 100 + sum.b;
  int* heap = static_cast<int*>(malloc(8));
  heap[1] = 44;
  out[6] = heap[1];
  free(heap);
  Pair* made = new Pair{3, 4};
  out[7] = made->b;
  delete made;
  switch (n) {
    case 5:
      out[8] = 1;
      break;
    default:
      out[8] = 2;
  }
  long long wide = 1LL << 40;
  out[9] = static_cast<int>((wide * n) >> 40);
  double d = n;
  out[10] = static_cast<int>(sqrt(d * d) + 0.5);
  asm("add.s32 %0, %1, 100;" : "=r"(out[11]) : "r"(n));
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = i * n;
  out[12] = local[n];
  assert(n == 5);
  out[13] = __builtin_popcount(255);
  int sum_of_list = 0;
#pragma unroll
  for (int i : {1, 2, 3}) sum_of_list += i;
  out[14] = sum_of_list;
  goto done;
done:
  out[15] = 1;
  union {
    float f;
    int i;
  } both;
  both.f = 1.0f;
  out[16] = both.i;
  const auto [x, y] = Pair{6, n};
  out[17] = x * y;
  if constexpr (sizeof(int) == 4) out[18] = 4;
}
__global__ void spaces(int* out) {
  __shared__ int fixed[32];
  fixed[threadIdx.x] = threadIdx.x;
  dynamic[threadIdx.x] = 10 * threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = fixed[31];
    out[1] = dynamic[31];
    out[2] = factors[3];
    out[3] = ++counter;
    out[5] = flag;
  }
}
__global__ void __launch_bounds__(64, 2) bounded(int* out) { *out = warpSize; }
__global__ void __restrict_(const int* __restrict__ in, int* __restrict__ out) { *out = __ldg(in) + 1; }
__global__ void shape(int* out) {
  out[0] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
  out[1] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  out[2] = clock64() > 0;
}
struct Wide {
  int v[200];
};
__global__ void by_value(int* out, Wide w) { *out = w.v[199]; }

int main() {
  Out o;
  plain<<<2, 32>>>(o.v, 3);
  FEATURE("Launches", "`kernel<<<grid, block>>>(...)`", o.is(63, 3) && o.is(64, 0));
  cudaStream_t s;
  cudaStreamCreate(&s);
  plain<<<1, 32, 128, s>>>(o.v, 4);
  FEATURE("Launches", "`<<<grid, block, shared, stream>>>`", o.is(31, 4));
  plain<<<1, 32>>>(o.v, 5);
  FEATURE("Launches", "brackets with spaces, `<< <1, 32>> >`", o.is(31, 5));
  int value = 6;
  void* arguments[] = {&o.v, &value};
  cudaLaunchKernel(plain, dim3(1), dim3(32), arguments, 0, s);
  FEATURE("Launches", "`cudaLaunchKernel`", o.is(31, 6));
  value = 7;
  cudaLaunchCooperativeKernel(plain, dim3(1), dim3(32), arguments, 0, s);
  FEATURE("Launches", "`cudaLaunchCooperativeKernel`", o.is(31, 7));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, plain, o.v, 17);
  FEATURE("Launches",
          "`cudaLaunchKernelEx`, `cudaLaunchKernelExC`: cooperative launches; attributes without effect here "
          "are accepted",
          o.is(31, 17));
  void (*pointer)(int*, int) = plain;
  pointer<<<1, 1>>>(o.v, 8);
  FEATURE("Launches", "through a pointer to a kernel", o.is(0, 8));
  shape<<<dim3(1, 2, 3), dim3(4, 2, 1)>>>(o.v);
  FEATURE("Launches", "grids and blocks of three dimensions", o.is(0, 123) && o.is(1, 421));
  FEATURE("Device functions", "`__threadfence`, `_block`, `_system`; `clock64`", o.is(2, 1));
  bounded<<<1, 64>>>(o.v);
  FEATURE("Launches", "`__launch_bounds__`", o.is(0, 32));
  Wide wide = {};
  wide.v[199] = 77;
  by_value<<<1, 1>>>(o.v, wide);
  FEATURE("Launches", "structures by value", o.is(0, 77));
  plain<<<1, 2048>>>(o.v, 1);
  FEATURE("Launches", "blocks that are too large give `cudaErrorInvalidConfiguration`",
          cudaGetLastError() == cudaErrorInvalidConfiguration);

  templated<int, 12><<<1, 1>>>(o.v);
  FEATURE("C++ in device code", "templates of kernels", o.is(0, 12));
  variadic<<<1, 1>>>(o.v, 1, 2, 3);
  FEATURE("C++ in device code", "variadic templates, fold expressions", o.is(0, 6));
  int* out = o.v;
  apply<<<1, 4>>>([=] __device__(int i) { out[i] = 20 + i; });
  FEATURE("C++ in device code", "`__device__` lambdas as arguments", o.is(3, 23));
  functions<<<1, 1>>>(o.v, 5);
  FEATURE("C++ in device code", "recursion", o.is(0, 120));
  FEATURE("C++ in device code", "`constexpr` functions of both sides", o.is(1, 36));
  FEATURE("C++ in device code", "virtual functions", o.is(2, 3));
  FEATURE("C++ in device code", "function pointers and tables of them", o.is(3, 30));
  FEATURE("C++ in device code", "lambdas inside of kernels", o.is(4, 6));
  FEATURE("C++ in device code", "classes and overloaded operators", o.is(5, 407));
  FEATURE("C++ in device code", "`malloc` and `free`", o.is(6, 44));
  FEATURE("C++ in device code", "`new` and `delete`", o.is(7, 4));
  FEATURE("C++ in device code", "`switch`", o.is(8, 1));
  FEATURE("C++ in device code", "64-bit integers", o.is(9, 5));
  FEATURE("C++ in device code", "`double`", o.is(10, 5));
  FEATURE("C++ in device code", "PTX in `asm`", o.is(11, 105));
  FEATURE("C++ in device code", "local arrays with variable index", o.is(12, 25));
  FEATURE("C++ in device code", "`assert` that holds", o.is(15, 1));
  FEATURE("C++ in device code", "compiler built-ins (`__builtin_popcount`)", o.is(13, 8));
  FEATURE("C++ in device code", "range-based `for`, `#pragma unroll`", o.is(14, 6));
  FEATURE("C++ in device code", "`goto`", o.is(15, 1));
  FEATURE("C++ in device code", "unions", o.is(16, 0x3f800000));
  FEATURE("C++ in device code", "structured bindings", o.is(17, 30));
  FEATURE("C++ in device code", "`if constexpr`", o.is(18, 4));

  o.clear();
  spaces<<<1, 32, 32 * 4>>>(o.v);
  FEATURE("Variables", "`__shared__` arrays", o.is(0, 31));
  FEATURE("Variables", "`extern __shared__` of the launch's size", o.is(1, 310));
  FEATURE("Variables", "`__constant__`", o.is(2, 4));
  FEATURE("Variables", "`__device__`", o.is(3, 6));
  FEATURE("Variables", "`volatile __device__`", o.is(5, 9));
  o.v[1] = 5;
  __restrict_<<<1, 1>>>(o.v + 1, o.v);
  FEATURE("Variables", "`__restrict__`, `__ldg`", o.is(0, 6));
  return missing != 0;
}
