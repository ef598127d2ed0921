// Forwards to driver_types.h, which declares CUDA's built-in types, the vector types included.
#pragma once
#define __BUILTIN_TYPES_H__
#include "driver_types.h"
