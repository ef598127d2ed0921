// Forwards to cuda_bf16.h, which defines all functions of bfloat16.
#pragma once
#include "cuda_bf16.h"
