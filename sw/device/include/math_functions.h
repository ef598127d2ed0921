// Device maths; it comes with cuda_runtime.h.
#pragma once
#define __MATH_FUNCTIONS_H__
#include "cuda_runtime.h"
