// Functions of both sides; they come with cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
