// Bandwidth of device memory: copies of arrays by accesses of 4, 8 and 16 bytes, reads alone, and copies in which
// neighbouring threads are `stride` words apart. Bandwidth counts the bytes that the program reads and writes, not
// those of the memory system. Times are those of one copy in a back-to-back sequence.
#include "micro.h"

using namespace kernels;

template <class T>
__global__ void copy(const T* in, T* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

__global__ void read(const float4* in, float* out, unsigned count, unsigned threads) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned i = first; i < count; i += threads) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum != 0) out[first] = sum;  // never true (the array is 0); keeps the loads from being removed
}

__global__ void copy_strided(const float* in, float* out, unsigned count, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i * stride];
}

__global__ void number(unsigned* words, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = i;
}

struct Arrays {
  explicit Arrays(std::size_t words) : in(words), out(words), words(static_cast<unsigned>(words)) {
    number<<<blocks_for(words, 256), 256>>>(in.get(), this->words);
    micro::finish();
  }
  DeviceArray<unsigned> in, out;
  unsigned words;
};

double gb_per_s(double bytes, double us) { return bytes / (us * 1e3); }

template <class T>
double copied(Arrays& arrays, std::size_t bytes, long repetitions, bool& right) {
  const unsigned count = static_cast<unsigned>(bytes / sizeof(T));
  arrays.out.fill_bytes(0xff);
  const auto launch = [&] {
    copy<<<blocks_for(count, 256), 256>>>(reinterpret_cast<const T*>(arrays.in.get()),
                                          reinterpret_cast<T*>(arrays.out.get()), count);
  };
  const double rate = gb_per_s(2.0 * bytes, micro::time_of(launch, repetitions));
  unsigned last = 0;
  CUDA_CHECK(cudaMemcpy(&last, arrays.out.get() + bytes / 4 - 1, 4, cudaMemcpyDeviceToHost));
  right = right && last == bytes / 4 - 1;
  return rate;
}

int main(int argc, char** argv) {
  long kib = 4096, repetitions = 1;
  Options options("bandwidth", "device memory, GB/s of bytes read and written");
  options.add("kib", &kib, 64, 1 << 20, "largest array, KiB");
  options.add("repetitions", &repetitions, 1, 1000, "timed copies of each array");
  options.parse(argc, argv);
  const std::size_t bytes = static_cast<std::size_t>(kib) * 1024;
  micro::Figures figures("bandwidth");
  bool right = true;
  const double peak = micro::peak_gb_per_s();
  Arrays arrays(bytes / 4);
  for (std::size_t size = bytes / 64; size <= bytes; size *= 4) {
    const std::string name = "_" + std::to_string(size / 1024) + "k";
    const double by_4 = copied<float>(arrays, size, repetitions, right),
                 by_16 = copied<float4>(arrays, size, repetitions, right);
    if (size < bytes) {
      figures.add("copy_4_bytes" + name, by_4);
      figures.add("copy_16_bytes" + name, by_16);
      continue;
    }
    const double by_8 = copied<float2>(arrays, size, repetitions, right);
    figures.add("copy_4_bytes", by_4);
    figures.add("copy_8_bytes", by_8);
    figures.add("copy_16_bytes", by_16);
    figures.add("copy_4_bytes_share", 100 * by_4 / peak);
    figures.add("copy_8_bytes_share", 100 * by_8 / peak);
    figures.add("copy_16_bytes_share", 100 * by_16 / peak);
  }
  arrays.in.fill_bytes(0);
  const unsigned threads = 256 * 4 * micro::device().multiProcessorCount, wide = static_cast<unsigned>(bytes / 16);
  const auto read_all = [&] {
    read<<<threads / 256, 256>>>(reinterpret_cast<const float4*>(arrays.in.get()),
                                 reinterpret_cast<float*>(arrays.out.get()), wide, threads);
  };
  const double reads = gb_per_s(static_cast<double>(bytes), micro::time_of(read_all, repetitions));
  figures.add("read_16_bytes", reads);
  figures.add("read_16_bytes_share", 100 * reads / peak);
  double dense = 0;
  for (const unsigned stride : {1U, 2U, 4U, 8U}) {
    const unsigned count = arrays.words / stride;
    const auto launch = [&] {
      copy_strided<<<blocks_for(count, 256), 256>>>(reinterpret_cast<const float*>(arrays.in.get()),
                                                    reinterpret_cast<float*>(arrays.out.get()), count, stride);
    };
    const double rate = gb_per_s(8.0 * count, micro::time_of(launch, repetitions));
    if (stride == 1) dense = rate;
    if (stride != 1) figures.add("stride_" + std::to_string(stride) + "_share", 100 * rate / dense);
  }
  figures.print();
  Verdict verdict(options);
  verdict.holds("last words", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
