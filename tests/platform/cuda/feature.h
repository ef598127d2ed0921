// Features that programs show: each line of the page docs/cuda.md that says "works" is a FEATURE of one of the programs
// here, and prints its name if what it checks is so.
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

// What a kernel writes into `out`, in memory that both sides see.
struct Out {
  int* v;
  Out() {
    cudaMallocManaged(&v, 1024 * sizeof(int));
    clear();
  }
  void clear() { std::memset(v, 0, 1024 * sizeof(int)); }
  bool is(int index, int value) const { return cudaDeviceSynchronize() == cudaSuccess && v[index] == value; }
};
