// Driver API: errors, devices, contexts. The process has one device and one context, which every call uses.

#include <cstdio>
#include <cstring>

#include "castor/gpu/machine.h"
#include "runtime/device_properties.h"
#include "runtime/driver.h"

using namespace castor;
using namespace castor::runtime;

namespace {

/// Name of a result code of the driver API.
struct DriverName {
  CUresult code;
  const char* name;
};

constexpr DriverName kNames[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
    {CUDA_ERROR_PROFILER_DISABLED, "CUDA_ERROR_PROFILER_DISABLED"},
    {CUDA_ERROR_PROFILER_NOT_INITIALIZED, "CUDA_ERROR_PROFILER_NOT_INITIALIZED"},
    {CUDA_ERROR_PROFILER_ALREADY_STARTED, "CUDA_ERROR_PROFILER_ALREADY_STARTED"},
    {CUDA_ERROR_PROFILER_ALREADY_STOPPED, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"},
    {CUDA_ERROR_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY"},
    {CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {CUDA_ERROR_DEVICE_NOT_LICENSED, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
    {CUDA_ERROR_MAP_FAILED, "CUDA_ERROR_MAP_FAILED"},
    {CUDA_ERROR_UNMAP_FAILED, "CUDA_ERROR_UNMAP_FAILED"},
    {CUDA_ERROR_ARRAY_IS_MAPPED, "CUDA_ERROR_ARRAY_IS_MAPPED"},
    {CUDA_ERROR_ALREADY_MAPPED, "CUDA_ERROR_ALREADY_MAPPED"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {CUDA_ERROR_ALREADY_ACQUIRED, "CUDA_ERROR_ALREADY_ACQUIRED"},
    {CUDA_ERROR_NOT_MAPPED, "CUDA_ERROR_NOT_MAPPED"},
    {CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"},
    {CUDA_ERROR_NOT_MAPPED_AS_POINTER, "CUDA_ERROR_NOT_MAPPED_AS_POINTER"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {CUDA_ERROR_UNSUPPORTED_LIMIT, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    {CUDA_ERROR_CONTEXT_ALREADY_IN_USE, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {CUDA_ERROR_JIT_COMPILATION_DISABLED, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
    {CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"},
    {CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
    {CUDA_ERROR_CONTAINED, "CUDA_ERROR_CONTAINED"},
    {CUDA_ERROR_INVALID_SOURCE, "CUDA_ERROR_INVALID_SOURCE"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND"},
    {CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
    {CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
    {CUDA_ERROR_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE"},
    {CUDA_ERROR_LOSSY_QUERY, "CUDA_ERROR_LOSSY_QUERY"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    {CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT"},
    {CUDA_ERROR_TOO_MANY_PEERS, "CUDA_ERROR_TOO_MANY_PEERS"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
    {CUDA_ERROR_INVALID_PC, "CUDA_ERROR_INVALID_PC"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
    {CUDA_ERROR_SYSTEM_NOT_READY, "CUDA_ERROR_SYSTEM_NOT_READY"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    {CUDA_ERROR_MPS_CONNECTION_FAILED, "CUDA_ERROR_MPS_CONNECTION_FAILED"},
    {CUDA_ERROR_MPS_RPC_FAILURE, "CUDA_ERROR_MPS_RPC_FAILURE"},
    {CUDA_ERROR_MPS_SERVER_NOT_READY, "CUDA_ERROR_MPS_SERVER_NOT_READY"},
    {CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"},
    {CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"},
    {CUDA_ERROR_MPS_CLIENT_TERMINATED, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
    {CUDA_ERROR_CDP_NOT_SUPPORTED, "CUDA_ERROR_CDP_NOT_SUPPORTED"},
    {CUDA_ERROR_CDP_VERSION_MISMATCH, "CUDA_ERROR_CDP_VERSION_MISMATCH"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {CUDA_ERROR_STREAM_CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
    {CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
    {CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT"},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
    {CUDA_ERROR_TIMEOUT, "CUDA_ERROR_TIMEOUT"},
    {CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
    {CUDA_ERROR_EXTERNAL_DEVICE, "CUDA_ERROR_EXTERNAL_DEVICE"},
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
    {CUDA_ERROR_FUNCTION_NOT_LOADED, "CUDA_ERROR_FUNCTION_NOT_LOADED"},
    {CUDA_ERROR_INVALID_RESOURCE_TYPE, "CUDA_ERROR_INVALID_RESOURCE_TYPE"},
    {CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"},
    {CUDA_ERROR_TENSOR_MEMORY_LEAK, "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
    {CUDA_ERROR_STREAM_DETACHED, "CUDA_ERROR_STREAM_DETACHED"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
};

const char* name_of(CUresult code) {
  for (const DriverName& entry : kNames) {
    if (entry.code == code) return entry.name;
  }
  return nullptr;
}

CUcontext the_context() { return reinterpret_cast<CUcontext>(&Session::instance()); }

void only_context(CUcontext context) {
  if (context != the_context()) throw ApiError{cudaErrorDeviceUninitialized};
}

// Returns the one context of the process: creating a context makes no new one.
CUresult create_context(CUcontext* pctx, CUdevice dev) {
  return driver([&](Session& session) {
    need_pointer(pctx);
    only_device(dev);
    static_cast<void>(session.device());
    *pctx = the_context();
  });
}

}  // namespace

CUresult castor::runtime::driver_code(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_NOT_FOUND;
    default:
      return static_cast<CUresult>(error);
  }
}

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pStr = name_of(error);
  return *pStr == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pStr = name_of(error) == nullptr ? nullptr : cudaGetErrorString(static_cast<cudaError_t>(error));
  return *pStr == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuInit(unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  int devices = 0;
  return driver_code(cudaGetDeviceCount(&devices));  // opens the device
}
CUresult cuDriverGetVersion(int* driverVersion) { return driver_code(cudaDriverGetVersion(driverVersion)); }

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return driver([&](Session&) {
    need_pointer(device);
    only_device(ordinal);
    *device = 0;
  });
}
CUresult cuDeviceGetCount(int* count) {
  return forward([&] { return cudaGetDeviceCount(count); });
}
CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return driver([&](Session& session) {
    need_pointer(name);
    only_device(dev);
    if (len <= 0) throw ApiError{cudaErrorInvalidValue};
    std::snprintf(name, static_cast<std::size_t>(len), "%s", properties_of(session.device().machine()).name);
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  return driver([&](Session& session) {
    need_pointer(uuid);
    only_device(dev);
    *uuid = properties_of(session.device().machine()).uuid;
  });
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice dev) {
  return driver([&](Session& session) {
    need_pointer(bytes);
    only_device(dev);
    *bytes = session.device().store().capacity();
  });
}
CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  return forward([&] { return cudaDeviceGetAttribute(pi, static_cast<cudaDeviceAttr>(attrib), dev); });
}
CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  return driver([&](Session& session) {
    need_pointer(prop);
    only_device(dev);
    const cudaDeviceProp from = properties_of(session.device().machine());
    prop->maxThreadsPerBlock = from.maxThreadsPerBlock;
    std::memcpy(prop->maxThreadsDim, from.maxThreadsDim, sizeof prop->maxThreadsDim);
    std::memcpy(prop->maxGridSize, from.maxGridSize, sizeof prop->maxGridSize);
    prop->sharedMemPerBlock = static_cast<int>(from.sharedMemPerBlock);
    prop->totalConstantMemory = static_cast<int>(from.totalConstMem);
    prop->SIMDWidth = from.warpSize;
    prop->memPitch = static_cast<int>(from.memPitch);
    prop->regsPerBlock = from.regsPerBlock;
    prop->clockRate = from.clockRate;
    prop->textureAlign = static_cast<int>(from.textureAlignment);
  });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  return driver([&](Session& session) {
    need_pointer(major);
    need_pointer(minor);
    only_device(dev);
    const auto& capability = session.device().machine().chip.capability;
    *major = static_cast<int>(capability.major_number);
    *minor = static_cast<int>(capability.minor_number);
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) { return create_context(pctx, dev); }
CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  return driver([&](Session&) { only_device(dev); });
}
CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
  const CUresult known = driver([&](Session&) { only_device(dev); });
  return known == CUDA_SUCCESS ? forward([] { return cudaDeviceReset(); }) : known;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int /*flags*/) {
  return driver([&](Session&) { only_device(dev); });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  return driver([&](Session&) {
    only_device(dev);
    if (flags != nullptr) *flags = 0;
    if (active != nullptr) *active = 1;
  });
}

CUresult cuCtxCreate(CUcontext* pctx, unsigned int /*flags*/, CUdevice dev) { return create_context(pctx, dev); }
CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams, unsigned int /*flags*/,
                        CUdevice dev) {
  if (numParams < 0 || (numParams == 0) != (paramsArray == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  if (numParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create_context(pctx, dev);
}
CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags, CUdevice dev) {
  if (ctxCreateParams == nullptr) return create_context(pctx, dev);
  if (ctxCreateParams->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams, ctxCreateParams->numExecAffinityParams, flags, dev);
}
CUresult cuCtxDestroy(CUcontext ctx) {
  return driver([&](Session& session) {
    only_context(ctx);
    session.synchronize_device();
  });
}
CUresult cuCtxPushCurrent(CUcontext ctx) {
  return driver([&](Session&) { only_context(ctx); });
}
CUresult cuCtxPopCurrent(CUcontext* pctx) {
  return driver([&](Session&) {
    if (pctx != nullptr) *pctx = the_context();
  });
}
CUresult cuCtxSetCurrent(CUcontext ctx) {
  return driver([&](Session&) {
    if (ctx != nullptr) only_context(ctx);
  });
}
CUresult cuCtxGetCurrent(CUcontext* pctx) {
  return driver([&](Session&) {
    need_pointer(pctx);
    *pctx = the_context();
  });
}
CUresult cuCtxGetDevice(CUdevice* device) { return cuDeviceGet(device, 0); }
CUresult cuCtxGetFlags(unsigned int* flags) {
  return driver([&](Session&) {
    need_pointer(flags);
    *flags = 0;
  });
}
CUresult cuCtxSynchronize(void) {
  return forward([&] { return cudaDeviceSynchronize(); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return forward([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  return forward([&] { return cudaDeviceGetLimit(pvalue, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  return driver([&](Session&) {
    need_pointer(pconfig);
    *pconfig = CU_FUNC_CACHE_PREFER_NONE;
  });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache /*config*/) {
  return driver([](Session&) {});
}
CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  return driver([&](Session&) {
    need_pointer(version);
    if (ctx != nullptr) only_context(ctx);
    *version = CUDA_VERSION;
  });
}
CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return forward([&] { return cudaDeviceGetStreamPriorityRange(leastPriority, greatestPriority); });
}

// A single device has no peers. The runtime's peer functions return the same answers.
CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return forward([&] { return cudaDeviceCanAccessPeer(canAccessPeer, dev, peerDev); });
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
  return forward(
      [&] { return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attrib), srcDevice, dstDevice); });
}
CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return driver([&](Session&) {
    if (Flags != 0) throw ApiError{cudaErrorInvalidValue};
    only_context(peerContext);
    throw ApiError{cudaErrorDeviceUninitialized};  // CUDA_ERROR_INVALID_CONTEXT: the peer is the current context itself
  });
}
CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return driver([&](Session&) {
    only_context(peerContext);
    throw ApiError{cudaErrorPeerAccessNotEnabled};
  });
}

CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }

}  // extern "C"
