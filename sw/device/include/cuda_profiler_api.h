// Forwards to cuda_runtime_api.h, which declares the runtime API's profiler functions.
#pragma once
#define __CUDA_PROFILER_API_H__
#include "cuda_runtime_api.h"
