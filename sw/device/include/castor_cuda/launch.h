// castor::launch<kernel>(grid, block, shared, stream)(arguments...): kernel<<<grid, block, shared,
// stream>>>(arguments...) as a function of C++, on the device and on the host. Returns what the launch returns.
// castor::kernel<kernel>() is a pointer to it, and castor::launch_pointer(pointer, grid, ...)(arguments...) launches
// one.
//
// clang refuses a kernel's name in device code, but for the initialiser of a constant. Before C++17 write
// castor::launch_of<decltype(&kernel), &kernel>, and kernel_of for kernel. Nothing here has lines of its own: messages
// name those of the launch.
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

/// A kernel that the program names.
template <class Kernel, Kernel kernel>
struct Named {
  __attribute__((nodebug)) __host__ __device__ Kernel value() const {
#ifdef __CUDA_ARCH__
    return Address<Kernel, kernel>::value;
#else
    return kernel;
#endif
  }
};

/// A kernel that a pointer tells.
template <class Kernel>
struct Pointed {
  __attribute__((nodebug)) __host__ __device__ Kernel value() const { return pointer; }
  Kernel pointer;
};

/// A launch that only wants its arguments. `Source`: Named or Pointed.
template <class Source, class... Parameters>
class Launch : Source {
 public:
  __attribute__((nodebug)) __host__ __device__ Launch(Source source, dim3 grid, dim3 block, size_t shared,
                                                      cudaStream_t stream)
      : Source(source), grid_(grid), block_(block), shared_(shared), stream_(stream) {}

  /// Errors on the device: those of cudaLaunchDevice; out of memory if there is no room for the arguments.
  __attribute__((nodebug)) __host__ __device__ cudaError_t operator()(Parameters... arguments) const {
#ifdef __CUDA_ARCH__
    char* const buffer = static_cast<char*>(cudaGetParameterBuffer(64, bytes(0, static_cast<Parameters*>(nullptr)...)));
    if (buffer == nullptr) return cudaErrorMemoryAllocation;
    write(buffer, 0, arguments...);
    return cudaLaunchDevice(reinterpret_cast<void*>(Source::value()), buffer, grid_, block_,
                            static_cast<unsigned int>(shared_), stream_);
#else
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&arguments))..., nullptr};
    return cudaLaunchKernel(reinterpret_cast<const void*>(Source::value()), grid_, block_, pointers, shared_, stream_);
#endif
  }

 private:
  dim3 grid_;
  dim3 block_;
  size_t shared_;  // bytes
  cudaStream_t stream_;
};

/// The launch of a kernel of type `Kernel`.
template <class Kernel, class Source>
struct Typed;
template <class... Parameters, class Source>
struct Typed<void (*)(Parameters...), Source> {
  using Type = Launch<Source, Parameters...>;
};
#if __cplusplus >= 201703L
template <class... Parameters, class Source>
struct Typed<void (*)(Parameters...) noexcept, Source> {
  using Type = Launch<Source, Parameters...>;
};
#endif
template <class Kernel, Kernel kernel>
using NamedLaunch = typename Typed<Kernel, Named<Kernel, kernel>>::Type;
template <class Kernel>
using PointedLaunch = typename Typed<Kernel, Pointed<Kernel>>::Type;

/// What `castor_find_<kernel>(arguments)` would return, which castor-cc declares beside a kernel whose template
/// arguments, or overload, a launch by device code leaves to its arguments.
template <class Type, Type value>
struct Found {
  using Source = Named<Type, value>;
  using Launch = NamedLaunch<Type, value>;
};

}  // namespace launch_detail

template <class Kernel, Kernel kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::NamedLaunch<Kernel, kernel> launch_of(
    dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {launch_detail::Named<Kernel, kernel>{}, grid, block, shared, stream};
}

/// The kernel that `Found` names.
template <class Found>
__attribute__((nodebug)) __host__ __device__ typename Found::Launch launch_found(dim3 grid, dim3 block,
                                                                                 size_t shared = 0,
                                                                                 cudaStream_t stream = nullptr) {
  return {typename Found::Source{}, grid, block, shared, stream};
}

/// The kernel at `kernel`: the value of one of the same module, as castor::kernel gives it, or a variable's
/// initialiser.
template <class Kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::PointedLaunch<Kernel> launch_pointer(
    Kernel kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {launch_detail::Pointed<Kernel>{kernel}, grid, block, shared, stream};
}

/// A pointer to a kernel.
template <class Kernel, Kernel kernel>
__attribute__((nodebug)) __host__ __device__ Kernel kernel_of() {
  return launch_detail::Named<Kernel, kernel>{}.value();
}

#if __cplusplus >= 201703L
template <auto kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::NamedLaunch<decltype(kernel), kernel> launch(
    dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {launch_detail::Named<decltype(kernel), kernel>{}, grid, block, shared, stream};
}
template <auto k>
__attribute__((nodebug)) __host__ __device__ decltype(k) kernel() {
  return launch_detail::Named<decltype(k), k>{}.value();
}
#endif

}  // namespace castor
