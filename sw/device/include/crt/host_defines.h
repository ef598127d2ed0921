// Function, variable and calling-convention markers of CUDA C++.
//
// In a CUDA compilation the markers are attributes. For a plain host compiler (a .cpp file that uses the runtime API)
// they are empty, so the same header serves both.
#pragma once
#define __HOST_DEFINES_H__

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// A __managed__ variable would need one object that the images of both sides share. Its declaration is refused, with
// two alternatives.
#define __managed__                                                                                                   \
  __attribute__((device)) __attribute__((unavailable(                                                                 \
      "castor-cc: __managed__ variables are not supported; allocate with cudaMallocManaged and pass the pointer, or " \
      "use a __device__ variable with cudaMemcpyToSymbol / cudaMemcpyFromSymbol")))
#define __grid_constant__
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

// Outside CUDA mode __noinline__ stays undefined, since the C++ library uses __attribute__((__noinline__)).
#if defined(__CUDA__) && !defined(__noinline__)
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __location__(a) __attribute__((a))
#define __cluster_dims__(...)                                                                                 \
  __attribute__((unavailable("castor-cc: there are no thread-block clusters (sm_90); launch the kernel without " \
                             "them, and use global memory between blocks")))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
