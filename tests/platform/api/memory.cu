// Memory: kinds of it, copies of every shape, symbols, what is refused. Runs on `tiny`, which is slow enough for its
// kernels to be running when the host goes on.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ float factors[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ unsigned char bytes[13];

__global__ void twice(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}
__global__ void slow_twice(int* p, int n) {
  long long sum = 0;
  for (int i = 0; i < 200000; ++i) sum += clock();
  if (sum == -1) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] *= 2;
}
__global__ void read_symbols(float* out) {
  out[0] = static_cast<float>(table[7]);
  out[1] = factors[3];
  out[2] = bytes[12];
}
__global__ void count(int* shared, int* other) { *other = ++*shared; }

void linear_copies() {
  std::vector<int> from(1000), to(1000, -1);
  for (int i = 0; i < 1000; ++i) from[i] = i * 7;
  int *a = nullptr, *b = nullptr;
  GOOD(cudaMalloc(&a, 4000));
  GOOD(cudaMalloc(&b, 4000));
  GOOD(cudaMemcpy(a, from.data(), 4000, cudaMemcpyHostToDevice));
  GOOD(cudaMemcpy(b, a, 4000, cudaMemcpyDeviceToDevice));
  twice<<<4, 256>>>(b, 1000);
  GOOD(cudaMemcpy(to.data(), b, 4000, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1000; ++i) CHECK(to[i] == i * 14);
  GOOD(cudaMemcpy(to.data(), a, 4000, cudaMemcpyDefault));
  CHECK(to == from);
  to.assign(1000, 0);
  GOOD(cudaMemcpy(to.data(), from.data(), 4000, cudaMemcpyHostToHost));
  CHECK(to == from);
  GOOD(cudaMemcpy(a + 10, from.data(), 40, cudaMemcpyHostToDevice));  // interior
  GOOD(cudaMemcpy(to.data(), a + 10, 40, cudaMemcpyDeviceToHost));
  CHECK(to[9] == 63);
  GOOD(cudaMemcpy(a, nullptr, 0, cudaMemcpyHostToDevice));  // nothing to copy
  // Refused: other directions, ranges that leave their allocation, null, sums that wrap.
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(to.data(), from.data(), 4, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(a, b, 4, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, b, 4, static_cast<cudaMemcpyKind>(9)));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(a, from.data(), 4001, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(a + 999, b, 8, cudaMemcpyDeviceToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(a, b, SIZE_MAX, cudaMemcpyDeviceToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(nullptr, b, 4, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(to.data(), a + 100000, 4, cudaMemcpyDeviceToHost));
  GOOD(cudaFree(a));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(to.data(), a, 4, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue, cudaFree(a));          // twice
  RETURNS(cudaErrorInvalidValue, cudaFree(b + 1));      // interior
  RETURNS(cudaErrorInvalidValue, cudaFree(to.data()));  // host memory
  RETURNS(cudaErrorInvalidValue, cudaFreeHost(b));      // other kind
  GOOD(cudaFree(b));
  GOOD(cudaFree(nullptr));
  GOOD(cudaFreeHost(nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
}

void asynchronous_copies() {
  cudaStream_t stream;
  GOOD(cudaStreamCreate(&stream));
  int *device = nullptr, *pinned = nullptr;
  GOOD(cudaMalloc(&device, 400));
  GOOD(cudaMallocHost(&pinned, 400));
  // Pageable memory is captured at the call: changing it afterwards changes nothing.
  std::vector<int> pageable(100, 3);
  slow_twice<<<1, 32, 0, stream>>>(device, 0);
  GOOD(cudaMemcpyAsync(device, pageable.data(), 400, cudaMemcpyHostToDevice, stream));
  pageable.assign(100, 9);
  slow_twice<<<1, 32, 0, stream>>>(device, 100);
  GOOD(cudaMemcpyAsync(pinned, device, 400, cudaMemcpyDeviceToHost, stream));
  GOOD(cudaStreamSynchronize(stream));
  for (int i = 0; i < 100; ++i) CHECK(pinned[i] == 6);
  // Pinned memory is read when the copy runs.
  for (int i = 0; i < 100; ++i) pinned[i] = 5;
  slow_twice<<<1, 32, 0, stream>>>(device, 0);
  GOOD(cudaMemcpyAsync(device, pinned, 400, cudaMemcpyHostToDevice, stream));
  RETURNS(cudaErrorNotReady, cudaStreamQuery(stream));
  pinned[0] = 50;
  GOOD(cudaStreamSynchronize(stream));
  GOOD(cudaMemcpy(pageable.data(), device, 400, cudaMemcpyDeviceToHost));
  CHECK(pageable[0] == 50 && pageable[1] == 5);
  // A copy to pageable memory has happened when the call returns.
  slow_twice<<<1, 32, 0, stream>>>(device, 100);
  GOOD(cudaMemcpyAsync(pageable.data(), device, 400, cudaMemcpyDeviceToHost, stream));
  CHECK(pageable[0] == 100 && pageable[99] == 10);
  GOOD(cudaMemsetAsync(device, 0xff, 40, stream));
  GOOD(cudaMemcpyAsync(pinned, device, 400, cudaMemcpyDeviceToHost, stream));
  GOOD(cudaStreamSynchronize(stream));
  CHECK(pinned[9] == -1 && pinned[10] == 10);
  int* later = nullptr;
  GOOD(cudaMallocAsync(&later, 64, stream));
  GOOD(cudaMemsetAsync(later, 0, 64, stream));
  GOOD(cudaFreeAsync(later, stream));
  GOOD(cudaFree(device));
  GOOD(cudaFreeHost(pinned));
  GOOD(cudaStreamDestroy(stream));
}

void rows_and_slices() {
  // 5 rows of 7 ints out of rows of 9, into pitched memory and back.
  int host[5][9], back[5][7];
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 9; ++x) host[y][x] = 100 * y + x;
  int* device = nullptr;
  std::size_t pitch = 0;
  GOOD(cudaMallocPitch(&device, &pitch, 7 * 4, 5));
  CHECK(pitch >= 28 && pitch % 32 == 0);
  GOOD(cudaMemset2D(device, pitch, 0xff, pitch, 5));
  GOOD(cudaMemcpy2D(device, pitch, &host[0][1], 36, 28, 5, cudaMemcpyHostToDevice));
  GOOD(cudaMemcpy2D(back, 28, device, pitch, 28, 5, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x) CHECK(back[y][x] == 100 * y + x + 1);
  int padding = 0;
  GOOD(cudaMemcpy(&padding, reinterpret_cast<char*>(device) + 28, 4, cudaMemcpyDeviceToHost));
  CHECK(padding == -1);
  GOOD(cudaMemset2D(reinterpret_cast<char*>(device) + 4, pitch, 0, 8, 4));
  GOOD(cudaMemcpy2D(back, 28, device, pitch, 28, 5, cudaMemcpyDeviceToHost));
  CHECK(back[3][0] == 301 && back[3][1] == 0 && back[3][2] == 0 && back[3][3] == 304 && back[4][1] == 402);
  RETURNS(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 20, host, 36, 28, 5, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy2D(device, pitch, host, 36, 28, 6, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy2D(device, std::size_t{1} << 62, host, 36, 28, 5, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorMemoryAllocation, cudaMallocPitch(&device, &pitch, SIZE_MAX - 5, 1));
  RETURNS(cudaErrorMemoryAllocation, cudaMallocPitch(&device, &pitch, 512, SIZE_MAX / 256));
  GOOD(cudaFree(device));

  const cudaExtent extent = make_cudaExtent(3 * sizeof(int), 4, 5);
  cudaPitchedPtr volume;
  GOOD(cudaMalloc3D(&volume, extent));
  GOOD(cudaMemset3D(volume, 0, extent));
  std::vector<int> source(3 * 4 * 5), result(3 * 4 * 5, -1);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<int>(i) + 1;
  cudaMemcpy3DParms parms = {};
  parms.srcPtr = make_cudaPitchedPtr(source.data(), 12, 3, 4);
  parms.dstPtr = volume;
  parms.extent = extent;
  parms.kind = cudaMemcpyHostToDevice;
  GOOD(cudaMemcpy3D(&parms));
  // An inner box of 2 x 3 x 4 from (1, 1, 1), to the start of a dense array.
  cudaMemcpy3DParms box = {};
  box.srcPtr = volume;
  box.srcPos = make_cudaPos(4, 1, 1);
  box.dstPtr = make_cudaPitchedPtr(result.data(), 8, 2, 3);
  box.extent = make_cudaExtent(8, 3, 4);
  box.kind = cudaMemcpyDeviceToHost;
  GOOD(cudaMemcpy3D(&box));
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 2; ++x) CHECK(result[(z * 3 + y) * 2 + x] == ((z + 1) * 4 + y + 1) * 3 + x + 1 + 1);
  CHECK(result[24] == -1);
  GOOD(cudaFree(volume.ptr));
  RETURNS(cudaErrorMemoryAllocation, cudaGetLastError());
}

void symbols() {
  int host[8] = {};
  GOOD(cudaMemcpyFromSymbol(host, table, sizeof host));
  CHECK(host[0] == 1 && host[7] == 8);
  const int patch[2] = {70, 80};
  GOOD(cudaMemcpyToSymbol(table, patch, sizeof patch, 6 * sizeof(int)));
  const float factor = 9.25f;
  GOOD(cudaMemcpyToSymbol(factors, &factor, 4, 12));
  void* address = nullptr;
  std::size_t size = 0;
  GOOD(cudaGetSymbolAddress(&address, bytes));
  GOOD(cudaGetSymbolSize(&size, bytes));
  CHECK(size == 13);
  GOOD(cudaMemset(address, 0x21, 13));
  float *out = nullptr, got[3];
  GOOD(cudaMalloc(&out, sizeof got));
  read_symbols<<<1, 1>>>(out);
  GOOD(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got[0] == 80 && got[1] == 9.25f && got[2] == 0x21);
  RETURNS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, table, 33));
  RETURNS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, table, 8, 28));
  RETURNS(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(host, host, 4));
  RETURNS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(table, patch, 8, 0, cudaMemcpyDeviceToHost));
  GOOD(cudaFree(out));
  RETURNS(cudaErrorInvalidMemcpyDirection, cudaGetLastError());
}

void managed() {
  int *p = nullptr, seen = 0;
  GOOD(cudaMallocManaged(&p, 400));
  for (int i = 0; i < 100; ++i) p[i] = i;
  twice<<<1, 128>>>(p, 100);
  GOOD(cudaDeviceSynchronize());
  for (int i = 0; i < 100; ++i) CHECK(p[i] == 2 * i);
  int* counter = nullptr;
  GOOD(cudaMallocManaged(&counter, 4));
  *counter = 41;
  int* device = nullptr;
  GOOD(cudaMalloc(&device, 4));
  count<<<1, 1>>>(counter, device);
  GOOD(cudaMemcpy(&seen, device, 4, cudaMemcpyDeviceToHost));
  CHECK(seen == 42 && *counter == 42);
  GOOD(cudaMemPrefetchAsync(p, 400, 0));
  GOOD(cudaMemAdvise(p, 400, cudaMemAdviseSetReadMostly, 0));
  RETURNS(cudaErrorInvalidValue, cudaMallocManaged(&p, 0));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  int* const freed = p;
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(&seen, p + 99, 8, cudaMemcpyDefault));
  GOOD(cudaFree(p));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(&seen, freed, 4, cudaMemcpyDefault));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(freed, &seen, 4, cudaMemcpyHostToHost));
  RETURNS(cudaErrorInvalidValue, cudaFree(freed));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  GOOD(cudaFree(counter));
  GOOD(cudaFree(device));
}

