// Device printf, assert, malloc and free, local strings; uses of half precision.
#include <cuda_fp16.h>

#include <cassert>
#include <cstdio>

__global__ void hello(int n, double scale) {
  assert(n > 0);
  printf("thread %d of %u: %f %s\n", threadIdx.x, blockDim.x, scale * n, n > 2 ? "many" : "few");
}

__global__ void scratch(int n, int* out) {
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  if (p == nullptr) return;
  for (int i = 0; i < n; ++i) p[i] = i * i;
  out[threadIdx.x] = p[n - 1];
  free(p);
}

__global__ void halves(__half* a, __half2* b, float* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half h = a[i];
  h = __hadd(__hmul(h, h), __float2half(0.5f));
  h = __hfma(h, h, h) - h / __float2half(3.0f);
  if (h < a[i] || __hisnan(h)) h = hsqrt(h) + hexp(h);
  a[i] = h;
  b[i] = __hfma2(b[i], __float2half2_rn(2.0f), __halves2half2(h, h));
  float2 g = __half22float2(b[i]);
  f[i] = __half2float(h) + g.x + g.y;
}
