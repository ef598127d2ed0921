// Runtime API: allocation, copies, fills, symbols.

#include <algorithm>
#include <cstring>
#include <vector>

#include "castor/gpu/machine.h"
#include "cuda_runtime_api.h"
#include "runtime/graph_work.h"
#include "runtime/memory_operations.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

constexpr std::size_t kPitchAlignment = 512;  // alignment of cudaMallocPitch's pitch, in bytes

std::size_t pitch_of(std::size_t width) {
  if (width > std::size_t{1} << 48) throw ApiError{cudaErrorMemoryAllocation};
  return std::max<std::size_t>((width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment, kPitchAlignment);
}

// Returns the bytes of `height` x `depth` rows.
std::size_t volume(std::size_t pitch, std::size_t height, std::size_t depth) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, height, &bytes) || __builtin_mul_overflow(bytes, depth, &bytes)) {
    throw ApiError{cudaErrorMemoryAllocation};
  }
  return bytes;
}

// Copies the slices of a three-dimensional copy one after the other. During a capture, adds one node to the graph.
void copy_3d(Session& session, const cudaMemcpy3DParms& parms, Stream& stream, bool asynchronous) {
  const std::vector<CopyRequest> slices = slices_of(parms);
  if (session.graphs().captures().takes(stream)) {
    check(session, CopyWork{parms});
    session.graphs().captures().add(stream, CopyWork{parms});
    return;
  }
  for (const CopyRequest& slice : slices) copy(session, slice, stream, asynchronous);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return api([&](Session& session) {
    need(devPtr);
    *devPtr = allocate(session, size, gpu::AllocationKind::kHeap);
  });
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return api([&](Session& session) {
    need(devPtr);
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) throw ApiError{cudaErrorInvalidValue};
    if (size == 0) throw ApiError{cudaErrorInvalidValue};
    *devPtr = allocate(session, size, gpu::AllocationKind::kManaged);
  });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return api([&](Session& session) {
    need(pHost);
    if ((flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) != 0) {
      throw ApiError{cudaErrorInvalidValue};
    }
    *pHost = allocate(session, size, gpu::AllocationKind::kPinned);
  });
}
cudaError_t cudaMallocHost(void** ptr, size_t size) { return cudaHostAlloc(ptr, size, cudaHostAllocDefault); }

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return api([&](Session& session) {
    need(devPtr);
    need(pitch);
    *pitch = pitch_of(width);
    *devPtr = allocate(session, volume(*pitch, height, 1), gpu::AllocationKind::kHeap);
  });
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pitchedDevPtr, struct cudaExtent extent) {
  return api([&](Session& session) {
    need(pitchedDevPtr);
    const std::size_t pitch = pitch_of(extent.width);
    void* const memory = allocate(session, volume(pitch, extent.height, extent.depth), gpu::AllocationKind::kHeap);
    *pitchedDevPtr = {memory, pitch, extent.width, extent.height};
  });
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return api([&](Session& session) {
    need(devPtr);
    if (session.graphs().captures().takes(session.streams().of(hStream))) throw ApiError{cudaErrorNotSupported};
    *devPtr = allocate(session, size, gpu::AllocationKind::kHeap);
  });
}

