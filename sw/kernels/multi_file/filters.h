// The interface between the files of the program `multi_file`.
#pragma once

#include <cuda_runtime.h>

/// Sets the gain, a constant of gain.cu.
void set_gain(int gain);
/// Adds the gain times the element's own value to every element.
void apply_gain(int* data, int n, cudaStream_t stream);

/// Sets the offset, a constant of blur.cu.
void set_offset(int offset);
/// Replaces every element by the sum of itself, its two neighbours (zero outside) and the offset. Reads `in`, writes
/// `out`.
void apply_blur(const int* in, int* out, int n, cudaStream_t stream);
