// Memory functions for device code. Copies and fills are launches of kernels, as on a GPU. They run in the order of
// their stream, count as pending launches, and cudaDeviceSynchronize waits for them.
//
// Functions that launch are templates, so that their kernels are part only of programs that call them. Errors: the
// errors of cudaLaunchDevice; invalid value for null, local or shared pointers and for pitches below the width; invalid
// direction for copies that are not from device to device.
#pragma once

extern "C" {
static inline __device__ cudaError_t cudaMalloc(void** pointer, size_t size) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = size == 0 ? nullptr : malloc(size);
  return *pointer == nullptr && size != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
static inline __device__ cudaError_t cudaFree(void* pointer) {
  free(pointer);
  return cudaSuccess;
}
}

namespace castor {
namespace device_detail {

/// Box of bytes in memory, as rows and slices.
struct Rows {
  char* first;
  size_t pitch;  // bytes from row to row
  size_t slice;  // bytes from slice to slice
};
struct Extent {
  size_t width;  // bytes
  size_t height;
  size_t depth;
};

/// Returns the address of element `i`, of type `T`, of the box.
template <class T>
__device__ inline T* unit_of(const Rows& rows, const Extent& extent, size_t i) {
  const size_t units = extent.width / sizeof(T);
  const size_t row = i / units;
  return reinterpret_cast<T*>(rows.first + row / extent.height * rows.slice + row % extent.height * rows.pitch) +
         i % units;
}
template <class T>
__device__ inline size_t units_of(const Extent& extent) {
  return extent.width / sizeof(T) * extent.height * extent.depth;
}
template <class T>
__global__ void copy_units(Rows to, Rows from, Extent extent) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < units_of<T>(extent); i += step)
    *unit_of<T>(to, extent, i) = *unit_of<T>(from, extent, i);
}
template <class T>
__global__ void fill_units(Rows to, Extent extent, T value) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < units_of<T>(extent); i += step)
    *unit_of<T>(to, extent, i) = value;
}

constexpr unsigned int kCopyThreads = 128;
constexpr size_t kMostCopyBlocks = 64;
__device__ inline dim3 copy_blocks(size_t units) {
  const size_t blocks = (units + kCopyThreads - 1) / kCopyThreads;
  return dim3(static_cast<unsigned int>(blocks < kMostCopyBlocks ? blocks : kMostCopyBlocks));
}

__device__ inline bool valid(const Rows& rows, const Extent& extent) {
  const bool fits = (extent.height == 1 && extent.depth == 1) || rows.pitch >= extent.width;
  return rows.first != nullptr && !__isShared(rows.first) && !__isLocal(rows.first) && fits;
}
/// Returns a word whose low bits are 0 as far as the starts of all rows are aligned.
__device__ inline size_t alignment(const Rows& rows) {
  return reinterpret_cast<size_t>(rows.first) | rows.pitch | rows.slice;
}

template <class T>
__device__ inline cudaError_t launch_copy(const Rows& to, const Rows& from, const Extent& extent, cudaStream_t stream) {
  return launch_of<void (*)(Rows, Rows, Extent), &copy_units<T>>(copy_blocks(units_of<T>(extent)), kCopyThreads, 0,
                                                                 stream)(to, from, extent);
}
template <class T>
__device__ inline cudaError_t launch_fill(const Rows& to, const Extent& extent, T value, cudaStream_t stream) {
  return launch_of<void (*)(Rows, Extent, T), &fill_units<T>>(copy_blocks(units_of<T>(extent)), kCopyThreads, 0,
                                                              stream)(to, extent, value);
}

template <int>
__device__ cudaError_t copy(const Rows& to, const Rows& from, const Extent& extent, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  if (!valid(to, extent) || !valid(from, extent)) return cudaErrorInvalidValue;
  const size_t odd = (alignment(to) | alignment(from) | extent.width) & (sizeof(uint4) - 1);
  if (odd == 0) return launch_copy<uint4>(to, from, extent, stream);
  if (odd % sizeof(unsigned int) == 0) return launch_copy<unsigned int>(to, from, extent, stream);
  return launch_copy<unsigned char>(to, from, extent, stream);
}
template <int>
__device__ cudaError_t fill(const Rows& to, int value, const Extent& extent, cudaStream_t stream) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  if (!valid(to, extent)) return cudaErrorInvalidValue;
  const auto byte = static_cast<unsigned char>(value);
  if ((alignment(to) | extent.width) % sizeof(unsigned int) == 0)
    return launch_fill<unsigned int>(to, extent, byte * 0x01010101U, stream);
  return launch_fill<unsigned char>(to, extent, byte, stream);
}

__device__ inline Rows rows_of(const void* first, size_t pitch = 0, size_t height = 0) {
  return {const_cast<char*>(static_cast<const char*>(first)), pitch, pitch * height};
}
__device__ inline Rows rows_of(const cudaPitchedPtr& pointer, const cudaPos& pos) {
  const size_t offset = pos.x + pointer.pitch * (pos.y + pointer.ysize * pos.z);
  Rows rows = rows_of(pointer.ptr, pointer.pitch, pointer.ysize);
  if (rows.first != nullptr) rows.first += offset;
  return rows;
}

}  // namespace device_detail
}  // namespace castor

template <int n = 0>
static inline __device__ cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                                                     cudaStream_t stream = 0) {
  return castor::device_detail::copy<n>(castor::device_detail::rows_of(dst), castor::device_detail::rows_of(src),
                                        {count, 1, 1}, kind, stream);
}
template <int n = 0>
static inline __device__ cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                                                       size_t width, size_t height, cudaMemcpyKind kind,
                                                       cudaStream_t stream = 0) {
  return castor::device_detail::copy<n>(castor::device_detail::rows_of(dst, dpitch, height),
                                        castor::device_detail::rows_of(src, spitch, height), {width, height, 1}, kind,
                                        stream);
}
template <int n = 0>
static inline __device__ cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = 0) {
  if (p == nullptr || p->srcArray != nullptr || p->dstArray != nullptr) return cudaErrorInvalidValue;
  return castor::device_detail::copy<n>(castor::device_detail::rows_of(p->dstPtr, p->dstPos),
                                        castor::device_detail::rows_of(p->srcPtr, p->srcPos),
                                        {p->extent.width, p->extent.height, p->extent.depth}, p->kind, stream);
}
template <int n = 0>
static inline __device__ cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream = 0) {
  return castor::device_detail::fill<n>(castor::device_detail::rows_of(devPtr), value, {count, 1, 1}, stream);
}
template <int n = 0>
static inline __device__ cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width,
                                                       size_t height, cudaStream_t stream = 0) {
  return castor::device_detail::fill<n>(castor::device_detail::rows_of(devPtr, pitch, height), value,
                                        {width, height, 1}, stream);
}
template <int n = 0>
static inline __device__ cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                                                       cudaStream_t stream = 0) {
  return castor::device_detail::fill<n>(castor::device_detail::rows_of(pointer, cudaPos{0, 0, 0}), value,
                                        {extent.width, extent.height, extent.depth}, stream);
}
