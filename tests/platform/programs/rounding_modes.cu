// Arithmetic with directed rounding in float and double, as bits.
#include <cuda_runtime.h>

#include <cstdio>

#define FOUR(operation, ...) \
  operation##_rn(__VA_ARGS__), operation##_rz(__VA_ARGS__), operation##_ru(__VA_ARGS__), operation##_rd(__VA_ARGS__)

__device__ void show(const char* what, float a, float b, float c, float d) {
  printf("%s %08x %08x %08x %08x\n", what, __float_as_uint(a), __float_as_uint(b), __float_as_uint(c),
         __float_as_uint(d));
}

__device__ void show(const char* what, double a, double b, double c, double d) {
  printf("%s %016llx %016llx %016llx %016llx\n", what, __double_as_longlong(a), __double_as_longlong(b),
         __double_as_longlong(c), __double_as_longlong(d));
}

__global__ void compute(float x, float y, float z, double u, double v, double w) {
  show("fadd", FOUR(__fadd, x, y));
  show("fsub", FOUR(__fsub, y, x));
  show("fmul", FOUR(__fmul, x, -y));
  show("fdiv", FOUR(__fdiv, x, y));
  show("fmaf", FOUR(__fmaf, x, y, z));
  show("fsqrt", FOUR(__fsqrt, x));
  show("frcp", FOUR(__frcp, y));
  show("dadd", FOUR(__dadd, u, v));
  show("dsub", FOUR(__dsub, v, u));
  show("dmul", FOUR(__dmul, u, -v));
  show("ddiv", FOUR(__ddiv, u, v));
  show("fma", FOUR(__fma, u, v, w));
  show("dsqrt", FOUR(__dsqrt, u));
  show("drcp", FOUR(__drcp, v));
}

__global__ void limits(float largest, float smallest) {
  show("overflow", FOUR(__fmul, largest, largest));
  show("underflow", FOUR(__fmul, smallest, smallest));
  show("denormal", FOUR(__fmul, smallest, 0.75f));
  show("opposite", FOUR(__fadd, largest, -largest));
}

int main() {
  compute<<<1, 1>>>(1.1f, 0.3f, -0.33f, 1.1, 0.3, -0.33);
  limits<<<1, 1>>>(3.40282347e38f, 1.17549435e-38f);
  return cudaDeviceSynchronize();
}
