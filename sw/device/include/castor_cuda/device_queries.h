// Runtime queries of device code about errors, the device and kernels.
#pragma once

extern "C" {
static inline __device__ const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define CASTOR_ERROR(code, text) \
  case code:                     \
    return #code;
#include "castor_cuda/error_texts.inc"
#undef CASTOR_ERROR
  }
  return "unrecognized error code";
}
static inline __device__ const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define CASTOR_ERROR(code, text) \
  case code:                     \
    return text;
#include "castor_cuda/error_texts.inc"
#undef CASTOR_ERROR
  }
  return "unrecognized error code";
}

static inline __device__ cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                                              unsigned int flags) {
  return flags == cudaEventRecordDefault ? cudaEventRecord(event, stream) : cudaErrorInvalidValue;
}
}

namespace castor {
namespace device_detail {

/// Values of cudaDeviceAttr. The runtime writes them when it loads the module; kNoAttribute marks an unknown attribute.
template <int>
struct AttributeTable {
  static __device__ int values[cudaDevAttrMax];
};
template <int n>
__device__ int AttributeTable<n>::values[cudaDevAttrMax] = {};
constexpr int kNoAttribute = -0x7fffffff - 1;

/// Numbers of isa::KernelFigure in the models.
enum Figure : unsigned int { kSharedBytes, kLocalBytes, kRegisters, kMostThreads, kBlocksPerSm };

__device__ inline unsigned long long figure(const void* func, Figure which) {
  return castorKernelFigure(func, which, 0, 0);
}

}  // namespace device_detail
}  // namespace castor

template <int kTable>
static inline __device__ cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  const auto index = static_cast<unsigned int>(attribute);
  if (index >= cudaDevAttrMax) return cudaErrorInvalidValue;
  const int found = static_cast<volatile int*>(castor::device_detail::AttributeTable<kTable>::values)[index];
  if (found == castor::device_detail::kNoAttribute) return cudaErrorInvalidValue;
  *value = found;
  return cudaSuccess;
}

extern "C" {
/// Returns a kernel's attributes for launches by device code. The limit on shared memory is independent of the one that
/// the host has set for its launches.
static inline __device__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* func) {
  const unsigned long long shared = castor::device_detail::figure(func, castor::device_detail::kSharedBytes);
  if (shared == ~0ULL) return cudaErrorInvalidDeviceFunction;
  int most = 0;
  int major = 0;
  int minor = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlock, 0);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  *attributes = cudaFuncAttributes{};
  attributes->sharedSizeBytes = shared;
  attributes->localSizeBytes = castor::device_detail::figure(func, castor::device_detail::kLocalBytes);
  attributes->maxThreadsPerBlock =
      static_cast<int>(castor::device_detail::figure(func, castor::device_detail::kMostThreads));
  attributes->numRegs = static_cast<int>(castor::device_detail::figure(func, castor::device_detail::kRegisters));
  attributes->ptxVersion = 60;
  attributes->binaryVersion = major * 10 + minor;
  attributes->maxDynamicSharedSizeBytes = most > static_cast<int>(shared) ? most - static_cast<int>(shared) : 0;
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* func,
                                                                                   int blockSize,
                                                                                   size_t dynamicSMemSize) {
  if (blocks == nullptr || blockSize <= 0) return cudaErrorInvalidValue;
  const unsigned long long found = castorKernelFigure(func, castor::device_detail::kBlocksPerSm,
                                                      static_cast<unsigned int>(blockSize), dynamicSMemSize);
  if (found == ~0ULL) return cudaErrorInvalidDeviceFunction;
  *blocks = static_cast<int>(found);
  return cudaSuccess;
}
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* func, int blockSize, size_t dynamicSMemSize, unsigned int flags) {
  if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, func, blockSize, dynamicSMemSize);
}
}