void attributes() {
  void *device = nullptr, *pinned = nullptr, *unified = nullptr;
  int local = 0;
  GOOD(cudaMalloc(&device, 64));
  GOOD(cudaMallocHost(&pinned, 64));
  GOOD(cudaMallocManaged(&unified, 64));
  cudaPointerAttributes a;
  GOOD(cudaPointerGetAttributes(&a, static_cast<char*>(device) + 8));
  CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.hostPointer == nullptr);
  CHECK(a.devicePointer == static_cast<char*>(device) + 8);
  GOOD(cudaPointerGetAttributes(&a, pinned));
  CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == pinned && a.devicePointer != nullptr);
  GOOD(cudaPointerGetAttributes(&a, unified));
  CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == unified && a.devicePointer == unified);
  GOOD(cudaPointerGetAttributes(&a, &local));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  GOOD(cudaHostRegister(&local, sizeof local, cudaHostRegisterDefault));
  GOOD(cudaPointerGetAttributes(&a, &local));
  CHECK(a.type == cudaMemoryTypeHost);
  RETURNS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(&local, sizeof local, cudaHostRegisterDefault));
  GOOD(cudaHostUnregister(&local));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(&local));
  // Mapped pinned memory is used by a kernel through its device pointer.
  int *mapped = nullptr, *view = nullptr;
  GOOD(cudaHostAlloc(&mapped, 40, cudaHostAllocMapped));
  GOOD(cudaHostGetDevicePointer(&view, mapped, 0));
  for (int i = 0; i < 10; ++i) mapped[i] = i;
  twice<<<1, 32>>>(view, 10);
  GOOD(cudaDeviceSynchronize());
  CHECK(mapped[9] == 18);
  GOOD(cudaFreeHost(mapped));
  GOOD(cudaFree(device));
  GOOD(cudaFreeHost(pinned));
  GOOD(cudaFree(unified));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaGetLastError());
}

