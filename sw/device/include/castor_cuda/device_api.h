// Runtime functions that device code may call: launches from the device by CUDA's own calls.
//
// clang has no <<<>>> in device code, so a device-side launch is written as the two calls that nvcc makes of it.
#pragma once

extern "C" {
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
__device__ void* cudaGetParameterBufferV2(void* func, dim3 gridDimension, dim3 blockDimension,
                                          unsigned int sharedMemSize);
__device__ cudaError_t cudaLaunchDeviceV2(void* parameterBuffer, cudaStream_t stream);
}
