// castor::launch<kernel>(grid, block, shared, stream)(arguments...) is the C++ function form of kernel<<<grid, block,
// shared, stream>>>(arguments...), on the device and on the host. It returns the result of the launch.
// castor::kernel<kernel>() returns a pointer to a kernel, and castor::launch_pointer(pointer, grid, ...)(arguments...)
// launches the kernel of such a pointer.
//
// clang accepts a kernel's name in device code only in the initialiser of a constant. Before C++17,
// castor::launch_of<decltype(&kernel), &kernel> replaces launch, and kernel_of replaces kernel. The functions have no
// line information of their own, so that messages name the line of the launch.
#pragma once

namespace castor {
namespace launch_detail {

/// Device constant that holds a kernel's address.
template <class Kernel, Kernel kernel>
struct Address {
  static __device__ Kernel const value;
};
template <class Kernel, Kernel kernel>
__device__ Kernel const Address<Kernel, kernel>::value = kernel;

/// Returns the offset of a parameter of type T. Parameters follow one another, each at a multiple of its alignment.
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

/// Source of a launch: a kernel named by the program.
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

/// Source of a launch: a kernel given by a pointer.
template <class Kernel>
struct Pointed {
  __attribute__((nodebug)) __host__ __device__ Kernel value() const { return pointer; }
  Kernel pointer;
};

/// Launch whose configuration is known and whose arguments are still missing. `Source`: Named or Pointed.
template <class Source, class... Parameters>
class Launch : Source {
 public:
  __attribute__((nodebug)) __host__ __device__ Launch(Source source, dim3 grid, dim3 block, size_t shared,
                                                      cudaStream_t stream)
      : Source(source), grid_(grid), block_(block), shared_(shared), stream_(stream) {}

  /// Launches the kernel. Errors on the device: the errors of cudaLaunchDevice; out of memory if there is no space for
  /// the arguments.
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

/// Maps a kernel's type to the Launch type with its parameters.
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

/// Result type of `castor_find_<kernel>(arguments)`. castor-cc declares this function next to a kernel if a launch by
/// device code leaves the kernel's template arguments or overload to be deduced.
template <class Type, Type value>
struct Found {
  using Source = Named<Type, value>;
  using Launch = NamedLaunch<Type, value>;
};

}  // namespace launch_detail

/// Returns the launch of a kernel; for C++ before C++17.
template <class Kernel, Kernel kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::NamedLaunch<Kernel, kernel> launch_of(
    dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {launch_detail::Named<Kernel, kernel>{}, grid, block, shared, stream};
}

/// Returns the launch of the kernel that `Found` names.
template <class Found>
__attribute__((nodebug)) __host__ __device__ typename Found::Launch launch_found(dim3 grid, dim3 block,
                                                                                 size_t shared = 0,
                                                                                 cudaStream_t stream = nullptr) {
  return {typename Found::Source{}, grid, block, shared, stream};
}

/// Returns the launch of the kernel at pointer `kernel`. The pointer is a result of castor::kernel in the same module,
/// or the initialiser of a variable.
template <class Kernel>
__attribute__((nodebug)) __host__ __device__ launch_detail::PointedLaunch<Kernel> launch_pointer(
    Kernel kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {launch_detail::Pointed<Kernel>{kernel}, grid, block, shared, stream};
}

/// Returns a pointer to a kernel; for C++ before C++17.
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
