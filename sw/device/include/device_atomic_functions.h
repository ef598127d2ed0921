// Forwards to cuda_runtime.h, which declares the atomic functions.
#pragma once
#include "cuda_runtime.h"
