// Structures with padding, and with members that nothing was assigned to, come out of functions and replace others:
// every member that has a value has the value that it has on the host.
#include <cstdint>

#include "check.h"

struct Bits {
  longlong2 wide;
  std::uint16_t few : 15;
};
struct Byte {
  double number;
  std::uint8_t byte;
};
struct Name {
  float number;
  bool known;
  char letters[7];
};
struct Mixed {
  std::uint64_t wide;
  std::int16_t half;
  std::int8_t byte;
};
struct Nested {
  Byte first;
  std::int16_t between;
  Mixed last[2];
};

// The switch keeps the optimiser from seeing the structure as one constant.
template <class T>
__host__ __device__ T made(int by);
template <>
__host__ __device__ Bits made<Bits>(int by) {
  Bits result = {};
  if (result.wide.y == by) result.wide.x = by;
  switch (by & 3) {
    case 1: result.few = 5; break;
    case 2: result.wide.y = 7; break;
  }
  return result;
}
template <>
__host__ __device__ Byte made<Byte>(int by) {
  Byte result;
  result.number = by;
  result.byte = by == 1 ? 0 : 3;
  return result;
}
template <>
__host__ __device__ Name made<Name>(int by) {
  Name result;
  result.number = 1;
  result.known = by != 2;
  result.letters[0] = 'x';
  result.letters[5] = by > 1 ? 'y' : 'z';
  return result;
}
template <>
__host__ __device__ Mixed made<Mixed>(int by) {
  Mixed result = {};
  result.half = std::int16_t(by - 2);
  return result;
}
template <>
__host__ __device__ Nested made<Nested>(int by) {
  Nested result;
  result.first = made<Byte>(by);
  result.between = -1;
  result.last[0] = made<Mixed>(by);
  result.last[1] = made<Mixed>(by + 1);
  return result;
}

struct All {
  double bits[3], byte[2], name[4], mixed[3], nested[9];
};

__host__ __device__ void look(const Bits& from, double* to) { to[0] = double(from.wide.x), to[1] = double(from.wide.y), to[2] = from.few; }
__host__ __device__ void look(const Byte& from, double* to) { to[0] = from.number, to[1] = from.byte; }
__host__ __device__ void look(const Name& from, double* to) { to[0] = from.number, to[1] = from.known, to[2] = from.letters[0], to[3] = from.letters[5]; }
__host__ __device__ void look(const Mixed& from, double* to) { to[0] = double(from.wide), to[1] = from.half, to[2] = from.byte; }
__host__ __device__ void look(const Nested& from, double* to) {
  look(from.first, to);
  to[2] = from.between;
  look(from.last[0], to + 3);
  look(from.last[1], to + 6);
}

template <class T>
__host__ __device__ void replaced(const T& before, int by, double* to) {
  struct { T value; int count; } state = {before, by};
  state.value = made<T>(state.count);
  T copies[2];
  copies[by & 1] = state.value;
  look(copies[by & 1], to);
}

__host__ __device__ void compute(const unsigned char* bytes, int by, All& out) {
  replaced(*reinterpret_cast<const Bits*>(bytes), by, out.bits);
  replaced(*reinterpret_cast<const Byte*>(bytes), by, out.byte);
  replaced(*reinterpret_cast<const Name*>(bytes), by, out.name);
  replaced(*reinterpret_cast<const Mixed*>(bytes), by, out.mixed);
  replaced(*reinterpret_cast<const Nested*>(bytes), by, out.nested);
}

__global__ void kernel(const unsigned char* bytes, const int* by, All* out) { compute(bytes, by[threadIdx.x], out[threadIdx.x]); }
__global__ void one(const unsigned char* bytes, All* out) { compute(bytes, 2, *out); }

int main() {
  constexpr int kThreads = 4;
  Shared<unsigned char> bytes(256);
  for (int i = 0; i < 256; ++i) bytes[i] = i == 4 || i == 20 ? 1 : 0xbf;
  Shared<int> by(kThreads);
  for (int i = 0; i < kThreads; ++i) by[i] = i;
  Shared<All> out(kThreads);
  All want;
  const auto same = [&](const All& got) {
    for (unsigned k = 0; k < sizeof want / sizeof(double); ++k) {
      EXPECT_SAME("member", reinterpret_cast<const double*>(&got)[k], reinterpret_cast<const double*>(&want)[k]);
    }
  };
  kernel<<<1, kThreads>>>(bytes.get(), by.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kThreads; ++i) {
    compute(bytes.get(), i, want);
    same(out[i]);
  }
  one<<<1, 1>>>(bytes.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  compute(bytes.get(), 2, want);
  same(out[0]);
  return verdict();
}
