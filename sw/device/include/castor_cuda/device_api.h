// Runtime functions for device code: launches with their streams and events, errors, limits, memory, queries.
//
// Two streams exist for every launch. Launches in cudaStreamTailLaunch begin one after the other, when the launching
// grid and all its other launches have ended. Launches in cudaStreamFireAndForget wait for nothing. The launching grid
// has ended when the launches of both streams have ended. Only launch functions accept these streams.
//
// Functions declared static here are defined in castor_cuda/device_queries.h and device_memory.h. They produce no code
// unless they are called.
//
// clang accepts no <<<>>> in device code; castor-cc replaces it by castor::launch (castor_cuda/launch.h).
#pragma once

extern "C" {
/// Returns a buffer of `size` bytes for the arguments of a launch. Null: the alignment is above 64, or no memory is
/// left.
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
/// Launches a kernel from device code. Errors: invalid value (`func` is no kernel of this module; the buffer is
/// unknown, already used, or too small), invalid configuration (dimensions, resources of a block), too many pending
/// launches, invalid resource handle (stream of another block).
__device__ cudaError_t cudaLaunchDevice(void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
/// Returns a parameter buffer that also holds the kernel and its dimensions, for cudaLaunchDeviceV2.
__device__ void* cudaGetParameterBufferV2(void* func, dim3 gridDimension, dim3 blockDimension,
                                          unsigned int sharedMemSize);
__device__ cudaError_t cudaLaunchDeviceV2(void* parameterBuffer, cudaStream_t stream);
/// Launches an aggregated group (Wang 2016, chapter 4). If a kernel of the same function, block size and shared bytes
/// is resident, the group's thread blocks run as part of it; otherwise they run as a kernel. `gridDimension`: grid that
/// the thread blocks of the group see. Groups have no stream and no order, and only memory limits their number. Errors:
/// as cudaLaunchDevice, except stream and limit.
__device__ cudaError_t cudaLaunchAggGroup(void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                          unsigned int sharedMemSize);

/// Waits for all launches of the thread block, and for all launches made by these. Error 68: nested too deeply.
__device__ cudaError_t cudaDeviceSynchronize(void);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t event);
__device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
/// Returns a limit of launches by device code; other limits give cudaErrorUnsupportedLimit.
__device__ cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
/// Returns and clears the last error of the thread.
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);
/// Returns a property of a kernel (isa::KernelFigure of the models); all ones if `func` is no kernel of this module.
__device__ unsigned long long castorKernelFigure(const void* func, unsigned int figure, unsigned int threads,
                                                 size_t dynamicSMemSize);

static inline __device__ const char* cudaGetErrorName(cudaError_t error);
static inline __device__ const char* cudaGetErrorString(cudaError_t error);
/// Returns 1: the only device has number 0.
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
/// Allocates from the heap of device malloc (cudaLimitMallocHeapSize). Host and device cannot free each other's memory.
static inline __device__ cudaError_t cudaMalloc(void** pointer, size_t size);
static inline __device__ cudaError_t cudaFree(void* pointer);
}
/// A template, so that its table is part only of programs that call it.
template <int kTable = 0>
static inline __device__ cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
