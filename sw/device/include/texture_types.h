// Texture names; they come with cuda_runtime.h, which refuses their use.
#pragma once
#include "cuda_runtime.h"
