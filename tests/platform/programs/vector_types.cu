// Built-in vector types: sizes, alignments, constructors, and loads and stores of every width on both sides.
#include <cuda_runtime.h>

#include <cstdio>

#define SHOW(type) std::printf(#type " %zu %zu\n", sizeof(type), alignof(type));

template <class T>
__global__ void reverse(const T* in, T* out, int n) {
  __shared__ T held[8];
  held[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = held[n - 1 - threadIdx.x];
}

template <class T>
void check(const char* name) {
  T host[8], back[8];
  unsigned char* bytes = reinterpret_cast<unsigned char*>(host);
  for (unsigned i = 0; i < sizeof host; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  T *in = nullptr, *out = nullptr;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  reverse<<<1, 8>>>(in, out, 8);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  const unsigned char* result = reinterpret_cast<const unsigned char*>(back);
  int wrong = 0;
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned b = 0; b < sizeof(T); ++b) wrong += result[(7 - i) * sizeof(T) + b] != bytes[i * sizeof(T) + b];
  }
  std::printf("%s %d wrong\n", name, wrong);
}

int main() {
  SHOW(char2)
  SHOW(char3)
  SHOW(uchar4) SHOW(short2) SHOW(ushort3) SHOW(short4) SHOW(int2) SHOW(int3) SHOW(uint4) SHOW(float2) SHOW(float3)
      SHOW(float4) SHOW(double2) SHOW(longlong2) SHOW(dim3) const dim3 grid(7, 8);
  const float4 f = make_float4(1, 2, 3, 4);
  const uint3 u = make_uint3(5, 6, 7);
  std::printf("%u %u %u, %g, %u\n", grid.x, grid.y, grid.z, f.w, u.y);
  check<char2>("char2");
  check<uchar3>("uchar3");
  check<short4>("short4");
  check<int2>("int2");
  check<float3>("float3");
  check<float4>("float4");
  check<double2>("double2");
  check<ulonglong2>("ulonglong2");
  return 0;
}
