// Runtime functions that device code may call: launches, their streams and events, errors, limits.
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
}
