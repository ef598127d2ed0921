// Latency of memory: one thread follows a ring of pointers, and every load needs the result of the previous one. A ring
// of N bytes with a pointer every `stride` bytes is walked once as warm-up, then timed. Rings smaller than a cache are
// served by that cache.
#include "micro.h"

using namespace kernels;

constexpr int kTimed = 256, kUnroll = 32;

using Pointer = unsigned long long;

enum class Load { kPlain, kL1, kL2 };

template <Load kLoad>
__device__ Pointer load(Pointer address) {
  Pointer value = 0;
  if (kLoad == Load::kL1) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(address));
  if (kLoad == Load::kL2) asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(address));
  if (kLoad == Load::kPlain) asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(address));
  return value;
}

__global__ void make_ring(char* bytes, unsigned long long stride, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned next = i + 1 == count ? 0 : i + 1;
  *reinterpret_cast<Pointer*>(bytes + i * stride) = reinterpret_cast<Pointer>(bytes + next * stride);
}

// Runs the same code twice: `warm` steps (a multiple of kUnroll), then kTimed steps, which are timed.
template <Load kLoad>
__global__ void walk(Pointer start, unsigned warm, unsigned* ticks, Pointer* end) {
  Pointer p = start;
  unsigned elapsed = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned steps = pass == 0 ? warm : kTimed;
    const unsigned begin = clock();
#pragma unroll 1
    for (unsigned i = 0; i < steps; i += kUnroll) {
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) p = load<kLoad>(p);
    }
    *end = p;  // waits for the last load
    elapsed = clock() - begin;
  }
  *ticks = elapsed;
}

class Memory {
 public:
  explicit Memory(unsigned long long bytes) : bytes_(bytes) {
    CUDA_CHECK(cudaMalloc(&data_, bytes));
    CUDA_CHECK(cudaMalloc(&ticks_, sizeof *ticks_));
    CUDA_CHECK(cudaMalloc(&end_, sizeof *end_));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    cudaFree(data_);
    cudaFree(ticks_);
    cudaFree(end_);
  }

  /// Returns the latency of one load in ticks, for a ring of `bytes` bytes.
  template <Load kLoad>
  double latency(unsigned long long bytes, unsigned long long stride, bool& right) {
    if (bytes > bytes_) std::exit(1);
    const unsigned count = static_cast<unsigned>(bytes / stride);
    make_ring<<<blocks_for(count, 128), 128>>>(data_, stride, count);
    const unsigned warm = (count + kUnroll - 1) / kUnroll * kUnroll;
    walk<kLoad><<<1, 1>>>(reinterpret_cast<Pointer>(data_), warm, ticks_, end_);
    micro::finish();
    unsigned ticks = 0;
    Pointer end = 0;
    CUDA_CHECK(cudaMemcpy(&ticks, ticks_, sizeof ticks, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&end, end_, sizeof end, cudaMemcpyDeviceToHost));
    right = right && end == reinterpret_cast<Pointer>(data_) + (warm + kTimed) % count * stride;
    return static_cast<double>(ticks) / kTimed;
  }

 private:
  unsigned long long bytes_;
  char* data_ = nullptr;
  unsigned* ticks_ = nullptr;
  Pointer* end_ = nullptr;
};

int main(int argc, char** argv) {
  long largest = 12288;
  Options options("chase", "latency of dependent loads, clock ticks of an SM");
  options.add("largest", &largest, 4, 1 << 20, "largest ring of the curve, KiB");
  options.parse(argc, argv);
  constexpr unsigned long long kKiB = 1024, kMiB = kKiB * kKiB;
  const unsigned long long l2 = micro::device().l2CacheSize;
  const unsigned long long lines = 3 * l2 / 128, beyond = 128 * lines, pages = 2 * kMiB;
  Memory memory(std::max({lines * 2048, largest * kKiB, 256 * pages}));
  micro::Figures figures("chase");
  bool right = true;
  figures.add("l1", memory.latency<Load::kL1>(4 * kKiB, 128, right));
  figures.add("l2", memory.latency<Load::kL2>(256 * kKiB, 128, right));
  figures.add("dram", memory.latency<Load::kL2>(beyond, 256, right));
  // One line of every 2 MiB page; the stride is 128 bytes shorter than a page so that the lines map to different sets.
  for (const unsigned count : {8U, 16U, 32U, 64U, 256U}) {
    figures.add("pages_" + std::to_string(count), memory.latency<Load::kL2>(count * (pages - 128), pages - 128, right));
  }
  for (const unsigned stride : {64U, 512U, 2048U}) {
    figures.add("dram_stride_" + std::to_string(stride),
                memory.latency<Load::kL2>(std::max(beyond, lines * stride), stride, right));
  }
  for (const long size : {4,   8,   12,  16,  20,   24,   32,   40,   48,   56,   64,   96,   128,
                          256, 512, 640, 768, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 8192, 12288}) {
    if (size > largest) break;
    figures.add("footprint_" + std::to_string(size), memory.latency<Load::kPlain>(size * kKiB, 128, right));
  }
  figures.print();
  Verdict verdict(options);
  verdict.holds("ends of the walks", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