cudaError_t cudaFree(void* devPtr) {
  return api([&](Session& session) { release(session, devPtr, false); });
}
cudaError_t cudaFreeHost(void* ptr) {
  return api([&](Session& session) { release(session, ptr, true); });
}
cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return api([&](Session& session) {
    Stream& stream = session.streams().of(hStream);
    if (session.graphs().captures().takes(stream)) throw ApiError{cudaErrorNotSupported};
    session.synchronize(stream);
    release(session, devPtr, false);
  });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return api([&](Session& session) {
    if (ptr == nullptr || size == 0) throw ApiError{cudaErrorInvalidValue};
    // Registration pins memory for copies only: device code cannot reach ordinary host memory.
    if ((flags & cudaHostRegisterMapped) != 0) throw ApiError{cudaErrorNotSupported};
    if (!session.registered_host_memory.insert(ptr).second) throw ApiError{cudaErrorHostMemoryAlreadyRegistered};
    session.shares_memory();
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return api([&](Session& session) {
    if (session.registered_host_memory.erase(ptr) == 0) throw ApiError{cudaErrorHostMemoryNotRegistered};
  });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  return api([&](Session& session) {
    need(pDevice);
    if (flags != 0 || !session.device_address(pHost)) throw ApiError{cudaErrorInvalidValue};
    *pDevice = pHost;
  });
}

cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return api([&](Session& session) {
    need(pFlags);
    if (!session.device_address(pHost)) throw ApiError{cudaErrorInvalidValue};
    *pFlags = cudaHostAllocMapped;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&](Session& session) {
    const gpu::Store& store = session.device().store();
    if (total != nullptr) *total = store.capacity();
    if (free != nullptr) *free = store.capacity() - std::min(store.capacity(), store.used());
  });
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* ptr) {
  return api([&](Session& session) {
    need(attributes);
    *attributes = {};
    const auto address = session.device_address(ptr);
    if (!address) {
      const bool registered = session.registered_host_memory.count(ptr) != 0;
      attributes->type = registered ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
      attributes->device = registered ? 0 : -2;
      if (registered) attributes->hostPointer = const_cast<void*>(ptr);
      return;
    }
    void* const pointer = const_cast<void*>(ptr);
    attributes->devicePointer = pointer;
    switch (session.device().store().find(*address)->kind) {
      case gpu::AllocationKind::kManaged:
        attributes->type = cudaMemoryTypeManaged;
        attributes->hostPointer = pointer;
        break;
      case gpu::AllocationKind::kPinned:
        attributes->type = cudaMemoryTypeHost;
        attributes->hostPointer = pointer;
        break;
      default:
        attributes->type = cudaMemoryTypeDevice;
        break;
    }
  });
}

// --- Copies ---------------------------------------------------------------------------------------------------------

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind) {
  return api(
      [&](Session& session) { copy(session, linear(dst, src, count, kind), session.streams().of(nullptr), false); });
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return api(
      [&](Session& session) { copy(session, linear(dst, src, count, kind), session.streams().of(stream), true); });
}
cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  if (dstDevice != 0 || srcDevice != 0) return last_error() = cudaErrorInvalidDevice;
  return cudaMemcpy(dst, src, count, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  if (dstDevice != 0 || srcDevice != 0) return last_error() = cudaErrorInvalidDevice;
  return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  return api([&](Session& session) {
    copy(session, pitched(dst, dpitch, src, spitch, width, height, kind), session.streams().of(nullptr), false);
  });
}
cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  return api([&](Session& session) {
    copy(session, pitched(dst, dpitch, src, spitch, width, height, kind), session.streams().of(stream), true);
  });
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  return api([&](Session& session) {
    need(p);
    copy_3d(session, *p, session.streams().of(nullptr), false);
  });
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream) {
  return api([&](Session& session) {
    need(p);
    copy_3d(session, *p, session.streams().of(stream), true);
  });
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  return api([&](Session& session) {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) throw ApiError{cudaErrorInvalidMemcpyDirection};
    void* const to = symbol_address(session, symbol, offset, count);
    copy(session, linear(to, src, count, kind), session.streams().of(nullptr), false);
  });
}
cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return api([&](Session& session) {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) throw ApiError{cudaErrorInvalidMemcpyDirection};
    const void* const from = symbol_address(session, symbol, offset, count);
    copy(session, linear(dst, from, count, kind), session.streams().of(nullptr), false);
  });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
  return api([&](Session& session) {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) throw ApiError{cudaErrorInvalidMemcpyDirection};
    void* const to = symbol_address(session, symbol, offset, count);
    copy(session, linear(to, src, count, kind), session.streams().of(stream), true);
  });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  return api([&](Session& session) {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) throw ApiError{cudaErrorInvalidMemcpyDirection};
    const void* const from = symbol_address(session, symbol, offset, count);
    copy(session, linear(dst, from, count, kind), session.streams().of(stream), true);
  });
}

