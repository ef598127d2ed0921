// The functions of cuda_fp16.h; they come with it.
#pragma once
#include "cuda_fp16.h"
