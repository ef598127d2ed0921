#pragma once

// Frame of the programs of this folder: kernels whose thread blocks meet at grid barriers, and may be more than fit on
// the machine. A program takes two arguments, FACTOR and MORE: it launches FACTOR times the thread blocks that fit, and
// MORE. It compares with the host, and prints
//
//   NAME: N of M blocks, B barriers, W wrong, hash H
//
// where M thread blocks fit, and H is a hash of all results.

#include <castor_sync.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorName(error));
  std::exit(1);
}

/// A run of one kernel.
class Grid {
 public:
  template <class Kernel>
  Grid(const char* name, Kernel kernel, int threads, char** argv) : threads(threads), name_(name) {
    int per_sm = 0;
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
    room = per_sm * properties.multiProcessorCount;
    blocks = std::atoi(argv[1]) * room + std::atoi(argv[2]);
  }
  /// Returns the exit code of the program. `barriers`: those that each thread block passes.
  template <class T>
  int compare(const T* device, const std::vector<T>& host, int barriers) const {
    unsigned wrong = 0;
    unsigned long long hash = 14695981039346656037ULL;
    for (std::size_t i = 0; i < host.size(); ++i) {
      wrong += device[i] != host[i];
      for (std::size_t b = 0; b < sizeof(T); ++b)
        hash = (hash ^ reinterpret_cast<const unsigned char*>(device + i)[b]) * 1099511628211ULL;
    }
    std::printf("%s: %d of %d blocks, %d barriers, %u wrong, hash %016llx\n", name_, blocks, room, barriers, wrong,
                hash);
    return wrong != 0;
  }
  const int threads;
  int room, blocks;

 private:
  const char* name_;
};

template <class T>
T* managed(std::size_t count) {
  T* pointer = nullptr;
  check(cudaMallocManaged(&pointer, count * sizeof(T)));
  return pointer;
}
