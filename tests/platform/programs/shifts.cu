// Shifts by the width and more: PTX clamps the amount, bit-field and funnel operations have rules of their own.
#include <cuda_runtime.h>

#include <cstdio>

#define SHIFT(name, op, type, constraint)                               \
  __device__ type name(type x, unsigned n) {                            \
    type r;                                                             \
    asm(op " %0, %1, %2;" : "=" constraint(r) : constraint(x), "r"(n)); \
    return r;                                                           \
  }
SHIFT(left32, "shl.b32", unsigned, "r")
SHIFT(right32, "shr.u32", unsigned, "r")
SHIFT(arithmetic32, "shr.s32", int, "r")
SHIFT(left64, "shl.b64", unsigned long long, "l")
SHIFT(right64, "shr.u64", unsigned long long, "l")
SHIFT(arithmetic64, "shr.s64", long long, "l")
SHIFT(left16, "shl.b16", unsigned short, "h")
SHIFT(right16, "shr.u16", unsigned short, "h")

__global__ void shift(const unsigned* amounts, int n) {
  for (int i = 0; i < n; ++i) {
    const unsigned s = amounts[i];
    printf("%u: %08x %08x %08x %016llx %016llx %016llx %04x %04x %08x %08x\n", s, left32(0x80000001u, s),
           right32(0x80000001u, s), arithmetic32(0x80000001, s), left64(0x8000000000000001ull, s),
           right64(0x8000000000000001ull, s), arithmetic64(0x8000000000000001ll, s), left16(0x8001, s),
           right16(0x8001, s), __funnelshift_l(0x11111111u, 0x22222222u, s),
           __funnelshift_rc(0x11111111u, 0x22222222u, s));
  }
}

int main() {
  const unsigned amounts[] = {0, 1, 15, 16, 31, 32, 33, 63, 64, 255, 256, 0xffffffffu};
  unsigned* device = nullptr;
  cudaMalloc(&device, sizeof amounts);
  cudaMemcpy(device, amounts, sizeof amounts, cudaMemcpyHostToDevice);
  shift<<<1, 1>>>(device, sizeof amounts / sizeof amounts[0]);
  return cudaDeviceSynchronize();
}
