// Textures and surfaces are not supported. Each of their names is declared so that only its use is refused, with the
// reason and an alternative.
#pragma once

#define CASTOR_NO_TEXTURES                                                                                \
  "castor-cc: textures and surfaces are not supported; read the data through a pointer in global memory " \
  "(__ldg) instead"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02

template <class... T>
struct castor_never {
  static constexpr bool value = false;
};

template <class T, int dim = 1, int mode = 0>
struct texture {
  static_assert(castor_never<T>::value, CASTOR_NO_TEXTURES);
};
template <class T, int dim = 1>
struct surface {
  static_assert(castor_never<T>::value, CASTOR_NO_TEXTURES);
};

#define CASTOR_REFUSE_FETCH(name)                              \
  template <class T, class... Args>                            \
  __host__ __device__ T name(Args...) {                        \
    static_assert(castor_never<T>::value, CASTOR_NO_TEXTURES); \
    return T();                                                \
  }
CASTOR_REFUSE_FETCH(tex1Dfetch)
CASTOR_REFUSE_FETCH(tex1D)
CASTOR_REFUSE_FETCH(tex2D)
CASTOR_REFUSE_FETCH(tex3D)
CASTOR_REFUSE_FETCH(tex1DLod)
CASTOR_REFUSE_FETCH(tex2DLod)
CASTOR_REFUSE_FETCH(tex3DLod)
CASTOR_REFUSE_FETCH(tex1DLayered)
CASTOR_REFUSE_FETCH(tex2DLayered)
CASTOR_REFUSE_FETCH(tex2Dgather)
CASTOR_REFUSE_FETCH(texCubemap)
CASTOR_REFUSE_FETCH(surf1Dread)
CASTOR_REFUSE_FETCH(surf2Dread)
CASTOR_REFUSE_FETCH(surf3Dread)
CASTOR_REFUSE_FETCH(cudaCreateChannelDesc)
#define CASTOR_REFUSE_WRITE(name)                              \
  template <class T, class... Args>                            \
  __host__ __device__ void name(T, Args...) {                  \
    static_assert(castor_never<T>::value, CASTOR_NO_TEXTURES); \
  }
CASTOR_REFUSE_WRITE(surf1Dwrite)
CASTOR_REFUSE_WRITE(surf2Dwrite)
CASTOR_REFUSE_WRITE(surf3Dwrite)
#undef CASTOR_REFUSE_WRITE
#undef CASTOR_REFUSE_FETCH

#define CASTOR_REFUSE_CALL(name)                                     \
  template <class... Args>                                           \
  cudaError_t name(Args...) {                                        \
    static_assert(castor_never<Args...>::value, CASTOR_NO_TEXTURES); \
    return cudaErrorNotSupported;                                    \
  }
CASTOR_REFUSE_CALL(cudaBindTexture)
CASTOR_REFUSE_CALL(cudaBindTexture2D)
CASTOR_REFUSE_CALL(cudaBindTextureToArray)
CASTOR_REFUSE_CALL(cudaUnbindTexture)
CASTOR_REFUSE_CALL(cudaCreateTextureObject)
CASTOR_REFUSE_CALL(cudaDestroyTextureObject)
CASTOR_REFUSE_CALL(cudaCreateSurfaceObject)
CASTOR_REFUSE_CALL(cudaDestroySurfaceObject)
CASTOR_REFUSE_CALL(cudaMallocArray)
CASTOR_REFUSE_CALL(cudaMalloc3DArray)
CASTOR_REFUSE_CALL(cudaFreeArray)
CASTOR_REFUSE_CALL(cudaMemcpyToArray)
CASTOR_REFUSE_CALL(cudaMemcpy2DToArray)
#undef CASTOR_REFUSE_CALL
