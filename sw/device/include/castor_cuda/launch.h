// castor::launch<kernel>(grid, block, shared, stream)(arguments...): kernel<<<grid, block, shared,
// stream>>>(arguments...) as a function of C++, on the device and on the host. Returns what the launch returns.
//
// clang refuses a kernel's name in device code, but for the initialiser of a constant. Before C++17 write
// castor::launch_of<decltype(&kernel), &kernel>. Nothing here has lines of its own: messages name those of the launch.
#pragma once

namespace castor {
namespace launch_detail {

/// Where the kernel's value lies on the device.
template <class Kernel, Kernel kernel>
struct Address {
  static __device__ Kernel const value;
};
template <class Kernel, Kernel kernel>
__device__ Kernel const Address<Kernel, kernel>::value = kernel;

/// Parameters lie one behind the other, each at a multiple of its alignment.
template <class T>
__host__ __device__ constexpr size_t place(size_t end) {
  return (end + alignof(T) - 1) / alignof(T) * alignof(T);
}
__host__ __device__ constexpr size_t bytes(size_t end) { return end; }
template <class First, class... Rest>
__host__ __device__ constexpr size_t bytes(size_t end, First*, Rest*... rest) {
  return bytes(place<First>(end) + sizeof(First), rest...);
}

__attribute__((nodebug)) __device__ inline void write(char*, size_t) {}
template <class First, class... Rest>
__attribute__((nodebug)) __device__ void write(char* buffer, size_t end, const First& first, const Rest&... rest) {
  const size_t at = place<First>(end);
  ::new (static_cast<void*>(buffer + at)) First(first);
  write(buffer, at + sizeof(First), rest...);
}

template <class Kernel, Kernel kernel>
class Launch;

template <class... Parameters, void (*kernel)(Parameters...)>
class Launch<void (*)(Parameters...), kernel> {
 public:
  __attribute__((nodebug)) __host__ __device__ Launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
      : grid_(grid), block_(block), shared_(shared), stream_(stream) {}

  /// Errors on the device: those of cudaLaunchDevice; out of memory if there is no room for the arguments.
  __attribute__((nodebug)) __host__ __device__ cudaError_t operator()(Parameters... arguments) const {
#ifdef __CUDA_ARCH__
    char* const buffer = static_cast<char*>(cudaGetParameterBuffer(64, bytes(0, static_cast<Parameters*>(nullptr)...)));
    if (buffer == nullptr) return cudaErrorMemoryAllocation;
    write(buffer, 0, arguments...);
    return cudaLaunchDevice(reinterpret_cast<void*>(Address<void (*)(Parameters...), kernel>::value), buffer, grid_,
                            block_, static_cast<unsigned int>(shared_), stream_);
#else
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&arguments))..., nullptr};
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid_, block_, pointers, shared_, stream_);
#endif
  }

 private:
  dim3 grid_;
  dim3 block_;
  size_t shared_;  // bytes
  cudaStream_t stream_;
};

}  // namespace launch_detail

template <class Kernel, Kernel kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::Launch<Kernel, kernel> launch_of(
    dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {grid, block, shared, stream};
}

#if __cplusplus >= 201703L
template <auto kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::Launch<decltype(kernel), kernel> launch(
    dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {grid, block, shared, stream};
}
#endif

}  // namespace castor
