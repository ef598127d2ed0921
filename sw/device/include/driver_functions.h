// make_cudaExtent and its kin; they come with cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
