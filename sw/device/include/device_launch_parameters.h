// threadIdx and its kin; they come with cuda_runtime.h.
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "cuda_runtime.h"
