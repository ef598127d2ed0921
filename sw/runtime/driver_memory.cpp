// Driver API: memory, streams, events. Handles are the runtime API's handles, so programs may mix both APIs.

#include <cstring>

#include "runtime/driver.h"
#include "runtime/memory_operations.h"

using namespace castor;
using namespace castor::runtime;

namespace {

CUresult copy_linear(void* to, const void* from, std::size_t count, cudaMemcpyKind kind, CUstream stream,
                     bool asynchronous) {
  return forward([&] {
    return asynchronous ? cudaMemcpyAsync(to, from, count, kind, stream) : cudaMemcpy(to, from, count, kind);
  });
}

const void* side(CUmemorytype type, const void* host, CUdeviceptr device) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return host;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      return pointer_of(device);
    default:
      throw ApiError{cudaErrorNotSupported};
  }
}

CUresult copy_2d(const CUDA_MEMCPY2D* request, CUstream stream, bool asynchronous) {
  return driver([&](Session& session) {
    need_pointer(request);
    CopyRequest rows;
    const auto* const from =
        static_cast<const char*>(side(request->srcMemoryType, request->srcHost, request->srcDevice));
    const auto* const to = static_cast<const char*>(side(request->dstMemoryType, request->dstHost, request->dstDevice));
    rows.from_pitch = request->srcPitch != 0 ? request->srcPitch : request->WidthInBytes;
    rows.to_pitch = request->dstPitch != 0 ? request->dstPitch : request->WidthInBytes;
    rows.from = from + request->srcY * rows.from_pitch + request->srcXInBytes;
    rows.to = const_cast<char*>(to) + request->dstY * rows.to_pitch + request->dstXInBytes;
    rows.width = request->WidthInBytes;
    rows.rows = request->Height;
    if (rows.rows > 1 && (rows.width > rows.to_pitch || rows.width > rows.from_pitch)) {
      throw ApiError{cudaErrorInvalidValue};
    }
    copy(session, rows, session.streams().of(stream), asynchronous);
  });
}

