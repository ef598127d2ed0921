// Copies and sets of all kinds: between host and device, inside the device, by default kind, in two dimensions with
// different pitches, to pinned memory, and sets of bytes and of rows.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

void print(const char* what, const unsigned char* bytes, int n) {
  std::printf("%s:", what);
  for (int i = 0; i < n; ++i) std::printf(" %02x", bytes[i]);
  std::printf("\n");
}

int main() {
  unsigned char host[32], back[32];
  for (int i = 0; i < 32; ++i) host[i] = static_cast<unsigned char>(i + 1);
  unsigned char *a = nullptr, *b = nullptr, *pitched = nullptr, *pinned = nullptr;
  cudaMalloc(&a, 32);
  cudaMalloc(&b, 32);
  cudaMemcpy(a, host, 32, cudaMemcpyHostToDevice);
  cudaMemset(b, 0xaa, 32);
  cudaMemcpy(b + 3, a + 1, 7, cudaMemcpyDeviceToDevice);
  cudaMemcpy(back, b, 16, cudaMemcpyDeviceToHost);
  print("unaligned piece", back, 16);
  cudaMemcpy(b, host + 16, 8, cudaMemcpyDefault);
  cudaMemcpy(back, b, 16, cudaMemcpyDefault);
  print("default kind", back, 16);
  cudaMemcpy(back, host + 4, 8, cudaMemcpyHostToHost);
  print("host to host", back, 8);

  size_t pitch = 0;
  cudaMallocPitch(&pitched, &pitch, 5, 3);
  std::printf("pitch %s\n", pitch >= 5 && pitch % 256 == 0 ? "is a multiple of 256" : "is odd");
  cudaMemset2D(pitched, pitch, 0xee, 5, 3);
  cudaMemcpy2D(pitched, pitch, host, 8, 4, 3, cudaMemcpyHostToDevice);
  std::memset(back, 0, sizeof back);
  cudaMemcpy2D(back, 6, pitched, pitch, 5, 3, cudaMemcpyDeviceToHost);
  print("rows", back, 18);
  std::printf("too wide: %s\n", cudaGetErrorName(cudaMemcpy2D(back, 4, pitched, pitch, 5, 3, cudaMemcpyDeviceToHost)));

  cudaMallocHost(&pinned, 16);
  cudaMemcpyAsync(pinned, a, 16, cudaMemcpyDeviceToHost, 0);
  cudaMemsetAsync(a, 0x11, 8, 0);
  cudaMemcpyAsync(pinned + 12, a + 6, 4, cudaMemcpyDeviceToHost, 0);
  cudaStreamSynchronize(0);
  print("pinned", pinned, 16);
  std::printf("nothing to copy: %s\n", cudaGetErrorName(cudaMemcpy(a, host, 0, cudaMemcpyHostToDevice)));
  std::printf("beyond the end: %s\n", cudaGetErrorName(cudaMemcpy(a, host, 1 << 20, cudaMemcpyHostToDevice)));
  cudaPointerAttributes attributes;
  for (const void* p : {static_cast<const void*>(a), static_cast<const void*>(pinned)}) {
    cudaPointerGetAttributes(&attributes, p);
    std::printf("type %d\n", static_cast<int>(attributes.type));
  }
  return cudaFreeHost(pinned);
}
