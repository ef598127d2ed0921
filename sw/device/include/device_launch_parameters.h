// Forwards to cuda_runtime.h, which defines threadIdx and the other built-in variables.
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "cuda_runtime.h"
