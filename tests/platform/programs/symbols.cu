// Initialised variables of the device: arrays, constants, structs, strings, addresses of variables and of functions;
// and copies to and from them with offsets.
#include <cuda_runtime.h>

#include <cstdio>

struct Point {
  char tag;
  short x;
  double y;
};

__device__ int table[5] = {10, 20, 30};
__constant__ Point points[2] = {{'a', -1, 0.5}, {'b', -2, 0.25}};
__device__ int* to_table = table;
__device__ const char* words[2] = {"first", "second"};
__device__ unsigned char bytes[3] = {1, 2, 255};
__device__ long long wide = -5000000000ll;
__device__ float not_set;

__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ int (*functions[2])(int) = {twice, thrice};

__global__ void show() {
  printf("table %d %d %d %d %d\n", table[0], table[1], table[2], table[3], table[4]);
  for (const Point& p : points) printf("point %c %d %g\n", p.tag, p.x, p.y);
  printf("through the pointer %d\n", to_table[1]);
  printf("words %s %s\n", words[0], words[1]);
  printf("bytes %d %d %d, wide %lld, not set %g\n", bytes[0], bytes[1], bytes[2], wide, not_set);
  printf("functions %d %d\n", functions[0](7), functions[1](7));
}

int main() {
  show<<<1, 1>>>();
  cudaDeviceSynchronize();
  const int changed[2] = {77, 88};
  const Point point = {'z', 9, 1.5};
  const float real = 2.5f;
  cudaMemcpyToSymbol(table, changed, sizeof changed, 3 * sizeof(int));
  cudaMemcpyToSymbol(points, &point, sizeof point, sizeof(Point));
  cudaMemcpyToSymbol(not_set, &real, sizeof real);
  show<<<1, 1>>>();
  int read[2] = {};
  cudaMemcpyFromSymbol(read, table, sizeof read, 2 * sizeof(int));
  std::printf("host reads %d %d\n", read[0], read[1]);
  size_t size = 0;
  cudaGetSymbolSize(&size, points);
  std::printf("size %zu\n", size);
  std::printf("past the end: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(table, changed, 8, 4 * sizeof(int))));
  return 0;
}
