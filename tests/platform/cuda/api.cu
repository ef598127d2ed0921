// The runtime API: memory, copies, streams, events, what the host asks about device and kernels, errors.
#include <algorithm>
#include <vector>

#include "feature.h"

__global__ void fill(int* out, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}
__global__ void wild(int* out) { out[1 << 28] = 1; }
__constant__ int table[4];
__device__ int cell = 3;

static void CUDART_CB mark_host(void* data) { *static_cast<int*>(data) = 5; }
static void CUDART_CB mark_stream(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<int*>(data) = status == cudaSuccess ? 6 : -1;
}
static std::size_t dynamic_bytes(int threads) { return 4 * static_cast<std::size_t>(threads); }

static void memory() {
  const int n = 64;
  std::vector<int> host(n, 0);
  int* a = nullptr;
  bool good = GOOD(cudaMalloc(&a, n * sizeof(int)));
  fill<<<1, n>>>(a, 4, n);
  good = good && GOOD(cudaMemcpy(host.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost)) && host[63] == 4;
  FEATURE("Memory", "`cudaMalloc`, `cudaFree`, `cudaMemcpy`", good);
  int* b = nullptr;
  cudaMalloc(&b, n * sizeof(int));
  good = GOOD(cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDefault)) &&
         GOOD(cudaMemcpy(host.data(), b, n * sizeof(int), cudaMemcpyDefault)) && host[5] == 4;
  FEATURE("Memory", "`cudaMemcpyDefault`: directions found from the addresses", good);
  good = GOOD(cudaMemset(a, 1, n * sizeof(int))) &&
         GOOD(cudaMemcpy(host.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost)) && host[9] == 0x01010101;
  FEATURE("Memory", "`cudaMemset`, `cudaMemsetAsync`", good && GOOD(cudaMemsetAsync(a, 0, 4)));
  int* pitched = nullptr;
  std::size_t pitch = 0;
  good = GOOD(cudaMallocPitch(&pitched, &pitch, 12, 4)) && pitch >= 12;
  const int rows[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  int back[12] = {};
  good = good && GOOD(cudaMemcpy2D(pitched, pitch, rows, 12, 12, 4, cudaMemcpyHostToDevice)) &&
         GOOD(cudaMemcpy2D(back, 12, pitched, pitch, 12, 4, cudaMemcpyDeviceToHost)) && back[11] == 12;
  FEATURE("Memory", "`cudaMallocPitch`, `cudaMemcpy2D`, `cudaMemset2D`",
          good && GOOD(cudaMemset2D(pitched, pitch, 0, 12, 4)));
  cudaPitchedPtr cube{};
  good = GOOD(cudaMalloc3D(&cube, make_cudaExtent(8, 2, 2)));
  int small[8] = {1, 2, 3, 4, 5, 6, 7, 8}, returned[8] = {};
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(small, 8, 2, 2);
  copy.dstPtr = cube;
  copy.extent = make_cudaExtent(8, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  good = good && GOOD(cudaMemcpy3D(&copy));
  copy.srcPtr = cube;
  copy.dstPtr = make_cudaPitchedPtr(returned, 8, 2, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  good = good && GOOD(cudaMemcpy3D(&copy)) && returned[7] == 8;
  FEATURE("Memory", "`cudaMalloc3D`, `cudaMemcpy3D`, `cudaMemset3D`", good && GOOD(cudaMemset3D(cube, 0, copy.extent)));
  int* pinned = nullptr;
  good = GOOD(cudaMallocHost(&pinned, 64)) && GOOD(cudaFreeHost(pinned));
  FEATURE("Memory", "`cudaMallocHost`, `cudaFreeHost`", good);
  int *mapped = nullptr, *seen = nullptr;
  good = GOOD(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped)) && GOOD(cudaHostGetDevicePointer(&seen, mapped, 0));
  fill<<<1, 16>>>(seen, 8, 16);
  FEATURE("Memory", "`cudaHostAlloc` mapped, `cudaHostGetDevicePointer`",
          good && GOOD(cudaDeviceSynchronize()) && mapped[15] == 8);
  std::vector<int> mine(1024, 0);
  good = GOOD(cudaHostRegister(mine.data(), 4096, cudaHostRegisterDefault)) &&
         GOOD(cudaMemcpy(mine.data(), a, 16, cudaMemcpyDeviceToHost)) && GOOD(cudaHostUnregister(mine.data()));
  FEATURE("Memory", "`cudaHostRegister`, `cudaHostUnregister`, for copies", good);
  int* managed = nullptr;
  good = GOOD(cudaMallocManaged(&managed, 64));
  managed[0] = 1;
  fill<<<1, 1>>>(managed + 1, 2, 1);
  FEATURE("Memory", "`cudaMallocManaged`", good && GOOD(cudaDeviceSynchronize()) && managed[0] + managed[1] == 3);
  FEATURE("Memory", "`cudaMemPrefetchAsync`, `cudaMemAdvise` (accepted; there is nothing to move)",
          GOOD(cudaMemPrefetchAsync(managed, 64, 0, nullptr)) &&
              GOOD(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 0)));
  int* pooled = nullptr;
  cudaStream_t s;
  cudaStreamCreate(&s);
  good = GOOD(cudaMallocAsync(&pooled, 256, s));
  fill<<<1, 64, 0, s>>>(pooled, 3, 64);
  good = good && GOOD(cudaMemcpyAsync(host.data(), pooled, 256, cudaMemcpyDeviceToHost, s)) &&
         GOOD(cudaFreeAsync(pooled, s)) && GOOD(cudaStreamSynchronize(s)) && host[63] == 3;
  FEATURE("Memory", "`cudaMallocAsync`, `cudaFreeAsync`: the device's own pool", good);
  const int four[4] = {1, 2, 3, 40};
  int one = 0;
  good = GOOD(cudaMemcpyToSymbol(table, four, 16)) && GOOD(cudaMemcpyFromSymbol(&one, table, 4, 12)) && one == 40;
  FEATURE("Memory", "`cudaMemcpyToSymbol`, `cudaMemcpyFromSymbol`", good);
  void* address = nullptr;
  std::size_t bytes = 0;
  good = GOOD(cudaGetSymbolAddress(&address, cell)) && GOOD(cudaGetSymbolSize(&bytes, cell)) && bytes == 4 &&
         GOOD(cudaMemcpy(&one, address, 4, cudaMemcpyDeviceToHost)) && one == 3;
  FEATURE("Memory", "`cudaGetSymbolAddress`, `cudaGetSymbolSize`", good);
  std::size_t free_bytes = 0, total = 0;
  good = GOOD(cudaMemGetInfo(&free_bytes, &total)) && free_bytes > 0 && free_bytes < total;
  FEATURE("Memory", "`cudaMemGetInfo`", good);
  cudaPointerAttributes attributes{};
  good = GOOD(cudaPointerGetAttributes(&attributes, a)) && attributes.type == cudaMemoryTypeDevice &&
         GOOD(cudaPointerGetAttributes(&attributes, managed)) && attributes.type == cudaMemoryTypeManaged;
  FEATURE("Memory", "`cudaPointerGetAttributes`", good);
  good = GOOD(cudaMemcpyPeer(b, 0, a, 0, 16));
  FEATURE("Memory", "`cudaMemcpyPeer` on the one device", good);
  good = cudaMalloc(&a, std::size_t{1} << 50) == cudaErrorMemoryAllocation;
  FEATURE("Memory", "more than the device has gives `cudaErrorMemoryAllocation`",
          good && cudaGetLastError() != cudaSuccess);
}

