// Sums of absolute differences for motion estimation: every 16x16 block of an image is compared with all positions near
// it in the previous image. Sums are computed for the sixteen 4x4 parts, then for four 8x8 parts from these, then for
// the whole block, with a barrier between the stages. All three sizes and the best position of each block are stored.
// Edges repeat the outermost value. Stages pass their sums on through shared memory, eight positions at a time, or
// through global memory, all positions at once.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kSide = 16;     // pixels of a block in each direction
constexpr int kTogether = 8;  // positions that a thread block tries at a time, with 16 threads for each

/// Loads the thread block's 16x16 block of pixels.
__device__ void load_block(unsigned char (*block)[kSide], const unsigned char* now, int width, int height) {
  const int left = blockIdx.x * kSide, top = blockIdx.y * kSide;
  for (int i = threadIdx.x; i < kSide * kSide; i += kTogether * 16) {
    block[i / kSide][i % kSide] = now[min(top + i / kSide, height - 1) * width + min(left + i % kSide, width - 1)];
  }
}

/// Returns the sum of absolute differences of one 4x4 part at one position.
__device__ unsigned sum_of_part(const unsigned char (*block)[kSide], const unsigned char* before, int width, int height,
                                int range, int place, int part) {
  const int side = 2 * range + 1, part_x = part % 4 * 4, part_y = part / 4 * 4;
  const int from_x = static_cast<int>(blockIdx.x) * kSide + part_x + place % side - range;
  const int from_y = static_cast<int>(blockIdx.y) * kSide + part_y + place / side - range;
  unsigned sum = 0;
  for (int y = 0; y < 4; ++y) {
    const unsigned char* const row = &before[min(max(from_y + y, 0), height - 1) * width];
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const unsigned other = __ldg(&row[min(max(from_x + x, 0), width - 1)]);
      sum = __usad(block[part_y + y][part_x + x], other, sum);
    }
  }
  return sum;
}

__global__ void differences(const unsigned char* now, const unsigned char* before, int width, int height, int range,
                            unsigned short* sad4, unsigned short* sad8, unsigned short* sad16, unsigned* best) {
  __shared__ unsigned char block[kSide][kSide];
  __shared__ unsigned of4[kTogether][16], of8[kTogether][4], least[kTogether];
  const int t = threadIdx.x, places = (2 * range + 1) * (2 * range + 1);
  const long macro = static_cast<long>(blockIdx.y) * gridDim.x + blockIdx.x;
  load_block(block, now, width, height);
  if (t < kTogether) least[t] = 0xffffffffu;
  for (int first = 0; first < places; first += kTogether) {
    __syncthreads();  // the block is loaded; the sums of the previous positions are consumed
    const int place = first + t / 16, part = t % 16;
    if (place < places) {
      const unsigned sum = sum_of_part(block, before, width, height, range, place, part);
      of4[t / 16][part] = sum;
      sad4[(macro * places + place) * 16 + part] = static_cast<unsigned short>(sum);
    }
    __syncthreads();
    if (t < kTogether * 4 && first + t / 4 < places) {
      const unsigned* const parts = &of4[t / 4][t % 4 / 2 * 8 + t % 2 * 2];
      const unsigned sum = parts[0] + parts[1] + parts[4] + parts[5];
      of8[t / 4][t % 4] = sum;
      sad8[(macro * places + first) * 4 + t] = static_cast<unsigned short>(sum);
    }
    __syncthreads();
    if (t < kTogether && first + t < places) {
      const unsigned sum = of8[t][0] + of8[t][1] + of8[t][2] + of8[t][3];
      sad16[macro * places + first + t] = static_cast<unsigned short>(sum);
      least[t] = min(least[t], sum << 16 | static_cast<unsigned>(first + t));
    }
  }
  __syncthreads();
  if (t == 0) {
    unsigned key = least[0];
    for (int i = 1; i < kTogether; ++i) key = min(key, least[i]);
    best[macro] = key;
  }
}

