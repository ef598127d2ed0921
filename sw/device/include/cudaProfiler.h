// Forwards to cuda.h, which declares the driver API's profiler functions.
#pragma once
#include "cuda.h"
