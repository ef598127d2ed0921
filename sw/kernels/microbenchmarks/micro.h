// Shared by the microbenchmarks. Plain CUDA in the style of published microbenchmark studies. Any CUDA compiler accepts
// it, so the same program can measure a real chip.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../common/program.h"

namespace micro {

/// The named figures of one benchmark, printed as one line of JSON after the word RESULT.
class Figures {
 public:
  explicit Figures(const char* benchmark) : benchmark_(benchmark) {}

  /// Adds a figure, printed as "<benchmark>.<row>". `row` may contain letters, digits, '_' and '.'.
  void add(const std::string& row, double value) { figures_.emplace_back(row, value); }

  /// Returns whether there is at least one figure and all figures are finite and not negative.
  bool sound() const {
    for (const auto& figure : figures_) {
      if (!std::isfinite(figure.second) || figure.second < 0) return false;
    }
    return !figures_.empty();
  }

  void print() const {
    std::printf("RESULT {");
    const char* comma = "";
    for (const auto& figure : figures_) {
      std::printf("%s\"%s.%s\": %.6g", comma, benchmark_, figure.first.c_str(), figure.second);
      comma = ", ";
    }
    std::printf("}\n");
  }

 private:
  const char* benchmark_;
  std::vector<std::pair<std::string, double>> figures_;
};

/// Measures device time between two points of the default stream, by events.
class Stopwatch {
 public:
  Stopwatch() {
    CUDA_CHECK(cudaEventCreate(&start_));
    CUDA_CHECK(cudaEventCreate(&stop_));
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  void start() { CUDA_CHECK(cudaEventRecord(start_)); }
  /// Waits for the work submitted since the start. Returns its device time in us.
  double stop() {
    CUDA_CHECK(cudaEventRecord(stop_));
    CUDA_CHECK(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds * 1e3;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Returns the device time in us of one launch in a back-to-back sequence: the time of 1 + `repetitions` launches minus
/// the time of one, divided by `repetitions`. The start-up cost of the first launch cancels. One launch before the
/// measurement is not timed.
template <class Launch>
double time_of(Launch launch, long repetitions) {
  const auto timed = [&](long times) {
    Stopwatch watch;
    CUDA_CHECK(cudaDeviceSynchronize());
    watch.start();
    for (long i = 0; i < times; ++i) launch();
    const double us = watch.stop();
    CUDA_CHECK(cudaGetLastError());
    return us;
  };
  launch();
  const double one = timed(1);
  return (timed(1 + repetitions) - one) / static_cast<double>(repetitions);
}

/// Waits until the device is idle. Ends the program if an earlier launch failed.
inline void finish() {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

inline cudaDeviceProp device() {
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  return properties;
}

/// Returns the peak bandwidth of device memory in GB/s, from clock and bus width at two transfers per clock.
inline double peak_gb_per_s() {
  const cudaDeviceProp properties = device();
  return 2.0 * properties.memoryClockRate * 1e3 * (properties.memoryBusWidth / 8.0) / 1e9;
}

}  // namespace micro
