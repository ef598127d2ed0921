#pragma once

/// y = a x + y for n elements in device memory; returns when the work is submitted.
void saxpy(int n, float a, const float* x, float* y);
