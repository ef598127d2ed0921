// Common definitions for the sources of castor_libdevice.bc: OpenCL C for nvptx64, compiled with libclc.
//
// Each function has the name and type that clang's CUDA headers declare (__nv_*). `long` has 64 bits here, and a
// pointer without address space is generic.
#ifndef CASTOR_LIBDEVICE_COMMON_H
#define CASTOR_LIBDEVICE_COMMON_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define INLINE __attribute__((always_inline))

#define ABS_MASK_F 0x7fffffffu
#define ABS_MASK_D 0x7fffffffffffffffUL

#endif
