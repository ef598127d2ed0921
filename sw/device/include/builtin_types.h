// CUDA's built-in types; see driver_types.h and vector_types.h.
#pragma once
#include "driver_types.h"
