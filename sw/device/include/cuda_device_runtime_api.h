// Forwards to cuda_runtime.h, which declares the runtime functions for device code.
#pragma once
#include "cuda_runtime.h"
