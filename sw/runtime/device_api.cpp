// Runtime API: the one device of the process, its properties and limits.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/machine.h"
#include "cuda_runtime_api.h"
#include "runtime/device_properties.h"
#include "runtime/session.h"

namespace castor::runtime {
namespace {

constexpr std::size_t kConstantBytes = 64 * 1024;
constexpr std::size_t kDefaultSharedBytes = 48 * 1024;
constexpr std::size_t kLargestPitch = 0x7fffffff;

int kilohertz(double megahertz) { return static_cast<int>(std::lround(megahertz * 1000)); }

}  // namespace

cudaDeviceProp properties_of(const gpu::Machine& machine) {
  cudaDeviceProp prop;
  std::memset(&prop, 0, sizeof prop);
  std::snprintf(prop.name, sizeof prop.name, "Castor %s", machine.name.c_str());
  std::snprintf(prop.uuid.bytes, sizeof prop.uuid.bytes, "castor-%s", machine.name.c_str());
  prop.totalGlobalMem = machine.memory.bytes;
  prop.sharedMemPerBlock = std::min<std::size_t>(machine.sm.max_tb_smem, kDefaultSharedBytes);
  prop.sharedMemPerBlockOptin = machine.sm.max_tb_smem;
  prop.sharedMemPerMultiprocessor = machine.sm.smem_bytes;
  prop.regsPerBlock = static_cast<int>(machine.sm.registers);
  prop.regsPerMultiprocessor = static_cast<int>(machine.sm.registers);
  prop.warpSize = 32;
  prop.memPitch = kLargestPitch;
  prop.maxThreadsPerBlock = static_cast<int>(machine.sm.max_tb_threads);
  for (int i = 0; i < 3; ++i) {
    prop.maxThreadsDim[i] = static_cast<int>(std::min(gpu::kMaxBlock[i], machine.sm.max_tb_threads));
    prop.maxGridSize[i] = static_cast<int>(gpu::kMaxGrid[i]);
  }
  prop.maxThreadsPerMultiProcessor = static_cast<int>(machine.sm.threads);
  prop.maxBlocksPerMultiProcessor = static_cast<int>(machine.sm.tb_slots);
  prop.clockRate = kilohertz(machine.clock.core_mhz);
  // Programs compute the peak bandwidth as 2 x memoryClockRate x memoryBusWidth / 8. The reported clock is therefore
  // twice the command clock, and the reported width counts four bits per pin.
  prop.memoryClockRate = kilohertz(2 * machine.clock.dram_mhz);
  prop.memoryBusWidth = static_cast<int>(machine.dram.channels * machine.dram.bytes_per_clk * 8 / 4);
  prop.l2CacheSize = static_cast<int>(machine.l2.bytes);
  prop.totalConstMem = kConstantBytes;
  prop.major = static_cast<int>(machine.chip.capability.major_number);
  prop.minor = static_cast<int>(machine.chip.capability.minor_number);
  prop.textureAlignment = 512;
  prop.texturePitchAlignment = 32;
  prop.surfaceAlignment = 512;
  prop.deviceOverlap = 1;
  prop.asyncEngineCount = 2;
  prop.multiProcessorCount = static_cast<int>(machine.chip.sms);
  prop.integrated = machine.memory.unified ? 1 : 0;
  prop.canMapHostMemory = 1;
  prop.concurrentKernels = 1;
  prop.pciBusID = 1;
  prop.unifiedAddressing = 1;
  prop.streamPrioritiesSupported = 1;
  prop.globalL1CacheSupported = machine.l1.caches_global ? 1 : 0;
  prop.localL1CacheSupported = 1;
  prop.managedMemory = 1;
  prop.concurrentManagedAccess = 0;
  prop.hostNativeAtomicSupported = machine.memory.unified ? 1 : 0;
  prop.singleToDoublePrecisionPerfRatio = 2;
  prop.cooperativeLaunch = 1;
  return prop;
}

int attribute_of(const gpu::Machine& machine, cudaDeviceAttr attribute) {
  const cudaDeviceProp prop = properties_of(machine);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return prop.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
      return prop.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return prop.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(prop.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(prop.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(prop.sharedMemPerMultiprocessor);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(prop.totalConstMem);
    case cudaDevAttrWarpSize:
      return prop.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(prop.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return prop.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return prop.regsPerMultiprocessor;
    case cudaDevAttrClockRate:
      return prop.clockRate;
    case cudaDevAttrMemoryClockRate:
      return prop.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return prop.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return prop.l2CacheSize;
    case cudaDevAttrTextureAlignment:
      return static_cast<int>(prop.textureAlignment);
    case cudaDevAttrGpuOverlap:
      return prop.deviceOverlap;
    case cudaDevAttrMultiProcessorCount:
      return prop.multiProcessorCount;
    case cudaDevAttrIntegrated:
      return prop.integrated;
    case cudaDevAttrCanMapHostMemory:
      return prop.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return prop.computeMode;
    case cudaDevAttrSurfaceAlignment:
      return static_cast<int>(prop.surfaceAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(prop.texturePitchAlignment);
    case cudaDevAttrConcurrentKernels:
      return prop.concurrentKernels;
    case cudaDevAttrPciBusId:
      return prop.pciBusID;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return prop.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return prop.maxBlocksPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return prop.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing:
      return prop.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return prop.major;
    case cudaDevAttrComputeCapabilityMinor:
      return prop.minor;
    case cudaDevAttrStreamPrioritiesSupported:
      return prop.streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported:
      return prop.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
      return prop.localL1CacheSupported;
    case cudaDevAttrManagedMemory:
      return prop.managedMemory;
    case cudaDevAttrHostNativeAtomicSupported:
      return prop.hostNativeAtomicSupported;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return prop.singleToDoublePrecisionPerfRatio;
    case cudaDevAttrCooperativeLaunch:
      return prop.cooperativeLaunch;
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      // Every other attribute is a feature that the device does not have.
      if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax) {
        throw ApiError{cudaErrorInvalidValue};
      }
      return 0;
  }
}

}  // namespace castor::runtime

using namespace castor;
using namespace castor::runtime;

namespace {

constexpr std::size_t kDefaultStack = 1024;
constexpr std::size_t kDefaultPrintBuffer = 1 << 20;
constexpr std::size_t kDefaultHeap = 8 << 20;

std::size_t default_limit(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return kDefaultStack;
    case cudaLimitPrintfFifoSize:
      return kDefaultPrintBuffer;
    case cudaLimitMallocHeapSize:
      return kDefaultHeap;
    case cudaLimitDevRuntimeSyncDepth:
      return gpu::LaunchLimits{}.sync_depth;
    case cudaLimitDevRuntimePendingLaunchCount:
      return gpu::LaunchLimits{}.pending;
    default:
      throw ApiError{cudaErrorUnsupportedLimit};
  }
}

std::size_t limit_of(const Session& session, cudaLimit limit) {
  const auto found = session.limits.find(limit);
  return found != session.limits.end() ? found->second : default_limit(limit);
}

// Passes a changed limit on to the device or to the modules.
void apply(Session& session, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return Module::set_stack_limit(limit_of(session, limit));
    case cudaLimitMallocHeapSize:
      return session.device().set_heap_limit(limit_of(session, limit));
    case cudaLimitDevRuntimeSyncDepth:
    case cudaLimitDevRuntimePendingLaunchCount:
      return session.device().launcher().set_limits(
          {limit_of(session, cudaLimitDevRuntimePendingLaunchCount), limit_of(session, cudaLimitDevRuntimeSyncDepth)});
    default:
      return;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api([&](Session& session) {
    need(count);
    static_cast<void>(session.device());
    *count = 1;
  });
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device) {
  return api([&](Session& session) {
    need(prop);
    only_device(device);
    *prop = properties_of(session.device().machine());
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attr, int device) {
  return api([&](Session& session) {
    need(value);
    only_device(device);
    *value = attribute_of(session.device().machine(), attr);
  });
}

cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp* prop) {
  return api([&](Session&) {
    need(device);
    need(prop);
    *device = 0;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api([&](Session&) { only_device(device); });
}
cudaError_t cudaGetDevice(int* device) {
  return api([&](Session&) {
    need(device);
    *device = 0;
  });
}
cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  return api([&](Session&) {
    need(device_arr);
    for (int i = 0; i < len; ++i) only_device(device_arr[i]);
  });
}
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api([&](Session&) {
    if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0) throw ApiError{cudaErrorInvalidValue};
  });
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return api([&](Session&) {
    need(flags);
    *flags = cudaDeviceMapHost;
  });
}

cudaError_t cudaDeviceReset(void) {
  return api([](Session& session) {
    session.reset_device();
    const auto set = std::exchange(session.limits, {});
    for (const auto& [limit, value] : set) apply(session, static_cast<cudaLimit>(limit));
    last_error() = cudaSuccess;
  });
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  return api([&](Session& session) {
    static_cast<void>(default_limit(limit));
    const bool depth = limit == cudaLimitDevRuntimeSyncDepth;
    const bool pending = limit == cudaLimitDevRuntimePendingLaunchCount;
    if ((depth && value > gpu::LaunchLimits::kDeepestSync) || (pending && value > gpu::LaunchLimits::kMostPending))
      throw ApiError{cudaErrorInvalidValue};
    session.limits[limit] = value;
    apply(session, limit);
  });
}
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaDeviceGetLimit(size_t* pValue, enum cudaLimit limit) {
  return api([&](Session& session) {
    need(pValue);
    *pValue = limit_of(session, limit);
  });
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* pCacheConfig) {
  return api([&](Session&) {
    need(pCacheConfig);
    *pCacheConfig = cudaFuncCachePreferNone;
  });
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache /*cacheConfig*/) {
  return api([](Session&) {});
}
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig) { return cudaDeviceSetCacheConfig(cacheConfig); }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* pConfig) {
  return api([&](Session&) {
    need(pConfig);
    *pConfig = cudaSharedMemBankSizeFourByte;
  });
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig /*config*/) {
  return api([](Session&) {});
}
cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return api([](Session&) {});
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return api([&](Session&) {
    need(device);
    need(pciBusId);
    if (std::strcmp(pciBusId, "0000:01:00.0") != 0) throw ApiError{cudaErrorInvalidValue};
    *device = 0;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return api([&](Session&) {
    need(pciBusId);
    only_device(device);
    if (len < 13) throw ApiError{cudaErrorInvalidValue};
    std::snprintf(pciBusId, static_cast<std::size_t>(len), "0000:01:00.0");
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return api([&](Session&) {
    need(canAccessPeer);
    only_device(device);
    only_device(peerDevice);
    *canAccessPeer = 0;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int /*peerDevice*/, unsigned int flags) {
  return last_error() = flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
}
cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return last_error() = peerDevice == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice;
}
cudaError_t cudaDeviceGetP2PAttribute(int* /*value*/, enum cudaDeviceP2PAttr /*attr*/, int /*srcDevice*/,
                                      int /*dstDevice*/) {
  return last_error() = cudaErrorInvalidDevice;
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return api([&](Session&) {
    need(driverVersion);
    *driverVersion = kCudaVersion;
  });
}
cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) { return cudaDriverGetVersion(runtimeVersion); }

cudaError_t cudaProfilerStart(void) {
  return api([](Session&) {});
}
cudaError_t cudaProfilerStop(void) {
  return api([](Session&) {});
}

}  // extern "C"
