// The version of CUDA that programs and build systems are told, everywhere from here: the highest one before which
// nothing is missing that docs/cuda.md does not list (there: "The version").
#pragma once

#define CASTOR_CUDA_VERSION 11070
#define CASTOR_CUDA_MAJOR 11
#define CASTOR_CUDA_MINOR 7
