// The whole device library as one translation unit, so that one compiler call makes the bitcode.
#include "arithmetic.cl"
#include "integer.cl"
#include "simd.cl"
#include "fast.cl"
#include "elementary.cl"
#include "single.cl"
#include "special.cl"
#include "bessel.cl"
