// Forwards to cuda_runtime.h, which defines make_cudaExtent and similar functions.
#pragma once
#include "cuda_runtime.h"
