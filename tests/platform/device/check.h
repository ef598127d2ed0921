// Shared by the programs of this folder: each computes something on the device and again on the host, by other means,
// and returns 1 if a value differs.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline int& failures() {
  static int count = 0;
  return count;
}

template <class T>
inline bool same_bits(T a, T b) {
  if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

#define EXPECT_SAME(what, got, want)                                                                 \
  do {                                                                                               \
    auto expected_got = (got);                                                                       \
    decltype(expected_got) expected_want = (want);                                                   \
    if (!same_bits(expected_got, expected_want) && failures()++ < 20) {                              \
      std::printf("%s: got %.17g, want %.17g\n", what, double(expected_got), double(expected_want)); \
    }                                                                                                \
  } while (false)

#define CUDA_OK(call)                                                    \
  do {                                                                   \
    cudaError_t cuda_ok_error = (call);                                  \
    if (cuda_ok_error != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(cuda_ok_error)); \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

/// Memory that host and device share, freed at the end.
template <class T>
class Shared {
 public:
  explicit Shared(size_t n) : size_(n) {
    CUDA_OK(cudaMallocManaged(&data_, n * sizeof(T)));
    std::memset(static_cast<void*>(data_), 0, n * sizeof(T));
  }
  ~Shared() { cudaFree(data_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  size_t size_;
};

inline int verdict() {
  if (failures() != 0) std::printf("%d values differ\n", failures());
  return failures() == 0 ? 0 : 1;
}

/// A plain generator, so that both sides see the same inputs on every host.
struct Random {
  unsigned long long state;
  unsigned next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 32);
  }
};
