// Features of CUDA that programs test. Each line of docs/cuda.md that says "works" is a FEATURE of one of the programs
// here, which prints its name if the test passes.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static int missing = 0;

#define FEATURE(section, name, ...)                                        \
  do {                                                                     \
    const bool good_ = (__VA_ARGS__);                                      \
    std::printf("%s: %s: %s\n", good_ ? "works" : "fails", section, name); \
    missing += !good_;                                                     \
  } while (0)

#define GOOD(call) ((call) == cudaSuccess)

// Results that a kernel writes into `out`, in memory that host and device share.
struct Out {
  int* v;
  Out() {
    cudaMallocManaged(&v, 1024 * sizeof(int));
    clear();
  }
  void clear() { std::memset(v, 0, 1024 * sizeof(int)); }
  bool is(int index, int value) const { return cudaDeviceSynchronize() == cudaSuccess && v[index] == value; }
};
