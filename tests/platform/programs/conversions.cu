// Conversions between real and whole numbers: the four roundings, ties, saturation, NaN, and between widths.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void convert(const float* values, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = values[i];
    printf("%g: %d %d %d %d | %u %u %u %u | %lld %llu\n", x, __float2int_rn(x), __float2int_rz(x), __float2int_ru(x),
           __float2int_rd(x), __float2uint_rn(x), __float2uint_rz(x), __float2uint_ru(x), __float2uint_rd(x),
           __float2ll_rz(x), __float2ull_rz(x));
  }
}

__global__ void from_whole() {
  printf("%.1f %.1f %.1f %.1f\n", __int2float_rn(16777217), __int2float_rz(16777219), __int2float_ru(16777217),
         __int2float_rd(-16777217));
  printf("%.1f %.1f %.1f\n", __uint2float_rn(4294967295u), __uint2float_rz(4294967295u), __ull2float_rn(~0ull));
  printf("%.1f %.1f\n", __ll2double_rn(9007199254740993ll), __ll2double_ru(9007199254740993ll));
  printf("%.9g %.9g %.9g\n", __double2float_rn(0.1), __double2float_ru(0.1), __double2float_rd(0.1));
  printf("%d %d %u\n", static_cast<signed char>(200), static_cast<short>(70000), static_cast<unsigned char>(-1));
  printf("%d %u %x\n", __float_as_int(1.0f), __float_as_uint(-0.0f), __double2hiint(1.0));
}

int main() {
  const float values[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.25f, 3e9f, -3e9f, 5e9f, 1e20f, -1e20f, 1.0f / 0.0f};
  float* device = nullptr;
  cudaMalloc(&device, sizeof values);
  cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
  convert<<<1, 1>>>(device, sizeof values / sizeof values[0]);
  from_whole<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