static void streams() {
  Out o;
  cudaStream_t first, second;
  bool good = GOOD(cudaStreamCreate(&first)) && GOOD(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  fill<<<1, 1, 0, first>>>(o.v, 1, 1);
  fill<<<1, 1, 0, second>>>(o.v + 1, 2, 1);
  good = good && GOOD(cudaStreamSynchronize(first)) && GOOD(cudaStreamSynchronize(second)) && o.v[0] + o.v[1] == 3;
  FEATURE("Streams and events", "streams, `cudaStreamNonBlocking`, kernels side by side", good);
  cudaStream_t high;
  int least = 0, greatest = 0, got = 1;
  good = GOOD(cudaDeviceGetStreamPriorityRange(&least, &greatest)) && greatest <= least &&
         GOOD(cudaStreamCreateWithPriority(&high, cudaStreamDefault, greatest)) &&
         GOOD(cudaStreamGetPriority(high, &got)) && got == greatest;
  FEATURE("Streams and events", "priorities of streams", good);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, first);
  fill<<<4, 256, 0, first>>>(o.v, 3, 1024);
  cudaEventRecord(end, first);
  float milliseconds = 0;
  good = GOOD(cudaEventSynchronize(end)) && GOOD(cudaEventElapsedTime(&milliseconds, begin, end)) && milliseconds > 0;
  FEATURE("Streams and events", "`cudaEventRecord`, `cudaEventElapsedTime`: simulated time", good);
  fill<<<1, 1, 0, first>>>(o.v + 5, 50, 1);
  cudaEventRecord(end, first);
  good = GOOD(cudaStreamWaitEvent(second, end, 0));
  fill<<<1, 1, 0, second>>>(o.v + 5, 51, 1);
  FEATURE("Streams and events", "`cudaStreamWaitEvent`", good && GOOD(cudaStreamSynchronize(second)) && o.v[5] == 51);
  FEATURE("Streams and events", "`cudaStreamQuery`, `cudaEventQuery`",
          GOOD(cudaStreamQuery(second)) && GOOD(cudaEventQuery(end)));
  int told = 0, called = 0;
  good = GOOD(cudaLaunchHostFunc(first, mark_host, &told)) && GOOD(cudaStreamSynchronize(first)) && told == 5;
  FEATURE("Streams and events", "`cudaLaunchHostFunc`", good);
  good =
      GOOD(cudaStreamAddCallback(first, mark_stream, &called, 0)) && GOOD(cudaStreamSynchronize(first)) && called == 6;
  FEATURE("Streams and events", "`cudaStreamAddCallback`", good);
  fill<<<1, 1, 0, cudaStreamPerThread>>>(o.v, 7, 1);
  FEATURE("Streams and events", "`cudaStreamPerThread`, `cudaStreamLegacy`",
          GOOD(cudaStreamSynchronize(cudaStreamPerThread)) && o.v[0] == 7);
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusActive;
  FEATURE("Streams and events", "`cudaStreamIsCapturing`",
          GOOD(cudaStreamIsCapturing(first, &capturing)) && capturing == cudaStreamCaptureStatusNone);
}

