// Forwards to cuda_runtime.h, which declares the device intrinsics.
#pragma once
#include "cuda_runtime.h"
