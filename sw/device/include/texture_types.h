// Forwards to cuda_runtime.h, which declares the texture names and refuses their use.
#pragma once
#include "cuda_runtime.h"
