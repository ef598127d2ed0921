// A four-byte load from an odd address, and an eight-byte load from an address divisible by four only.
#include <cuda_runtime.h>

#include <cstdio>

template <class T>
__global__ void load(const char* bytes, T* out) {
  *out = *reinterpret_cast<const T*>(bytes);
}

template <class T>
void try_at(const char* what, int offset) {
  char* bytes = nullptr;
  T* out = nullptr;
  cudaMalloc(&bytes, 64);
  cudaMalloc(&out, sizeof(T));
  load<T><<<1, 1>>>(bytes + offset, out);
  std::printf("%s at %d: %s\n", what, offset, cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  try_at<char>("char", 1);
  try_at<short>("short", 2);
  try_at<short>("short", 1);
  try_at<int>("int", 4);
  try_at<int>("int", 1);
  try_at<long long>("long long", 8);
  try_at<long long>("long long", 4);
  return 0;
}
