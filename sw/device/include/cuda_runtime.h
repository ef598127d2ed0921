// CUDA C++ as Castor supports it. castor-cc includes this file before every CUDA source; host files may include it too.
//
// The device side builds on clang's own headers for CUDA (__clang_cuda_*.h). They define the intrinsics and the maths
// overloads with the __nv_* functions of castor_libdevice.bc.
#pragma once
#define __CUDA_RUNTIME_H__

// The order of the includes below matters.
// clang-format off
#if defined(__CUDA__) && defined(__clang__)
#include "castor_cuda/before.h"
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__clang__)
#include "castor_cuda/device_api.h"
#endif
#if defined(__cplusplus)
#include "castor_cuda/api_templates.h"
#endif

#if defined(__CUDA__) && defined(__clang__)
#include "castor_cuda/builtin_vars.h"
#include "castor_cuda/clang_device.h"
#include "castor_cuda/dpx.h"
#include "castor_cuda/shuffle.h"
#include "castor_cuda/atomics.h"
#include "castor_cuda/loads.h"
#include "castor_cuda/math_overloads.h"
#include "castor_cuda/textures.h"
#include <new>
#include "castor_cuda/launch.h"
#include "castor_cuda/device_queries.h"
#include "castor_cuda/device_memory.h"
#elif defined(__cplusplus)
#include "castor_cuda/textures.h"
#endif
// clang-format on
