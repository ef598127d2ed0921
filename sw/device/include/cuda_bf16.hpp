// The functions of cuda_bf16.h; they come with it.
#pragma once
#include "cuda_bf16.h"
