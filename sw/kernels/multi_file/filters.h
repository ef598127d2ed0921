// The interface between the files of the program `multi_file`.
#pragma once

#include <cuda_runtime.h>

/// Adds `gain` times the value to every element; the gain is a constant of gain.cu.
void set_gain(int gain);
void apply_gain(int* data, int n, cudaStream_t stream);

/// Replaces every element by the sum of itself and its neighbours (zero outside), from `in` to `out`.
void set_offset(int offset);
void apply_blur(const int* in, int* out, int n, cudaStream_t stream);
