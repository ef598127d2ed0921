// A copy with 4, 8 and 16 bytes per thread: the wider access is not the slower one. Prints GB/s, each way counted.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "check.h"

struct alignas(16) Record {
  short parts[4];
  int key;
  float weight;
};

template <class T>
__global__ void copy(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

template <class T>
float measure(const std::vector<unsigned char>& bytes) {
  const int n = static_cast<int>(bytes.size() / sizeof(T));
  T *from = nullptr, *to = nullptr;
  GOOD(cudaMalloc(&from, bytes.size()));
  GOOD(cudaMalloc(&to, bytes.size()));
  GOOD(cudaMemcpy(from, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  GOOD(cudaEventCreate(&begin));
  GOOD(cudaEventCreate(&end));
  GOOD(cudaEventRecord(begin));
  copy<<<(n + 255) / 256, 256>>>(from, to, n);
  GOOD(cudaEventRecord(end));
  std::vector<unsigned char> got(bytes.size());
  GOOD(cudaMemcpy(got.data(), to, got.size(), cudaMemcpyDeviceToHost));
  CHECK(got == bytes);
  float ms = 0;
  GOOD(cudaEventElapsedTime(&ms, begin, end));
  GOOD(cudaFree(from));
  GOOD(cudaFree(to));
  return 2e-6f * static_cast<float>(bytes.size()) / ms;
}

int main() {
  std::vector<unsigned char> bytes(4 << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  const float by4 = measure<float>(bytes), by8 = measure<float2>(bytes), by16 = measure<float4>(bytes);
  const float records = measure<Record>(bytes);
  std::printf("bytes per thread: 4 %.1f GB/s, 8 %.1f GB/s, 16 %.1f GB/s, 16 of a structure %.1f GB/s\n", by4, by8, by16,
              records);
  // The order in which blocks come to the memory's rows makes up to a tenth. Halves of sectors, which L2 has to fetch
  // before it writes them, cost a third.
  CHECK(by8 >= 0.85f * by4);
  CHECK(by16 >= 0.85f * by8);
  CHECK(records >= 0.85f * by8);
  return verdict();
}
