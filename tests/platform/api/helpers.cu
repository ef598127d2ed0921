// A program in the style of the helpers that CUDA samples share: macros around calls, names of errors by a switch, the
// choice of the fastest device, and occupancy computed by the program itself.
#include <cuda.h>
#include <cuda_occupancy.h>
#include <cuda_runtime.h>
#include <library_types.h>

#include <cstdlib>
#include <cstring>

#include "check.h"

#if !defined(__DRIVER_TYPES_H__) || !defined(__cuda_cuda_h__) || !defined(__cuda_occupancy_h__)
#error "the guards that such helpers ask for"
#endif

static void expect(bool good, const char* what) {
  if (!good) fail(__FILE__, __LINE__, "differs", what);
}

static const char* error_name(cudaError_t error) {
  switch (error) {
#define NAME(code) \
  case code:       \
    return #code;
    NAME(cudaSuccess)
    NAME(cudaErrorInvalidValue)
    NAME(cudaErrorMemoryAllocation)
    NAME(cudaErrorInitializationError)
    NAME(cudaErrorCudartUnloading)
    NAME(cudaErrorProfilerDisabled)
    NAME(cudaErrorProfilerNotInitialized)
    NAME(cudaErrorProfilerAlreadyStarted)
    NAME(cudaErrorProfilerAlreadyStopped)
    NAME(cudaErrorInvalidConfiguration)
    NAME(cudaErrorInvalidPitchValue)
    NAME(cudaErrorInvalidSymbol)
    NAME(cudaErrorInvalidHostPointer)
    NAME(cudaErrorInvalidDevicePointer)
    NAME(cudaErrorInvalidTexture)
    NAME(cudaErrorInvalidTextureBinding)
    NAME(cudaErrorInvalidChannelDescriptor)
    NAME(cudaErrorInvalidMemcpyDirection)
    NAME(cudaErrorAddressOfConstant)
    NAME(cudaErrorTextureFetchFailed)
    NAME(cudaErrorTextureNotBound)
    NAME(cudaErrorSynchronizationError)
    NAME(cudaErrorInvalidFilterSetting)
    NAME(cudaErrorInvalidNormSetting)
    NAME(cudaErrorMixedDeviceExecution)
    NAME(cudaErrorNotYetImplemented)
    NAME(cudaErrorMemoryValueTooLarge)
    NAME(cudaErrorStubLibrary)
    NAME(cudaErrorInsufficientDriver)
    NAME(cudaErrorCallRequiresNewerDriver)
    NAME(cudaErrorInvalidSurface)
    NAME(cudaErrorDuplicateVariableName)
    NAME(cudaErrorDuplicateTextureName)
    NAME(cudaErrorDuplicateSurfaceName)
    NAME(cudaErrorDevicesUnavailable)
    NAME(cudaErrorIncompatibleDriverContext)
    NAME(cudaErrorMissingConfiguration)
    NAME(cudaErrorPriorLaunchFailure)
    NAME(cudaErrorLaunchMaxDepthExceeded)
    NAME(cudaErrorLaunchFileScopedTex)
    NAME(cudaErrorLaunchFileScopedSurf)
    NAME(cudaErrorSyncDepthExceeded)
    NAME(cudaErrorLaunchPendingCountExceeded)
    NAME(cudaErrorInvalidDeviceFunction)
    NAME(cudaErrorNoDevice)
    NAME(cudaErrorInvalidDevice)
    NAME(cudaErrorDeviceNotLicensed)
    NAME(cudaErrorSoftwareValidityNotEstablished)
    NAME(cudaErrorStartupFailure)
    NAME(cudaErrorInvalidKernelImage)
    NAME(cudaErrorDeviceUninitialized)
    NAME(cudaErrorMapBufferObjectFailed)
    NAME(cudaErrorUnmapBufferObjectFailed)
    NAME(cudaErrorArrayIsMapped)
    NAME(cudaErrorAlreadyMapped)
    NAME(cudaErrorNoKernelImageForDevice)
    NAME(cudaErrorAlreadyAcquired)
    NAME(cudaErrorNotMapped)
    NAME(cudaErrorNotMappedAsArray)
    NAME(cudaErrorNotMappedAsPointer)
    NAME(cudaErrorECCUncorrectable)
    NAME(cudaErrorUnsupportedLimit)
    NAME(cudaErrorDeviceAlreadyInUse)
    NAME(cudaErrorPeerAccessUnsupported)
    NAME(cudaErrorInvalidPtx)
    NAME(cudaErrorInvalidGraphicsContext)
    NAME(cudaErrorNvlinkUncorrectable)
    NAME(cudaErrorJitCompilerNotFound)
    NAME(cudaErrorUnsupportedPtxVersion)
    NAME(cudaErrorJitCompilationDisabled)
    NAME(cudaErrorUnsupportedExecAffinity)
    NAME(cudaErrorUnsupportedDevSideSync)
    NAME(cudaErrorContained)
    NAME(cudaErrorInvalidSource)
    NAME(cudaErrorFileNotFound)
    NAME(cudaErrorSharedObjectSymbolNotFound)
    NAME(cudaErrorSharedObjectInitFailed)
    NAME(cudaErrorOperatingSystem)
    NAME(cudaErrorInvalidResourceHandle)
    NAME(cudaErrorIllegalState)
    NAME(cudaErrorLossyQuery)
    NAME(cudaErrorSymbolNotFound)
    NAME(cudaErrorNotReady)
    NAME(cudaErrorIllegalAddress)
    NAME(cudaErrorLaunchOutOfResources)
    NAME(cudaErrorLaunchTimeout)
    NAME(cudaErrorLaunchIncompatibleTexturing)
    NAME(cudaErrorPeerAccessAlreadyEnabled)
    NAME(cudaErrorPeerAccessNotEnabled)
    NAME(cudaErrorSetOnActiveProcess)
    NAME(cudaErrorContextIsDestroyed)
    NAME(cudaErrorAssert)
    NAME(cudaErrorTooManyPeers)
    NAME(cudaErrorHostMemoryAlreadyRegistered)
    NAME(cudaErrorHostMemoryNotRegistered)
    NAME(cudaErrorHardwareStackError)
    NAME(cudaErrorIllegalInstruction)
    NAME(cudaErrorMisalignedAddress)
    NAME(cudaErrorInvalidAddressSpace)
    NAME(cudaErrorInvalidPc)
    NAME(cudaErrorLaunchFailure)
    NAME(cudaErrorCooperativeLaunchTooLarge)
    NAME(cudaErrorTensorMemoryLeak)
    NAME(cudaErrorNotPermitted)
    NAME(cudaErrorNotSupported)
    NAME(cudaErrorSystemNotReady)
    NAME(cudaErrorSystemDriverMismatch)
    NAME(cudaErrorCompatNotSupportedOnDevice)
    NAME(cudaErrorMpsConnectionFailed)
    NAME(cudaErrorMpsRpcFailure)
    NAME(cudaErrorMpsServerNotReady)
    NAME(cudaErrorMpsMaxClientsReached)
    NAME(cudaErrorMpsMaxConnectionsReached)
    NAME(cudaErrorMpsClientTerminated)
    NAME(cudaErrorCdpNotSupported)
    NAME(cudaErrorCdpVersionMismatch)
    NAME(cudaErrorStreamCaptureUnsupported)
    NAME(cudaErrorStreamCaptureInvalidated)
    NAME(cudaErrorStreamCaptureMerge)
    NAME(cudaErrorStreamCaptureUnmatched)
    NAME(cudaErrorStreamCaptureUnjoined)
    NAME(cudaErrorStreamCaptureIsolation)
    NAME(cudaErrorStreamCaptureImplicit)
    NAME(cudaErrorCapturedEvent)
    NAME(cudaErrorStreamCaptureWrongThread)
    NAME(cudaErrorTimeout)
    NAME(cudaErrorGraphExecUpdateFailure)
    NAME(cudaErrorExternalDevice)
    NAME(cudaErrorInvalidClusterSize)
    NAME(cudaErrorFunctionNotLoaded)
    NAME(cudaErrorInvalidResourceType)
    NAME(cudaErrorInvalidResourceConfiguration)
    NAME(cudaErrorStreamDetached)
    NAME(cudaErrorUnknown)
    NAME(cudaErrorApiFailureBase)
#undef NAME
  }
  return "<unknown>";
}
static const char* error_name(CUresult error) {
  switch (error) {
#define NAME(code) \
  case code:       \
    return #code;
    NAME(CUDA_SUCCESS)
    NAME(CUDA_ERROR_INVALID_VALUE)
    NAME(CUDA_ERROR_OUT_OF_MEMORY)
    NAME(CUDA_ERROR_NOT_INITIALIZED)
    NAME(CUDA_ERROR_DEINITIALIZED)
    NAME(CUDA_ERROR_PROFILER_DISABLED)
    NAME(CUDA_ERROR_PROFILER_NOT_INITIALIZED)
    NAME(CUDA_ERROR_PROFILER_ALREADY_STARTED)
    NAME(CUDA_ERROR_PROFILER_ALREADY_STOPPED)
    NAME(CUDA_ERROR_STUB_LIBRARY)
    NAME(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER)
    NAME(CUDA_ERROR_DEVICE_UNAVAILABLE)
    NAME(CUDA_ERROR_NO_DEVICE)
    NAME(CUDA_ERROR_INVALID_DEVICE)
    NAME(CUDA_ERROR_DEVICE_NOT_LICENSED)
    NAME(CUDA_ERROR_INVALID_IMAGE)
    NAME(CUDA_ERROR_INVALID_CONTEXT)
    NAME(CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
    NAME(CUDA_ERROR_MAP_FAILED)
    NAME(CUDA_ERROR_UNMAP_FAILED)
    NAME(CUDA_ERROR_ARRAY_IS_MAPPED)
    NAME(CUDA_ERROR_ALREADY_MAPPED)
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    NAME(CUDA_ERROR_ALREADY_ACQUIRED)
    NAME(CUDA_ERROR_NOT_MAPPED)
    NAME(CUDA_ERROR_NOT_MAPPED_AS_ARRAY)
    NAME(CUDA_ERROR_NOT_MAPPED_AS_POINTER)
    NAME(CUDA_ERROR_ECC_UNCORRECTABLE)
    NAME(CUDA_ERROR_UNSUPPORTED_LIMIT)
    NAME(CUDA_ERROR_CONTEXT_ALREADY_IN_USE)
    NAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
    NAME(CUDA_ERROR_INVALID_PTX)
    NAME(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
    NAME(CUDA_ERROR_NVLINK_UNCORRECTABLE)
    NAME(CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
    NAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    NAME(CUDA_ERROR_JIT_COMPILATION_DISABLED)
    NAME(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY)
    NAME(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC)
    NAME(CUDA_ERROR_CONTAINED)
    NAME(CUDA_ERROR_INVALID_SOURCE)
    NAME(CUDA_ERROR_FILE_NOT_FOUND)
    NAME(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
    NAME(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
    NAME(CUDA_ERROR_OPERATING_SYSTEM)
    NAME(CUDA_ERROR_INVALID_HANDLE)
    NAME(CUDA_ERROR_ILLEGAL_STATE)
    NAME(CUDA_ERROR_LOSSY_QUERY)
    NAME(CUDA_ERROR_NOT_FOUND)
    NAME(CUDA_ERROR_NOT_READY)
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    NAME(CUDA_ERROR_LAUNCH_TIMEOUT)
    NAME(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING)
    NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
    NAME(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)
    NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED)
    NAME(CUDA_ERROR_ASSERT)
    NAME(CUDA_ERROR_TOO_MANY_PEERS)
    NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
    NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
    NAME(CUDA_ERROR_HARDWARE_STACK_ERROR)
    NAME(CUDA_ERROR_ILLEGAL_INSTRUCTION)
    NAME(CUDA_ERROR_MISALIGNED_ADDRESS)
    NAME(CUDA_ERROR_INVALID_ADDRESS_SPACE)
    NAME(CUDA_ERROR_INVALID_PC)
    NAME(CUDA_ERROR_LAUNCH_FAILED)
    NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    NAME(CUDA_ERROR_TENSOR_MEMORY_LEAK)
    NAME(CUDA_ERROR_NOT_PERMITTED)
    NAME(CUDA_ERROR_NOT_SUPPORTED)
    NAME(CUDA_ERROR_SYSTEM_NOT_READY)
    NAME(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
    NAME(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
    NAME(CUDA_ERROR_MPS_CONNECTION_FAILED)
    NAME(CUDA_ERROR_MPS_RPC_FAILURE)
    NAME(CUDA_ERROR_MPS_SERVER_NOT_READY)
    NAME(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED)
    NAME(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED)
    NAME(CUDA_ERROR_MPS_CLIENT_TERMINATED)
    NAME(CUDA_ERROR_CDP_NOT_SUPPORTED)
    NAME(CUDA_ERROR_CDP_VERSION_MISMATCH)
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_MERGE)
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
    NAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    NAME(CUDA_ERROR_CAPTURED_EVENT)
    NAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
    NAME(CUDA_ERROR_TIMEOUT)
    NAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
    NAME(CUDA_ERROR_EXTERNAL_DEVICE)
    NAME(CUDA_ERROR_INVALID_CLUSTER_SIZE)
    NAME(CUDA_ERROR_FUNCTION_NOT_LOADED)
    NAME(CUDA_ERROR_INVALID_RESOURCE_TYPE)
    NAME(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
    NAME(CUDA_ERROR_STREAM_DETACHED)
    NAME(CUDA_ERROR_UNKNOWN)
#undef NAME
  }
  return "<unknown>";
}

template <class Result>
static void check(Result result, const char* call, const char* file, int line) {
  if (!result) return;
  std::printf("%s:%d: %s: %s\n", file, line, call, error_name(result));
  std::exit(1);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

static void names() {
  for (int code = 0; code < 1001; ++code) {
    const char* const ours = error_name(static_cast<cudaError_t>(code));
    if (std::strcmp(ours, "<unknown>") == 0) continue;
    expect(std::strcmp(ours, cudaGetErrorName(static_cast<cudaError_t>(code))) == 0, ours);
    expect(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(code)), "unrecognized error code") != 0, ours);
  }
  for (int code = 0; code < 1000; ++code) {
    const char* const ours = error_name(static_cast<CUresult>(code));
    const char* theirs = nullptr;
    if (std::strcmp(ours, "<unknown>") == 0) continue;
    expect(cuGetErrorName(static_cast<CUresult>(code), &theirs) == CUDA_SUCCESS && std::strcmp(ours, theirs) == 0,
           ours);
  }
}

// Cores per SM of a compute capability.
static int cores_of(int major, int minor) {
  struct {
    int version, cores;
  } const table[] = {{0x20, 32}, {0x21, 48},  {0x30, 192}, {0x35, 192}, {0x37, 192}, {0x50, 128}, {0x52, 128},
                     {0x60, 64}, {0x61, 128}, {0x70, 64},  {0x75, 64},  {0x80, 64},  {0x86, 128}, {-1, -1}};
  for (int i = 0; table[i].version != -1; ++i) {
    if (table[i].version == (major << 4) + minor) return table[i].cores;
  }
  return 64;
}

static int fastest_device() {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  int best = -1;
  double most = 0;
  for (int device = 0; device < count; ++device) {
    int mode = -1, major = 0, minor = 0, sms = 0, clock = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    checkCudaErrors(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    if (mode == cudaComputeModeProhibited) continue;
    const double speed = static_cast<double>(sms) * cores_of(major, minor) * clock;
    if (speed > most) most = speed, best = device;
  }
  return best;
}

static void driver_side() {
  checkCudaErrors(cuInit(0));
  CUdevice device = 0;
  checkCudaErrors(cuDeviceGet(&device, 0));
  int value = -1;
  checkCudaErrors(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device));
  expect(value == CU_COMPUTEMODE_DEFAULT && value != CU_COMPUTEMODE_PROHIBITED, "compute mode");
  // A device without a feature says 0; a number that is no attribute is an error.
  for (int a : {92, 93, 94, 102, 103, 119, 120, 121, 125, 126, 130, 135}) {
    checkCudaErrors(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(a), device));
    expect(value == 0, "attribute of a feature that is not there");
  }
  expect(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, device) == CUDA_ERROR_INVALID_VALUE, "no attribute");
  expect(cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0) == cudaErrorInvalidValue, "no attribute");
  cudaGetLastError();
}

__global__ void light(int* o) { o[threadIdx.x] = threadIdx.x; }
__global__ void shared_user(int* o) {
  __shared__ int tile[3000];
  tile[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void heavy(float* o) {
  float v[48];
  for (int i = 0; i < 48; ++i) v[i] = o[i * blockDim.x + threadIdx.x];
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 48; ++i) v[i] = v[(i * 7 + 5) % 48] * v[i] + 1.0f;
  }
  for (int i = 0; i < 48; ++i) o[i * blockDim.x + threadIdx.x] = v[i];
}

/// The same as the runtime says, whose machine has the limits of a chip.
template <class K>
static void occupancy(K kernel, size_t dynamic) {
  cudaDeviceProp prop;
  cudaFuncAttributes attributes;
  checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
  checkCudaErrors(cudaFuncGetAttributes(&attributes, kernel));
  const cudaOccDeviceProp device(prop);
  const cudaOccFuncAttributes needs(attributes);
  const cudaOccDeviceState state;
  for (int threads : {32, 64, 96, 128, 200, 256, 512, 768, 1024}) {
    int blocks = -1;
    cudaOccResult result;
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic));
    expect(
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &needs, &state, threads, dynamic) == CUDA_OCC_SUCCESS,
        "occupancy");
    if (result.activeBlocksPerMultiprocessor != blocks) {
      std::printf("%d threads, %d registers: %d blocks, the runtime says %d\n", threads, attributes.numRegs,
                  result.activeBlocksPerMultiprocessor, blocks);
    }
    expect(result.activeBlocksPerMultiprocessor == blocks, "blocks as the runtime has them");
    expect(result.limitingFactors != 0, "something limits");
  }
  int grid = 0, block = 0, grid_there = 0, block_there = 0;
  checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&grid_there, &block_there, kernel, dynamic));
  expect(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &needs, &state, dynamic) == CUDA_OCC_SUCCESS &&
             grid == grid_there && block == block_there,
         "best block size");
}

int main() {
  names();
  expect(fastest_device() == 0, "the one device");
  driver_side();
  occupancy(light, 0);
  occupancy(light, 20000);
  occupancy(shared_user, 0);
  occupancy(heavy, 0);
  cudaOccResult result;
  cudaOccDeviceProp unknown{};
  cudaOccFuncAttributes needs{};
  cudaOccDeviceState state;
  unknown.warpSize = 32;
  unknown.computeMajor = 1;
  expect(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &unknown, &needs, &state, 32, 0) ==
             CUDA_OCC_ERROR_UNKNOWN_DEVICE,
         "a device that is not known");
  expect(
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &unknown, &needs, &state, 0, 0) == CUDA_OCC_ERROR_INVALID_INPUT,
      "no threads");
  expect(CUDA_R_16BF == 14 && CUDA_C_64F == 5, "data types");
  return verdict();
}
