// Forwards to cuda_runtime.h, which declares the functions common to host and device.
#pragma once
#include "cuda_runtime.h"
