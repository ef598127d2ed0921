// Runtime functions that device code may call: launches, their streams and events, errors, limits, memory, questions.
//
// Streams of every launch: cudaStreamTailLaunch, whose launches begin one after the other when the launching grid and
// all its other launches have ended; cudaStreamFireAndForget, whose launches wait for nothing. The launching grid has
// ended when both have. No other function takes these streams.
//
// What is static here is defined in castor_cuda/device_queries.h and device_memory.h, and is no code unless it is
// called.
//
// clang has no <<<>>> in device code; castor-cc writes castor::launch in its place (castor_cuda/launch.h).
#pragma once

extern "C" {
/// Room for the arguments of a launch, `size` bytes; null: alignment above 64, no room.
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
/// Errors: invalid value (no kernel of this module; no such buffer, launched before, too small), invalid configuration
/// (dimensions, resources of a block), too many pending launches, invalid resource handle (stream of another block).
__device__ cudaError_t cudaLaunchDevice(void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
__device__ void* cudaGetParameterBufferV2(void* func, dim3 gridDimension, dim3 blockDimension,
                                          unsigned int sharedMemSize);
__device__ cudaError_t cudaLaunchDeviceV2(void* parameterBuffer, cudaStream_t stream);
/// Launches an aggregated group: thread blocks that run with a resident kernel of the same function, block and shared
/// bytes if there is one, and as a kernel otherwise (Wang 2016, chapter 4). `gridDimension` is what they see as their
/// grid. Groups have no stream, no order and no limit but memory. Errors: as cudaLaunchDevice without stream and limit.
__device__ cudaError_t cudaLaunchAggGroup(void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                          unsigned int sharedMemSize);

/// Waits for all launches of the thread block and all that they have launched. Errors: 68, too deep.
__device__ cudaError_t cudaDeviceSynchronize(void);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t event);
__device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
/// Those of launches by device code; others give cudaErrorUnsupportedLimit.
__device__ cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
/// One word per thread.
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);
/// A figure of a kernel, isa::KernelFigure of the models; all ones if `func` is no kernel of this module.
__device__ unsigned long long castorKernelFigure(const void* func, unsigned int figure, unsigned int threads,
                                                 size_t dynamicSMemSize);

static inline __device__ const char* cudaGetErrorName(cudaError_t error);
static inline __device__ const char* cudaGetErrorString(cudaError_t error);
/// There is one device, 0.
static inline __device__ cudaError_t cudaGetDeviceCount(int* count);
static inline __device__ cudaError_t cudaGetDevice(int* device);
static inline __device__ cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
static inline __device__ cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
static inline __device__ cudaError_t cudaRuntimeGetVersion(int* version);
static inline __device__ cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                                              unsigned int flags);
static inline __device__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* func);
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* func,
                                                                                   int blockSize,
                                                                                   size_t dynamicSMemSize);
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* func, int blockSize, size_t dynamicSMemSize, unsigned int flags);
/// Of the heap that malloc takes (cudaLimitMallocHeapSize); neither side can free what the other has allocated.
static inline __device__ cudaError_t cudaMalloc(void** pointer, size_t size);
static inline __device__ cudaError_t cudaFree(void* pointer);
}
/// A template, as its table is part of programs that call it alone.
template <int kTable = 0>
static inline __device__ cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
