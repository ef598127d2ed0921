// What replaces functions of libclc in OpenCL C, as one translation unit; linked before it, by name.
#include "opencl_math.cl"
#include "opencl_native.cl"
