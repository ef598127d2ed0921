// printf on the device: conversions, flags, widths, precisions, the value it returns, and its place among host output.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void one_thread(const char* from_memory) {
  printf("plain text\n");
  printf("integers: %d %i %u %x %X %o\n", -42, 7, 3000000000u, 0xbeef, 0xbeef, 8);
  printf("long: %ld %lld %llu %llx\n", -5000000000l, -5000000000ll, 18446744073709551615ull, 0x123456789abcdefull);
  printf("short: %hd %hhd\n", static_cast<short>(-3), static_cast<signed char>(-4));
  printf("width: [%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%.3d]\n", 42, 42, 42, 42, 42, 255, 7);
  printf("real: %f %.2f %8.3f [%-9.1f] %e %G %g\n", 1.5, 2.345678, 3.14159, 2.25, 12345.678, 1e-10, 100000.0);
  printf("float: %f %g\n", 0.5f, 1e20f);
  printf("special: %f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, -0.0);
  printf("characters: %c%c%c %s [%6s] [%-6s] [%.2s]\n", 'a', 'b', '%', "text", "ab", "cd", "efgh");
  printf("percent: 100%%\n");
  printf("from memory: %s\n", from_memory);
  const int two = printf("two %d %d\n", 1, 2), none = printf("none\n");
  printf("returned %d and %d\n", two, none);
  printf("no newline, ");
  printf("then one\n");
}

__global__ void threads() {
  if (threadIdx.x % 2 == 1) printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

__device__ char text[] = "device string";

int main() {
  char* address = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&address), text);
  printf("host before\n");
  one_thread<<<1, 1>>>(address);
  cudaDeviceSynchronize();
  printf("host between\n");
  threads<<<1, 8>>>();
  cudaDeviceSynchronize();
  printf("host after\n");
  return 0;
}
