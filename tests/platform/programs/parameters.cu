// Kernel parameters of every kind, by value: small ones between large ones, vectors, structs with gaps, arrays inside
// structs with a variable index, references to device data, and a struct that is changed in the kernel.
#include <cuda_runtime.h>

#include <cstdio>

struct Mixed {
  char c;
  double d;
  short s[3];
  bool b;
  float f;
};
struct Large {
  int numbers[60];
  int used;
};
struct Empty {};

__global__ void small(char c, bool b, short s, unsigned char u, long long l, float f, double d, int i) {
  printf("%d %d %d %d %lld %g %g %d\n", c, b, s, u, l, f, d, i);
}
__global__ void vectors(char3 c, float2 f, int4 i, double2 d, ushort4 u) {
  printf("%d %d %d | %g %g | %d %d %d %d | %g %g | %d %d %d %d\n", c.x, c.y, c.z, f.x, f.y, i.x, i.y, i.z, i.w, d.x,
         d.y, u.x, u.y, u.z, u.w);
}
__global__ void structs(int before, Mixed m, Empty, Large large, int after) {
  int sum = 0;
  for (int i = 0; i < large.used; ++i) sum += large.numbers[i];
  large.numbers[m.s[0]] = -1;  // the copy of this thread only
  printf("%d %d %g %d %d %d %d %g %d %d %d\n", before, m.c, m.d, m.s[0], m.s[1], m.s[2], m.b, m.f, sum, after,
         large.numbers[threadIdx.x + 1]);
}

int main() {
  small<<<1, 1>>>(-1, true, -300, 200, -5000000000ll, 0.5f, 0.25, 7);
  vectors<<<1, 1>>>(make_char3(1, -2, 3), make_float2(1.5f, 2.5f), make_int4(1, 2, 3, 4), make_double2(0.1, 0.2),
                    make_ushort4(65535, 1, 2, 3));
  Mixed m = {'x', 1e100, {1, 2, 3}, true, 4.5f};
  Large large = {};
  for (int i = 0; i < 60; ++i) large.numbers[i] = i;
  large.used = 60;
  structs<<<1, 2>>>(11, m, Empty(), large, 22);
  return cudaDeviceSynchronize();
}
