// Forwards to cuda_fp16.h, which defines all functions of half precision.
#pragma once
#include "cuda_fp16.h"
