// Replacements of libclc functions for OpenCL C, as one translation unit, which is linked before libclc by name.
#include "opencl_math.cl"
#include "opencl_native.cl"
