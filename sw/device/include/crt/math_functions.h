// Forwards to cuda_runtime.h, which declares the device's mathematical functions.
#pragma once
#include "cuda_runtime.h"
