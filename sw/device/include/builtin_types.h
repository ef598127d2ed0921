// CUDA's built-in types; see driver_types.h and vector_types.h.
#pragma once
#define __BUILTIN_TYPES_H__
#include "driver_types.h"
