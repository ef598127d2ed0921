// Forwards to cuda_runtime.h, which declares the device's mathematical functions.
#pragma once
#define __MATH_FUNCTIONS_H__
#include "cuda_runtime.h"
