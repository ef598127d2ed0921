// Real numbers at the edges: minimum and maximum with NaN, signed zeros, denormals, saturation, classification.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void edges(float nan, float inf, float zero, float denormal, float one) {
  printf("fmin %g %g %g\n", fminf(nan, one), fminf(one, nan), fminf(-inf, one));
  printf("fmax %g %g %g\n", fmaxf(nan, one), fmaxf(one, nan), fmaxf(inf, one));
  printf("both nan %d\n", isnan(fmaxf(nan, nan)) != 0);
  printf("zeros %08x %08x %08x\n", __float_as_uint(-zero), __float_as_uint(zero * -one), __float_as_uint(-zero + zero));
  printf("denormal %08x %08x %08x\n", __float_as_uint(denormal), __float_as_uint(denormal + denormal),
         __float_as_uint(denormal * 0.25f));
  printf("saturate %g %g %g %g\n", __saturatef(nan), __saturatef(-one), __saturatef(2 * one), __saturatef(one / 4));
  printf("compare %d %d %d %d %d %d\n", nan < one, nan >= one, nan == nan, nan != nan, -zero == zero, -inf < inf);
  printf("class %d %d %d %d %d\n", isnan(nan) != 0, isinf(inf) != 0, isfinite(inf) != 0, signbit(-zero) != 0,
         isnan(inf - inf) != 0);
  printf("absolute %08x %08x\n", __float_as_uint(fabsf(-zero)), __float_as_uint(copysignf(one, -zero)));
  printf("whole %g %g %g %g %g %g\n", floorf(-one / 2), ceilf(-one / 2), truncf(-1.7f * one), rintf(2.5f * one),
         roundf(2.5f * one), nearbyintf(3.5f * one));
  printf("roots %g %d %g\n", sqrtf(inf), isnan(sqrtf(-one)) != 0, sqrtf(-zero));
  printf("overflow %g %g\n", 3e38f * (10 * one), -3e38f * (10 * one));
  printf("double denormal %016llx\n", __double_as_longlong(4.9406564584124654e-324 * one));
}

int main() {
  const float zero = 0.0f;
  float denormal = 0;
  const unsigned bits = 4;
  cudaMemcpy(&denormal, &bits, 4, cudaMemcpyHostToHost);
  edges<<<1, 1>>>(zero / zero, 1 / zero, zero, denormal, 1.0f);
  return cudaDeviceSynchronize();
}