static void questions() {
  int count = 0, device = 7;
  FEATURE("Device and kernels", "`cudaGetDeviceCount`, `cudaSetDevice`: one device",
          GOOD(cudaGetDeviceCount(&count)) && count == 1 && GOOD(cudaSetDevice(0)) && GOOD(cudaGetDevice(&device)) &&
              device == 0);
  cudaDeviceProp p;
  FEATURE(
      "Device and kernels", "`cudaGetDeviceProperties`: those of the machine",
      GOOD(cudaGetDeviceProperties(&p, 0)) && p.multiProcessorCount > 0 && p.warpSize == 32 && p.totalGlobalMem > 0);
  int value = 0;
  FEATURE("Device and kernels", "`cudaDeviceGetAttribute`",
          GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0)) && value == p.multiProcessorCount);
  int runtime = 0, driver = 0;
  FEATURE("Device and kernels", "`cudaRuntimeGetVersion`, `cudaDriverGetVersion`",
          GOOD(cudaRuntimeGetVersion(&runtime)) && GOOD(cudaDriverGetVersion(&driver)) && runtime <= driver);
  cudaFuncAttributes f;
  FEATURE("Device and kernels", "`cudaFuncGetAttributes`: registers, shared and local memory",
          GOOD(cudaFuncGetAttributes(&f, fill)) && f.numRegs > 0 && f.maxThreadsPerBlock >= 256);
  FEATURE("Device and kernels", "`cudaFuncSetAttribute`, `cudaFuncSetCacheConfig`",
          GOOD(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384)) &&
              GOOD(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferShared)));
  FEATURE("Device and kernels", "`cudaOccupancyMaxActiveBlocksPerMultiprocessor`",
          GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, fill, 256, 0)) && value > 0);
  int grid = 0, block = 0;
  FEATURE("Device and kernels", "`cudaOccupancyMaxPotentialBlockSize`, also with variable shared memory",
          GOOD(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill)) && block >= 256 && grid > 0 &&
              GOOD(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, fill, dynamic_bytes)) && block > 0);
  std::size_t limit = 0;
  FEATURE("Device and kernels", "`cudaDeviceSetLimit`, `cudaDeviceGetLimit`",
          GOOD(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22)) &&
              GOOD(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize)) && limit >= 1 << 22);
  FEATURE("Device and kernels", "`cudaDeviceCanAccessPeer`: none",
          GOOD(cudaDeviceCanAccessPeer(&value, 0, 0)) && value == 0);
  FEATURE("Device and kernels", "`cudaProfilerStart`, `cudaProfilerStop` (accepted)",
          GOOD(cudaProfilerStart()) && GOOD(cudaProfilerStop()));
}

static void errors() {
  FEATURE("Errors", "`cudaGetErrorName`, `cudaGetErrorString`",
          std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0 &&
              std::strlen(cudaGetErrorString(cudaErrorInvalidValue)) > 0);
  fill<<<0, 1>>>(nullptr, 0, 0);
  FEATURE("Errors", "`cudaPeekAtLastError` keeps, `cudaGetLastError` clears",
          cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
              cudaGetLastError() == cudaErrorInvalidConfiguration && GOOD(cudaGetLastError()));
  FEATURE("Errors", "a null pointer is no device memory: `cudaErrorInvalidValue`",
          cudaMemset(nullptr, 0, 4) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  FEATURE("Errors", "`cudaSetDevice` of a device that is not there: `cudaErrorInvalidDevice`",
          cudaSetDevice(3) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
  Out o;
  wild<<<1, 1>>>(o.v);
  FEATURE("Errors", "an access out of bounds: `cudaErrorIllegalAddress`, which stays",
          cudaDeviceSynchronize() == cudaErrorIllegalAddress && cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  FEATURE("Errors", "`cudaDeviceReset` ends it", GOOD(cudaDeviceReset()) && GOOD(cudaDeviceSynchronize()));
}

int main() {
  memory();
  streams();
  questions();
  errors();
  return missing != 0;
}
