#include <cuda_runtime_api.h>

int main() {
  void* memory = nullptr;
  int value = 41;
  int back = 0;
  if (cudaMalloc(&memory, sizeof value) != cudaSuccess) return 1;
  if (cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice) != cudaSuccess) return 2;
  if (cudaMemcpy(&back, memory, sizeof back, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  if (cudaFree(memory) != cudaSuccess) return 4;
  return back == 41 ? 0 : 5;
}
