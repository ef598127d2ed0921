// Structures aligned to 16, 8 and 4 bytes, copied whole, changed in part, and read in part.
struct alignas(16) Mixed {
  float x, y;
  double d;
};
struct alignas(16) Shorts {
  short h[8];
};
struct alignas(16) Names {
  short a, b, c, d, e, f, g, h;
};
struct alignas(16) Long {
  float3 place;
  int id;
  float4 colour;
};
struct alignas(8) Pair {
  float a, b;
};
struct Five {
  float a, b, c, d, e;
};

template <class T>
__device__ T through(const T& value) {
  return value;
}

template <class T>
__device__ void by_reference(T& to, const T& from) {
  to = from;
}

#define COPY(name, type, change)                                                                            \
  extern "C" __global__ void copy_##name(const type* in, type* out) { out[threadIdx.x] = in[threadIdx.x]; } \
  extern "C" __global__ void change_##name(const type* in, type* out) {                                     \
    type v = in[threadIdx.x];                                                                               \
    change;                                                                                                 \
    out[threadIdx.x] = v;                                                                                   \
  }                                                                                                         \
  extern "C" __global__ void pass_##name(const type* in, type* out) {                                       \
    type v;                                                                                                 \
    by_reference(v, in[threadIdx.x]);                                                                       \
    change;                                                                                                 \
    by_reference(out[threadIdx.x], through(v));                                                             \
  }

COPY(float4, float4, v.y += 1)
COPY(int4, int4, v.x += 1)
COPY(double2, double2, v.y += 1)
COPY(mixed, Mixed, v.d += 1)
COPY(shorts, Shorts, v.h[3] += 1)
COPY(names, Names, v.c += 1)
COPY(long, Long, v.id += 1)
COPY(float2, float2, v.y += 1)
COPY(pair, Pair, v.a += 1)
COPY(short4, short4, v.x += 1)
COPY(uchar4, uchar4, v.x += 1)
COPY(five, Five, v.c += 1)

extern "C" __global__ void branch(const float4* in, float* out) {
  const float4 v = in[threadIdx.x];
  if (v.w > 0) out[threadIdx.x] = v.x + v.y + v.z;
}
extern "C" __global__ void staged(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" __global__ void halves(const uint4* in, uint4* out) {
  uint4 v = in[threadIdx.x];
  unsigned short* h = reinterpret_cast<unsigned short*>(&v);
#pragma unroll
  for (int i = 0; i < 8; ++i) h[i] += i;
  out[threadIdx.x] = v;
}
