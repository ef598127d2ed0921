// A small program: fills an array on the device and checks its last element.
#include <cuda_runtime.h>
__global__ void fill(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
int main() {
  int* out = nullptr;
  int last = 0;
  cudaMalloc(&out, 4000);
  fill<<<4, 256>>>(out, 1000);
  cudaMemcpy(&last, out + 999, 4, cudaMemcpyDeviceToHost);
  return last != 999;
}
