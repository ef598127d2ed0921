// Forwards to cuda_runtime.h, which declares the double-precision intrinsics.
#pragma once
#include "cuda_runtime.h"