void capacity() {
  std::size_t free_before = 0, free_after = 0, total = 0;
  GOOD(cudaMemGetInfo(&free_before, &total));
  cudaDeviceProp properties;
  GOOD(cudaGetDeviceProperties(&properties, 0));
  CHECK(total == properties.totalGlobalMem);
  CHECK(free_before <= total && free_before > total / 2);
  void *p = nullptr, *q = &p;
  GOOD(cudaMalloc(&p, 1 << 20));
  GOOD(cudaMemGetInfo(&free_after, &total));
  CHECK(free_before - free_after >= 1 << 20 && free_before - free_after < (1 << 20) + 65536);
  RETURNS(cudaErrorMemoryAllocation, cudaMalloc(&q, total));
  RETURNS(cudaErrorMemoryAllocation, cudaMalloc(&q, SIZE_MAX));
  RETURNS(cudaErrorMemoryAllocation, cudaMallocHost(&q, SIZE_MAX - 300));
  RETURNS(cudaErrorMemoryAllocation, cudaGetLastError());
  GOOD(cudaGetLastError());
  GOOD(cudaFree(p));
  GOOD(cudaMemGetInfo(&free_after, &total));
  CHECK(free_after == free_before);
  // All of memory in pieces, again and again: what was freed is found again.
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> pieces;
    while (cudaMalloc(&p, total / 16) == cudaSuccess) pieces.push_back(p);
    CHECK(pieces.size() == 15);
    for (void* piece : pieces) GOOD(cudaFree(piece));
  }
  RETURNS(cudaErrorMemoryAllocation, cudaGetLastError());
  GOOD(cudaMalloc(&p, 0));
  CHECK(p == nullptr);
  RETURNS(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 16));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
}

int main() {
  linear_copies();
  asynchronous_copies();
  rows_and_slices();
  symbols();
  managed();
  attributes();
  capacity();
  return verdict();
}
