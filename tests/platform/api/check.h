// Checks of a program on itself: each failed one prints its line; the program returns their number.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

static int failures = 0;

static inline void fail(const char* file, int line, const char* text, const char* detail) {
  std::printf("%s:%d: %s%s%s\n", file, line, text, detail[0] != 0 ? ": " : "", detail);
  ++failures;
}

#define CHECK(condition)                                        \
  do {                                                          \
    if (!(condition)) fail(__FILE__, __LINE__, #condition, ""); \
  } while (0)

// The call returns this code.
#define RETURNS(code, call)                                                      \
  do {                                                                           \
    const cudaError_t got_ = (call);                                             \
    if (got_ != (code)) fail(__FILE__, __LINE__, #call, cudaGetErrorName(got_)); \
  } while (0)
#define GOOD(call) RETURNS(cudaSuccess, call)

static inline int verdict() {
  if (failures == 0) std::printf("all checks passed\n");
  return failures != 0;
}
