// Forwards to cuda_runtime.h, which declares the intrinsics and atomic functions.
#pragma once
#include "cuda_runtime.h"