// --- Fills ----------------------------------------------------------------------------------------------------------

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return api([&](Session& session) {
    fill(session, {devPtr, count, 1, 0, static_cast<std::uint32_t>(value) & 0xff, 1}, session.streams().of(nullptr));
  });
}
cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return api([&](Session& session) {
    fill(session, {devPtr, count, 1, 0, static_cast<std::uint32_t>(value) & 0xff, 1}, session.streams().of(stream));
  });
}
cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(devPtr, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return api([&](Session& session) {
    fill(session, {devPtr, width, height, pitch, static_cast<std::uint32_t>(value) & 0xff, 1},
         session.streams().of(stream));
  });
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
  return cudaMemset3DAsync(pitchedDevPtr, value, extent, nullptr);
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
  return api([&](Session& session) {
    for (std::size_t slice = 0; slice < extent.depth; ++slice) {
      char* const base = static_cast<char*>(pitchedDevPtr.ptr) + slice * pitchedDevPtr.pitch * pitchedDevPtr.ysize;
      fill(session,
           {base, extent.width, extent.height, pitchedDevPtr.pitch, static_cast<std::uint32_t>(value) & 0xff, 1},
           session.streams().of(stream));
    }
  });
}

// --- Symbols, advice ------------------------------------------------------------------------------------------------

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return api([&](Session& session) {
    need(devPtr);
    *devPtr = symbol_address(session, symbol, 0, 0);
  });
}
cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api([&](Session& session) {
    need(size);
    *size = session.modules().symbol_of(symbol).size;
  });
}

cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice, cudaStream_t stream) {
  return api([&](Session& session) {
    if (session.graphs().captures().takes(session.streams().of(stream))) {
      throw ApiError{cudaErrorStreamCaptureUnsupported};
    }
    const auto address = session.device_address(devPtr);
    if (dstDevice != 0 && dstDevice != cudaCpuDeviceId) throw ApiError{cudaErrorInvalidDevice};
    if (!address || !session.device().store().contains(*address, count)) throw ApiError{cudaErrorInvalidValue};
  });
}
cudaError_t cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice, int device) {
  return api([&](Session& session) {
    const auto address = session.device_address(devPtr);
    if (device != 0 && device != cudaCpuDeviceId) throw ApiError{cudaErrorInvalidDevice};
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy || !address ||
        !session.device().store().contains(*address, count)) {
      throw ApiError{cudaErrorInvalidValue};
    }
  });
}
cudaError_t cudaMemRangeGetAttribute(void* /*data*/, size_t /*dataSize*/, enum cudaMemRangeAttribute /*attribute*/,
                                     const void* /*devPtr*/, size_t /*count*/) {
  return last_error() = cudaErrorNotSupported;
}

// Each device has one memory pool without reservations. Asynchronous allocation is the same as ordinary allocation.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return api([&](Session& session) {
    need(memPool);
    if (device != 0) throw ApiError{cudaErrorInvalidDevice};
    *memPool = reinterpret_cast<cudaMemPool_t>(&session);
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return cudaDeviceGetDefaultMemPool(memPool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t /*memPool*/) {
  return last_error() = device == 0 ? cudaErrorNotSupported : cudaErrorInvalidDevice;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t /*memPool*/, enum cudaMemPoolAttr attr, void* value) {
  return api([&](Session&) {
    need(value);
    if (attr < cudaMemPoolReuseFollowEventDependencies || attr > cudaMemPoolAttrReleaseThreshold) {
      throw ApiError{cudaErrorInvalidValue};
    }
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t /*memPool*/, enum cudaMemPoolAttr attr, void* value) {
  return api([&](Session& session) {
    need(value);
    const std::uint64_t used = session.device().store().used();
    if (attr >= cudaMemPoolAttrReservedMemCurrent && attr <= cudaMemPoolAttrUsedMemHigh) {
      std::memcpy(value, &used, sizeof used);
    } else {
      const std::uint64_t zero = 0;
      std::memcpy(value, &zero, attr == cudaMemPoolAttrReleaseThreshold ? sizeof zero : sizeof(int));
    }
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t /*memPool*/, size_t /*minBytesToKeep*/) {
  return api([](Session&) {});
}

}  // extern "C"
