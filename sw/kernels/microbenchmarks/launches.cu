// Launch overhead by the device's clock: empty kernels back to back, a launch followed by a wait for its end, and one
// kernel between two events on an idle device.
#include "micro.h"

using namespace kernels;

constexpr int kTimes = 32;

__global__ void nothing() {}
__global__ void count(unsigned* n) { atomicAdd(n, 1U); }

int main(int argc, char** argv) {
  Options options("launches", "launch overhead, us");
  options.parse(argc, argv);
  micro::Figures figures("launches");
  micro::Stopwatch watch;
  nothing<<<1, 1>>>();
  micro::finish();

  watch.start();
  for (int i = 0; i < kTimes; ++i) nothing<<<1, 1>>>();
  figures.add("back_to_back", watch.stop() / kTimes);

  watch.start();
  for (int i = 0; i < kTimes; ++i) {
    nothing<<<1, 1>>>();
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  figures.add("round_trip", watch.stop() / kTimes);

  CUDA_CHECK(cudaDeviceSynchronize());
  watch.start();
  nothing<<<1, 1>>>();
  figures.add("idle_device", watch.stop());

  // Checks that the kernels run: each adds 1 to a counter.
  DeviceArray<unsigned> n(1);
  n.fill_bytes(0);
  for (int i = 0; i < kTimes; ++i) count<<<1, 1>>>(n.get());
  micro::finish();
  figures.print();
  Verdict verdict(options);
  verdict.equal("launches", n.download()[0], static_cast<unsigned>(kTimes));
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
