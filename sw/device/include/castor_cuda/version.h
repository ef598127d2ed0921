// CUDA version that Castor reports to programs and build systems. It is the highest version all of whose features are
// either supported or listed as missing in docs/cuda.md ("The version").
#pragma once

#define CASTOR_CUDA_VERSION 11070
#define CASTOR_CUDA_MAJOR 11
#define CASTOR_CUDA_MINOR 7
