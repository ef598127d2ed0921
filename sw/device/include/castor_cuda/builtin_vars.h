// threadIdx, blockIdx, blockDim, gridDim and warpSize.
//
// Each variable is an object without storage, whose members read a special register. Unlike clang's own variables,
// these can be copied (`auto t = threadIdx;`). A copy reads the same registers of the same thread, so it has the same
// value.
#pragma once

#define __CUDA_BUILTIN_VARS_H

#define CASTOR_SREG_MEMBER(field, reader)                             \
  __declspec(property(get = castor_read_##field)) unsigned int field; \
  static inline __attribute__((always_inline)) __device__ unsigned int castor_read_##field() { return reader; }

#define CASTOR_SREG_VAR(type, reg)                                                                     \
  struct type {                                                                                        \
    CASTOR_SREG_MEMBER(x, __nvvm_read_ptx_sreg_##reg##_x())                                            \
    CASTOR_SREG_MEMBER(y, __nvvm_read_ptx_sreg_##reg##_y())                                            \
    CASTOR_SREG_MEMBER(z, __nvvm_read_ptx_sreg_##reg##_z())                                            \
    inline __attribute__((always_inline)) __device__ operator dim3() const { return dim3(x, y, z); }   \
    inline __attribute__((always_inline)) __device__ operator uint3() const { return uint3{x, y, z}; } \
  }

CASTOR_SREG_VAR(__castor_thread_idx_t, tid);
CASTOR_SREG_VAR(__castor_block_idx_t, ctaid);
CASTOR_SREG_VAR(__castor_block_dim_t, ntid);
CASTOR_SREG_VAR(__castor_grid_dim_t, nctaid);

#undef CASTOR_SREG_VAR
#undef CASTOR_SREG_MEMBER

__device__ const __castor_thread_idx_t threadIdx{};
__device__ const __castor_block_idx_t blockIdx{};
__device__ const __castor_block_dim_t blockDim{};
__device__ const __castor_grid_dim_t gridDim{};

/// Number of lanes of a warp in CUDA programs.
__device__ const int warpSize = 32;
