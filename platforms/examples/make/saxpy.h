#pragma once

/// Computes y = a x + y for n elements in device memory. Returns when the work is submitted, not when it is complete.
void saxpy(int n, float a, const float* x, float* y);
