// Functions that call themselves: directly, each other, with arrays and addresses in their frames, in lanes that part,
// through pointers; and what happens where the call stack ends.
#include <cuda_runtime.h>

#include <cstdio>

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ __noinline__ long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int odd(int n, int* steps);
__device__ __noinline__ int even(int n, int* steps) {
  ++*steps;
  return n == 0 ? 1 : odd(n - 1, steps);
}
__device__ __noinline__ int odd(int n, int* steps) {
  ++*steps;
  return n == 0 ? 0 : even(n - 1, steps);
}

struct Sums {
  int low;
  double high;
  int path[3];
};

// Each call has an array of its own, which calls below it write through a pointer.
__device__ __noinline__ Sums descend(int depth, int* above, Sums given) {
  int own[4] = {depth, depth + 1, depth + 2, 0};
  if (above != nullptr) above[3] += depth;
  given.low += depth;
  given.high += 0.5 * depth;
  given.path[depth % 3] += 1;
  if (depth == 0) return given;
  Sums left = descend(depth - 1, own, given);
  Sums right = descend(depth / 2, own, left);
  right.low += own[0] + own[1] + own[2] + own[3];
  return right;
}

__device__ __noinline__ void sort(int* first, int* last) {
  if (last - first < 2) return;
  int pivot = *first, *middle = first;
  for (int* at = first + 1; at != last; ++at) {
    if (*at < pivot) {
      int value = *at;
      *at = *++middle;
      *middle = value;
    }
  }
  *first = *middle;
  *middle = pivot;
  sort(first, middle);
  sort(middle + 1, last);
}

// Here calls through pointers close the circle.
using Function = int (*)(int);
__device__ Function table[2];
__device__ __noinline__ int collatz(int n) { return n == 1 ? 0 : 1 + table[n & 1](n); }
__device__ int halve(int n) { return collatz(n / 2); }
__device__ int triple(int n) { return collatz(3 * n + 1); }
__device__ int count_down(int n) { return n == 0 ? 0 : 1 + table[0](n - 1); }

__global__ void values(long long* out) {
  const int t = threadIdx.x;
  int steps = 0;
  out[t] = ackermann(2, t % 4) + 1000 * fibonacci(t % 12);
  out[64 + t] = even(t, &steps) + 10LL * steps;
  Sums sums = descend(t % 7, nullptr, Sums{1, 2, {0, 0, 0}});
  out[128 + t] =
      sums.low + 10000LL * static_cast<int>(2 * sums.high) + 100000000LL * (sums.path[0] + 100 * sums.path[2]);
  int list[24];
  for (int i = 0; i < 24; ++i) list[i] = (i * 7 + t) * 37 % 101;
  sort(list, list + 24);
  long long check = 0;
  for (int i = 0; i < 24; ++i) check = check * 3 + (i > 0 && list[i] < list[i - 1] ? 1000000 : list[i]) % 97;
  out[192 + t] = check;
}

__global__ void pointers(int* out) {
  table[0] = halve;
  table[1] = triple;
  out[threadIdx.x] = collatz(threadIdx.x + 1);
}

__global__ void only_pointers(int* out) {
  table[0] = count_down;
  out[threadIdx.x] = table[0](threadIdx.x);
}

__global__ void deep(int* out) {
  int steps = 0;
  *out = even(*out, &steps) + steps;
}

template <class T>
unsigned long long hash(const T* values, int count) {
  unsigned long long h = 14695981039346656037ULL;
  for (int i = 0; i < count; ++i) h = (h ^ static_cast<unsigned long long>(values[i])) * 1099511628211ULL;
  return h;
}

void try_deep(int depth) {
  int* device = nullptr;
  cudaMalloc(&device, sizeof depth);
  cudaMemcpy(device, &depth, sizeof depth, cudaMemcpyHostToDevice);
  deep<<<1, 1>>>(device);
  const cudaError_t error = cudaDeviceSynchronize();
  int result = 0;
  if (error == cudaSuccess) cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("deep %d: %s %d\n", depth, error == cudaSuccess ? "done" : "stopped", result);
  if (error != cudaSuccess) cudaDeviceReset();
}

int main() {
  int* words = nullptr;
  static int small[64];
  cudaMalloc(&words, sizeof small);
  only_pointers<<<1, 1>>>(words);
  std::printf("one call through a pointer: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  try_deep(8);
  try_deep(100000);

  cudaDeviceSetLimit(cudaLimitStackSize, 64 * 1024);
  try_deep(500);
  long long* device = nullptr;
  static long long host[256];
  cudaMalloc(&device, sizeof host);
  values<<<1, 64>>>(device);
  std::printf("values: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%lld %lld %lld %lld, hash %llx\n", host[3], host[64 + 9], host[128 + 6], host[192], hash(host, 256));

  cudaMalloc(&words, sizeof small);
  pointers<<<1, 64>>>(words);
  std::printf("pointers: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(small, words, sizeof small, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d, hash %llx\n", small[2], small[26], small[63], hash(small, 64));
  only_pointers<<<1, 64>>>(words);
  std::printf("only pointers: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(small, words, sizeof small, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", small[0], small[63]);
  return 0;
}
