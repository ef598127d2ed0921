// All ways in which lanes of a warp exchange values: the four shuffles with and without a width, ballots, votes, match,
// reductions over a mask, activemask inside divergent code. The host reproduces each rule lane by lane.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kTests = 22;
constexpr unsigned kAll = 0xffffffffu;

__global__ void exchange(const unsigned* in, unsigned* out, int warps, unsigned delta, int width) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32;
  if (warp >= warps) return;
  const unsigned lane = threadIdx.x % 32, x = in[thread], group = x % 3;
  unsigned r[kTests];
  r[0] = __shfl_sync(kAll, x, delta);
  r[1] = __shfl_up_sync(kAll, x, delta);
  r[2] = __shfl_down_sync(kAll, x, delta);
  r[3] = __shfl_xor_sync(kAll, x, delta);
  r[4] = __shfl_sync(kAll, x, lane * 7, width);
  r[5] = __shfl_up_sync(kAll, x, delta, width);
  r[6] = __shfl_down_sync(kAll, x, delta, width);
  r[7] = __shfl_xor_sync(kAll, x, delta, width);
  const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | lane;
  const unsigned long long turned = __shfl_sync(kAll, wide, lane + 1);
  r[8] = static_cast<unsigned>(turned >> 32) ^ static_cast<unsigned>(turned);
  r[9] = __double2uint_rn(__shfl_xor_sync(kAll, static_cast<double>(x & 0xffff), 5));
  r[10] = __ballot_sync(kAll, x & 1);
  r[11] = __any_sync(kAll, x % 64 == 0);
  r[12] = __all_sync(kAll, x % 64 != 0);
  r[13] = __match_any_sync(kAll, group);
  int same = 0;
  r[14] = __match_all_sync(kAll, x / 1024 * 0, &same);
  r[15] = same;
  r[16] = __reduce_add_sync(kAll, x);
  r[17] = __reduce_max_sync(kAll, static_cast<int>(x)) ^ __reduce_min_sync(kAll, x);
  r[18] = __reduce_and_sync(kAll, x | 0xff) ^ __reduce_or_sync(kAll, x & 0xf0f) ^ __reduce_xor_sync(kAll, x);
  // Divergent code: only the lanes with odd values execute it, and they communicate among themselves.
  r[19] = r[20] = r[21] = 0;
  if (x & 1) {
    const unsigned odd = r[10];
    r[19] = __activemask();
    r[20] = __shfl_sync(odd, x, __ffs(odd) - 1);
    r[21] = __popc(__ballot_sync(odd, x & 2));
  }
  __syncwarp();
  for (int t = 0; t < kTests; ++t) out[(warp * kTests + t) * 32 + lane] = r[t];
}

// Returns the lane that lane `lane` of a shuffle reads, by the definition in PTX. Lanes stay inside segments of
// `width`; a lane whose source is outside its segment reads its own value.
unsigned source_lane(char kind, unsigned lane, unsigned operand, unsigned width) {
  const unsigned segment = lane / width * width;
  switch (kind) {
    case 'i':
      return segment + operand % width;
    case 'u':
      return lane >= segment + operand % 32 ? lane - operand % 32 : lane;
    case 'd':
      return lane + operand % 32 < segment + width ? lane + operand % 32 : lane;
    default:
      return (lane ^ operand % 32) < segment + width ? lane ^ operand % 32 : lane;
  }
}

void expect(const unsigned* x, unsigned* out, unsigned delta, unsigned width) {
  unsigned odd = 0, some = 0, none = 1, sum = 0, smallest = kAll, ands = kAll, ors = 0, xors = 0, two_bits = 0;
  int largest = INT32_MIN;
  for (unsigned lane = 0; lane < 32; ++lane) {
    odd |= (x[lane] & 1) << lane;
    some |= x[lane] % 64 == 0;
    none &= x[lane] % 64 != 0;
    sum += x[lane];
    largest = std::max(largest, static_cast<int>(x[lane]));
    smallest = std::min(smallest, x[lane]);
    ands &= x[lane] | 0xff;
    ors |= x[lane] & 0xf0f;
    xors ^= x[lane];
    two_bits += (x[lane] & 3) == 3;
  }
  unsigned first_odd = 0;
  while (odd != 0 && !(odd >> first_odd & 1)) ++first_odd;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned alike = 0;
    for (unsigned other = 0; other < 32; ++other) alike |= static_cast<unsigned>(x[other] % 3 == x[lane] % 3) << other;
    const bool is_odd = x[lane] & 1;
    const unsigned next = (lane + 1) % 32;
    const unsigned r[kTests] = {x[source_lane('i', lane, delta, 32)],
                                x[source_lane('u', lane, delta, 32)],
                                x[source_lane('d', lane, delta, 32)],
                                x[source_lane('x', lane, delta, 32)],
                                x[source_lane('i', lane, lane * 7, width)],
                                x[source_lane('u', lane, delta, width)],
                                x[source_lane('d', lane, delta, width)],
                                x[source_lane('x', lane, delta, width)],
                                x[next] ^ next,
                                x[lane ^ 5] & 0xffff,
                                odd,
                                some,
                                none,
                                alike,
                                kAll,
                                1,
                                sum,
                                static_cast<unsigned>(largest) ^ smallest,
                                ands ^ ors ^ xors,
                                is_odd ? odd : 0,
                                is_odd ? x[first_odd] : 0,
                                is_odd ? two_bits : 0};
    for (int t = 0; t < kTests; ++t) out[t * 32 + lane] = r[t];
  }
}

int main(int argc, char** argv) {
  long warps = 10, block = 96, seed = 1;
  Options options("warp_primitives", "shuffles, votes, match and reductions inside a warp");
  options.add("warps", &warps, 1, 1 << 16, "warps");
  options.add("block", &block, 32, 1024, "threads of a block, a multiple of 32");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (block % 32 != 0) options.fail("option 'block' is a multiple of 32");

  const unsigned blocks = blocks_for(warps * 32, block);
  Random random(seed);
  std::vector<unsigned> data(blocks * block), expected(warps * kTests * 32);
  for (unsigned& word : data) word = static_cast<unsigned>(random.next());
  DeviceArray<unsigned> in(data), out(expected.size());
  Verdict verdict(options);
  const int widths[] = {2, 4, 8, 16, 32};
  for (unsigned delta : {0, 1, 5, 16, 31}) {
    const int width = widths[random.range(0, 4)];
    exchange<<<blocks, block>>>(in.get(), out.get(), warps, delta, width);
    CUDA_CHECK(cudaGetLastError());
    for (long warp = 0; warp < warps; ++warp) expect(&data[warp * 32], &expected[warp * kTests * 32], delta, width);
    verdict.equal(("distance " + std::to_string(delta) + " width " + std::to_string(width)).c_str(), out.download(),
                  expected);
  }
  return verdict.finish();
}
