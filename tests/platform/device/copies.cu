// Copies of structures between all address spaces, by element 0, by others and by name, whole and by members, against
// the host: every vector type of CUDA and three structures of a user.
#include "check.h"

struct Mixed {
  float x;
  int y;
  double z;
};
struct Padded {
  double x;
  int y;
  short z;
};
struct Nested {
  float4 x;
  Mixed y[2];
  int* z;
};

#define OF_BASE(DO, base) DO(base##1, EACH_1) DO(base##2, EACH_2) DO(base##3, EACH_3) DO(base##4, EACH_4)
#define BYTES(DO) OF_BASE(DO, char) OF_BASE(DO, uchar) OF_BASE(DO, short) OF_BASE(DO, ushort)
#define WORDS(DO) OF_BASE(DO, int) OF_BASE(DO, uint) OF_BASE(DO, float) DO(Nested, EACH_NESTED)
#define LONGS(DO)    \
  OF_BASE(DO, long)  \
  OF_BASE(DO, ulong) \
  OF_BASE(DO, longlong) OF_BASE(DO, ulonglong) OF_BASE(DO, double) DO(Mixed, EACH_3) DO(Padded, EACH_3)
#ifndef TYPES  // all of them
#define TYPES(DO) BYTES(DO) WORDS(DO) LONGS(DO)
#endif
#define EACH_1(DO) DO(x)
#define EACH_2(DO) DO(x) DO(y)
#define EACH_3(DO) DO(x) DO(y) DO(z)
#define EACH_4(DO) DO(x) DO(y) DO(z) DO(w)
#define EACH_NESTED(DO) DO(x) DO(y[0].x) DO(y[0].y) DO(y[0].z) DO(y[1]) DO(z)

constexpr int kElements = 3;
constexpr int kSources = 12;
constexpr int kCopies = 12;  ///< of each source

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

#define TAKE(member) to.member = from.member;
#define COMPARE(member) same = same && same_bytes(a.member, b.member);
// From `source` to memory, to element 0 and element i of a shared array, to a shared structure and to those of a local
// array; each is read back.
#define COPY(source)                                                                        \
  out[n++] = source, take(out[n++], source);                                                \
  s[0] = source, out[n++] = s[0], take(s[0], source), take(out[n++], s[0]);                 \
  s[i] = source, out[n++] = s[i], take(s[i], source), take(out[n++], s[i]);                 \
  single = source, out[n++] = single, take(single, source), take(out[n++], single);         \
  local[0] = source, out[n++] = local[0], take(local[0], source), take(out[n++], local[0]); \
  local[i] = source, out[n++] = local[i], take(local[i], source), take(out[n++], local[i]);

#define TYPE(T, EACH)                                                                                               \
  __constant__ T constant_##T[kElements];                                                                           \
  __constant__ T whole_##T;                                                                                         \
  __device__ void take(T& to, const T& from) { EACH(TAKE) }                                                         \
  bool same(const T& a, const T& b) {                                                                               \
    bool same = true;                                                                                               \
    EACH(COMPARE)                                                                                                   \
    return same;                                                                                                    \
  }                                                                                                                 \
  __global__ void copy_##T(const T* in, T argument, int i, T* out) {                                                \
    __shared__ T given[kElements], s[kElements], one, single;                                                       \
    T local[kElements] = {in[1], in[2], in[0]};                                                                     \
    T variable = in[i];                                                                                             \
    if (threadIdx.x < kElements) given[threadIdx.x] = in[threadIdx.x];                                              \
    if (threadIdx.x == 0) one = in[i];                                                                              \
    __syncthreads();                                                                                                \
    if (threadIdx.x != 0) return;                                                                                   \
    int n = 0;                                                                                                      \
    COPY(in[0])                                                                                                     \
    COPY(in[i]) COPY(given[0]) COPY(given[i]) COPY(one) COPY(constant_##T[0]) COPY(constant_##T[i]) COPY(whole_##T) \
        COPY(argument) COPY(variable) {                                                                             \
      T other[kElements] = {in[2], in[0], in[1]};                                                                   \
      take(other[i], in[i]);                                                                                        \
      COPY(other[0]) COPY(other[i])                                                                                 \
    }                                                                                                               \
  }                                                                                                                 \
  void check_##T() {                                                                                                \
    Shared<T> in(kElements), out(kSources*kCopies);                                                                 \
    Random random{sizeof(T)};                                                                                       \
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(in.get());                                        \
    for (unsigned k = 0; k < kElements * sizeof(T); ++k) bytes[k] = random.next() >> 24;                            \
    CUDA_OK(cudaMemcpyToSymbol(constant_##T, in.get(), kElements * sizeof(T)));                                     \
    CUDA_OK(cudaMemcpyToSymbol(whole_##T, &in[1], sizeof(T)));                                                      \
    const int i = 1;                                                                                                \
    copy_##T<<<1, 32>>>(in.get(), in[2], i, out.get());                                                             \
    CUDA_OK(cudaDeviceSynchronize());                                                                               \
    const int from[kSources] = {0, i, 0, i, i, 0, i, 1, 2, i, 2, i};                                                \
    for (int n = 0; n < kSources * kCopies; ++n) {                                                                  \
      if (same(out[n], in[from[n / kCopies]]) || failures()++ >= 20) continue;                                      \
      std::printf(#T ": copy %d of source %d differs\n", n % kCopies, n / kCopies);                                 \
    }                                                                                                               \
  }
TYPES(TYPE)

#define CHECK(T, EACH) check_##T();

int main() {
  TYPES(CHECK)
  return verdict();
}