CUresult fill_pattern(CUdeviceptr to, std::uint32_t pattern, unsigned bytes, std::size_t count, CUstream stream) {
  return driver([&](Session& session) {
    if (to % bytes != 0) throw ApiError{cudaErrorInvalidValue};
    FillRequest request;
    request.to = pointer_of(to);
    request.width = count * bytes;
    request.pattern = pattern;
    request.pattern_bytes = bytes;
    fill(session, request, session.streams().of(stream));
  });
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return forward([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemAlloc(CUdeviceptr* dptr, size_t bytesize) {
  return driver([&](Session& session) {
    need_pointer(dptr);
    if (bytesize == 0) throw ApiError{cudaErrorInvalidValue};
    *dptr = reinterpret_cast<CUdeviceptr>(allocate(session, bytesize, gpu::AllocationKind::kHeap));
  });
}
CUresult cuMemAllocPitch(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                         unsigned int ElementSizeBytes) {
  if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16) return CUDA_ERROR_INVALID_VALUE;
  void* pointer = nullptr;
  return driver([&](Session&) {
    need_pointer(dptr);
    pass(cudaMallocPitch(&pointer, pPitch, WidthInBytes, Height));
    *dptr = reinterpret_cast<CUdeviceptr>(pointer);
  });
}
CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  void* pointer = nullptr;
  return driver([&](Session&) {
    need_pointer(dptr);
    pass(cudaMallocManaged(&pointer, bytesize, flags));
    *dptr = reinterpret_cast<CUdeviceptr>(pointer);
  });
}
CUresult cuMemFree(CUdeviceptr dptr) {
  return forward([&] { return cudaFree(pointer_of(dptr)); });
}
CUresult cuMemGetAddressRange(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  return driver([&](Session& session) {
    const auto address = session.device_address(pointer_of(dptr));
    if (!address) throw ApiError{cudaErrorSymbolNotFound};
    const gpu::Allocation& allocation = *session.device().store().find(*address);
    if (pbase != nullptr) *pbase = allocation.address + (dptr - *address);
    if (psize != nullptr) *psize = allocation.size;
  });
}
CUresult cuMemAllocHost(void** pp, size_t bytesize) {
  return forward([&] { return cudaMallocHost(pp, bytesize); });
}
CUresult cuMemFreeHost(void* p) {
  return forward([&] { return cudaFreeHost(p); });
}
CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  return forward([&] { return cudaHostAlloc(pp, bytesize, Flags); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  void* pointer = nullptr;
  return driver([&](Session&) {
    need_pointer(pdptr);
    pass(cudaHostGetDevicePointer(&pointer, p, Flags));
    *pdptr = reinterpret_cast<CUdeviceptr>(pointer);
  });
}
CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  return forward([&] { return cudaHostGetFlags(pFlags, p); });
}
CUresult cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags) {
  return forward([&] { return cudaHostRegister(p, bytesize, Flags); });
}
CUresult cuMemHostUnregister(void* p) {
  return forward([&] { return cudaHostUnregister(p); });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return driver([&](Session& session) {
    need_pointer(data);
    const auto address = session.device_address(pointer_of(ptr));
    if (!address) throw ApiError{cudaErrorInvalidValue};
    const gpu::Allocation& allocation = *session.device().store().find(*address);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of a handle, the handle's own bytes are returned
    const auto put = [data](auto value) { std::memcpy(data, &value, sizeof value); };
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        put(reinterpret_cast<CUcontext>(&session));
        return;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        put(static_cast<unsigned>(allocation.kind == gpu::AllocationKind::kPinned ? CU_MEMORYTYPE_HOST
                                                                                  : CU_MEMORYTYPE_DEVICE));
        return;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        put(ptr);
        return;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        put(allocation.kind == gpu::AllocationKind::kManaged);
        return;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        put(0);
        return;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        put(static_cast<CUdeviceptr>(allocation.address + (ptr - *address)));
        return;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        put(static_cast<std::size_t>(allocation.size));
        return;
      default:
        throw ApiError{cudaErrorNotSupported};
    }
  });
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy_linear(pointer_of(dst), pointer_of(src), ByteCount, cudaMemcpyDefault, nullptr, false);
}
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy_linear(pointer_of(dst), pointer_of(src), ByteCount, cudaMemcpyDefault, hStream, true);
}
CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy_linear(pointer_of(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice, nullptr, false);
}
CUresult cuMemcpyDtoH(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_linear(dstHost, pointer_of(srcDevice), ByteCount, cudaMemcpyDeviceToHost, nullptr, false);
}
CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_linear(pointer_of(dstDevice), pointer_of(srcDevice), ByteCount, cudaMemcpyDeviceToDevice, nullptr, false);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream) {
  return copy_linear(pointer_of(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice, hStream, true);
}
CUresult cuMemcpyDtoHAsync(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy_linear(dstHost, pointer_of(srcDevice), ByteCount, cudaMemcpyDeviceToHost, hStream, true);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy_linear(pointer_of(dstDevice), pointer_of(srcDevice), ByteCount, cudaMemcpyDeviceToDevice, hStream, true);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* pCopy) { return copy_2d(pCopy, nullptr, false); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* pCopy, CUstream hStream) { return copy_2d(pCopy, hStream, true); }

CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return fill_pattern(dstDevice, uc, 1, N, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return fill_pattern(dstDevice, us, 2, N, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return fill_pattern(dstDevice, ui, 4, N, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return fill_pattern(dstDevice, uc, 1, N, hStream);
}
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return fill_pattern(dstDevice, us, 2, N, hStream);
}
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return fill_pattern(dstDevice, ui, 4, N, hStream);
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return forward([&] { return cudaLaunchHostFunc(hStream, fn, userData); });
}

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return forward([&] { return cudaStreamCreateWithFlags(phStream, Flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return forward([&] { return cudaStreamCreateWithPriority(phStream, flags, priority); });
}
CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return forward([&] { return cudaStreamGetPriority(hStream, priority); });
}
CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  return forward([&] { return cudaStreamGetFlags(hStream, flags); });
}
CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return forward([&] { return cudaStreamWaitEvent(hStream, hEvent, Flags); });
}
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags) {
  return driver([&](Session& session) {
    if (callback == nullptr || flags != 0) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    if (session.graphs().captures().takes(session.streams().of(hStream))) {
      throw ApiError{cudaErrorStreamCaptureUnsupported};
    }
    session.submit_host_function(
        session.streams().of(hStream), [=](cudaError_t status) { callback(hStream, driver_code(status), userData); },
        true);
  });
}
CUresult cuStreamQuery(CUstream hStream) {
  return forward([&] { return cudaStreamQuery(hStream); });
}
CUresult cuStreamSynchronize(CUstream hStream) {
  return forward([&] { return cudaStreamSynchronize(hStream); });
}
CUresult cuStreamDestroy(CUstream hStream) {
  return forward([&] { return cudaStreamDestroy(hStream); });
}

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  return forward([&] { return cudaEventCreateWithFlags(phEvent, Flags); });
}
CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return forward([&] { return cudaEventRecord(hEvent, hStream); });
}
CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return forward([&] { return cudaEventRecordWithFlags(hEvent, hStream, flags); });
}
CUresult cuEventQuery(CUevent hEvent) {
  return forward([&] { return cudaEventQuery(hEvent); });
}
CUresult cuEventSynchronize(CUevent hEvent) {
  return forward([&] { return cudaEventSynchronize(hEvent); });
}
CUresult cuEventDestroy(CUevent hEvent) {
  return forward([&] { return cudaEventDestroy(hEvent); });
}
CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return forward([&] { return cudaEventElapsedTime(pMilliseconds, hStart, hEnd); });
}

}  // extern "C"