__global__ void differences_through_memory(const unsigned char* now, const unsigned char* before, int width, int height,
                                           int range, unsigned short* sad4, unsigned short* sad8, unsigned short* sad16,
                                           unsigned* best) {
  __shared__ unsigned char block[kSide][kSide];
  __shared__ unsigned least;
  const int t = threadIdx.x, threads = kTogether * 16, places = (2 * range + 1) * (2 * range + 1);
  const long first = (static_cast<long>(blockIdx.y) * gridDim.x + blockIdx.x) * places;
  load_block(block, now, width, height);
  if (t == 0) least = 0xffffffffu;
  __syncthreads();
  for (int i = t; i < places * 16; i += threads) {
    sad4[first * 16 + i] =
        static_cast<unsigned short>(sum_of_part(block, before, width, height, range, i / 16, i % 16));
  }
  __syncthreads();
  for (int i = t; i < places * 4; i += threads) {
    const unsigned short* const parts = &sad4[(first + i / 4) * 16 + i % 4 / 2 * 8 + i % 2 * 2];
    sad8[first * 4 + i] = static_cast<unsigned short>(parts[0] + parts[1] + parts[4] + parts[5]);
  }
  __syncthreads();
  for (int i = t; i < places; i += threads) {
    const unsigned short* const parts = &sad8[(first + i) * 4];
    const unsigned sum = parts[0] + parts[1] + parts[2] + parts[3];
    sad16[first + i] = static_cast<unsigned short>(sum);
    atomicMin(&least, sum << 16 | static_cast<unsigned>(i));
  }
  __syncthreads();
  if (t == 0) best[first / places] = least;
}

int main(int argc, char** argv) {
  long width = 64, height = 48, range = 2, memory = 0, seed = 1;
  Options options("sad", "sums of absolute differences of the blocks of two pictures");
  options.add("width", &width, 1, 4096, "columns");
  options.add("height", &height, 1, 4096, "rows");
  options.add("range", &range, 0, 32, "largest displacement in each direction");
  options.add("memory", &memory, 0, 1, "1: stages hand their sums on through global memory");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the pictures");
  options.parse(argc, argv);

  // The second image is the first one, shifted, with noise.
  Random random(seed);
  std::vector<unsigned char> before(width * height), now(before.size());
  for (long i = 0; i < width * height; ++i) {
    before[i] = static_cast<unsigned char>((i % width * 3 + i / width * 5 + random.range(0, 60)) % 256);
  }
  const long moved_x = random.range(-range, range), moved_y = random.range(-range, range);
  const auto pixel = [&](const std::vector<unsigned char>& picture, long x, long y) -> int {
    return picture[std::min(std::max(y, 0l), height - 1) * width + std::min(std::max(x, 0l), width - 1)];
  };
  for (long i = 0; i < width * height; ++i) {
    now[i] = static_cast<unsigned char>(pixel(before, i % width + moved_x, i / width + moved_y) ^ random.range(0, 3));
  }

  const dim3 grid(blocks_for(width, kSide), blocks_for(height, kSide));
  const long macros = static_cast<long>(grid.x) * grid.y, places = (2 * range + 1) * (2 * range + 1);
  DeviceArray<unsigned char> device_now(now), device_before(before);
  DeviceArray<unsigned short> device_4(macros * places * 16), device_8(macros * places * 4), device_16(macros * places);
  DeviceArray<unsigned> device_best(macros);
  const auto kernel = memory != 0 ? differences_through_memory : differences;
  kernel<<<grid, kTogether * 16>>>(device_now.get(), device_before.get(), static_cast<int>(width),
                                   static_cast<int>(height), static_cast<int>(range), device_4.get(), device_8.get(),
                                   device_16.get(), device_best.get());
  CUDA_CHECK(cudaGetLastError());

  // Reference: each size is computed directly from the pixels.
  std::vector<unsigned short> sads[3];
  std::vector<unsigned> best(macros, 0xffffffffu);
  for (int which = 0; which < 3; ++which) {
    const long size = 4l << which, across = kSide / size;
    for (long i = 0; i < macros * places * across * across; ++i) {
      const long part = i % (across * across), place = i / (across * across) % places;
      const long macro = i / (across * across) / places;
      const long left = macro % grid.x * kSide + part % across * size;
      const long top = macro / grid.x * kSide + part / across * size;
      const long dx = place % (2 * range + 1) - range, dy = place / (2 * range + 1) - range;
      long sum = 0;
      for (long p = 0; p < size * size; ++p) {
        const long x = left + p % size, y = top + p / size;
        // A block beyond the edge repeats edge pixels; the compared position is where the full block would be.
        sum += std::abs(pixel(now, x, y) - pixel(before, x + dx, y + dy));
      }
      sads[which].push_back(static_cast<unsigned short>(sum));
      if (which == 2) best[macro] = std::min(best[macro], static_cast<unsigned>(sum << 16 | place));
    }
  }
  Verdict verdict(options);
  verdict.equal("4x4 sums", device_4.download(), sads[0]);
  verdict.equal("8x8 sums", device_8.download(), sads[1]);
  verdict.equal("16x16 sums", device_16.download(), sads[2]);
  verdict.equal("best places", device_best.download(), best);
  return verdict.finish();
}
