// Loads behind, between and far from allocations, with memory.check page: what lies there is the same on all machines and
// in every run. A kernel that does so is named once on standard error; stores outside still stop their kernel.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

__constant__ int table[5] = {1, 2, 3, 4, 5};

__global__ void sum_of_neighbours(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (i == 0 ? 0 : in[i - 1]) + in[i] + in[i + 1];
}

// Sums of the words that lie `words` behind `in`, as 4 and 16 bytes.
__global__ void look(const int* in, long long words, long long* out) {
  const int4 four = reinterpret_cast<const int4*>(in)[(words & ~3LL) / 4];
  out[0] = in[words];
  out[1] = static_cast<long long>(four.x) + four.y + four.z + four.w;
}

__global__ void look_at_constants(int first, int* out) { out[threadIdx.x] = table[first + threadIdx.x]; }

__global__ void store_behind(int* to, int n) { to[n + threadIdx.x] = 1; }

long long* result = nullptr;

void show(const char* what, const int* in, long long words) {
  look<<<1, 1>>>(in, words, result);
  long long values[2] = {-1, -1};
  const cudaError_t error = cudaMemcpy(values, result, sizeof values, cudaMemcpyDeviceToHost);
  std::printf("%s: %s %lld %lld\n", what, cudaGetErrorString(error), values[0], values[1]);
}

int main() {
  // Before the first call opens the device.
  const char* const others = std::getenv("CASTOR_SET");
  setenv("CASTOR_SET", (std::string(others == nullptr ? "" : others) + ";memory.check=page").c_str(), 1);

  constexpr int kWords = 250;
  int host[kWords];
  for (int i = 0; i < kWords; ++i) host[i] = 1000 + i;
  int *a = nullptr, *freed = nullptr, *b = nullptr, *sums = nullptr;
  cudaMalloc(&result, 16);
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&freed, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&sums, sizeof host);
  for (int* to : {a, freed, b}) cudaMemcpy(to, host, sizeof host, cudaMemcpyHostToDevice);

  sum_of_neighbours<<<5, 50>>>(a, sums, kWords);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("sums: %d %d %d\n", host[0], host[1], host[kWords - 1]);
  cudaFree(freed);

  show("inside", a, 249);
  show("across the end", a, 251);
  show("behind", a, 300);
  show("the neighbour", a, (b - a) + 7);
  show("freed", a, (freed - a) + 7);
  show("before", b, -3);
  show("end of the piece", a, (reinterpret_cast<long long>(a) / (2 << 20) + 1) * (2 << 20) / 4 -
                                  reinterpret_cast<long long>(a) / 4 - 4);

  look_at_constants<<<1, 10>>>(0, sums);
  cudaMemcpy(host, sums, 40, cudaMemcpyDeviceToHost);
  std::printf("constants: %d %d %d %d\n", host[0], host[4], host[5], host[9]);

  store_behind<<<1, 32>>>(a, kWords);
  std::printf("store: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
