// Declarations that must precede all other parts of cuda_runtime.h in a CUDA compilation.
//
// clang's forward declarations come before <cmath>, so that std::sin and the rest find device overloads. The standard
// headers come before the macro __noinline__, because libstdc++ writes __attribute__((__noinline__)).
#pragma once

#ifndef __CUDACC__
#define __CUDACC__
#endif
#include "castor_cuda/version.h"
#define __CUDACC_VER_MAJOR__ CASTOR_CUDA_MAJOR
#define __CUDACC_VER_MINOR__ CASTOR_CUDA_MINOR
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

// clang-format off
#include <__clang_cuda_math_forward_declares.h>
#include <climits>
#include <cstdlib>
#include <cstdio>
#include <cmath>
#include <cstring>
#include <math.h>
#include <stdlib.h>
#include <memory>
#include <utility>
// clang-format on

#ifndef __NVCC__
#define __NVCC__
#endif
