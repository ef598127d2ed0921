// Forwards to cuda_runtime.h, which declares the device intrinsics.
#pragma once
#define __DEVICE_FUNCTIONS_H__
#include "cuda_runtime.h"
