// Driver-level profiler marks; see cuda.h.
#pragma once
#include "cuda.h"
