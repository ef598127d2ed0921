// Cooperative groups: the thread block and tiles of 32, 16, 8 and 4 threads with their shuffles, votes and barriers.
// They compute sums of segments, the largest element of each row, and the ranks of elements within a tile.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;
namespace cg = cooperative_groups;

template <unsigned Size>
__device__ unsigned sum_of_tile(const cg::thread_block_tile<Size>& tile, unsigned value) {
  for (unsigned distance = tile.size() / 2; distance > 0; distance /= 2) value += tile.shfl_xor(value, distance);
  return value;
}

// Computes the sum of every segment of `Size` elements, and for every element the number of odd elements before it in
// its tile.
template <unsigned Size>
__global__ void segments(const unsigned* in, unsigned* sums, unsigned* odd_before, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  const unsigned value = i < n ? in[i] : 0;
  const unsigned sum = sum_of_tile(tile, value);
  const unsigned odd = tile.ballot(value % 2 != 0);
  if (i < n) odd_before[i] = __popc(odd & ((1u << tile.thread_rank()) - 1));
  if (tile.thread_rank() == 0 && i < n) sums[i / Size] = sum;
}

// Finds the largest element of each row, with one block per row.
__global__ void row_maximum(const unsigned* in, unsigned* largest, int columns) {
  __shared__ unsigned of_tile[8];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  unsigned best = 0;
  for (int i = block.thread_rank(); i < columns; i += block.size())
    best = max(best, in[block.group_index().x * columns + i]);
  for (int distance = 16; distance > 0; distance /= 2) best = max(best, warp.shfl_down(best, distance));
  if (warp.thread_rank() == 0) of_tile[block.thread_rank() / 32] = best;
  block.sync();
  if (block.thread_rank() < 8) {
    const cg::coalesced_group first = cg::coalesced_threads();
    best = of_tile[first.thread_rank()];
    for (int distance = 4; distance > 0; distance /= 2) best = max(best, first.shfl_down(best, distance));
    if (first.thread_rank() == 0) largest[blockIdx.x] = best;
  }
}

template <unsigned Size>
void check(Verdict& verdict, const std::vector<unsigned>& data) {
  const long n = static_cast<long>(data.size());
  std::vector<unsigned> expected((n + Size - 1) / Size), expected_odd(n);
  for (long i = 0; i < n; ++i) {
    expected[i / Size] += data[i];
    expected_odd[i] = i % Size == 0 ? 0 : expected_odd[i - 1] + data[i - 1] % 2;
  }
  DeviceArray<unsigned> in(data), sums(expected.size()), odd(n);
  segments<Size><<<blocks_for(n, 128), 128>>>(in.get(), sums.get(), odd.get(), n);
  CUDA_CHECK(cudaGetLastError());
  verdict.equal(("sums of " + std::to_string(Size)).c_str(), sums.download(), expected);
  verdict.equal("odd before", odd.download(), expected_odd);
}

int main(int argc, char** argv) {
  long rows = 20, columns = 150, seed = 1;
  Options options("cooperative_tiles", "sums, ranks and maxima by cooperative groups");
  options.add("rows", &rows, 1, 4096, "rows");
  options.add("columns", &columns, 1, 4096, "columns");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned> data(rows * columns), expected(rows);
  for (unsigned& x : data) x = static_cast<unsigned>(random.next());
  for (long i = 0; i < rows * columns; ++i) expected[i / columns] = std::max(expected[i / columns], data[i]);
  Verdict verdict(options);
  check<32>(verdict, data);
  check<16>(verdict, data);
  check<8>(verdict, data);
  check<4>(verdict, data);
  DeviceArray<unsigned> in(data), largest(rows);
  row_maximum<<<rows, 256>>>(in.get(), largest.get(), columns);
  CUDA_CHECK(cudaGetLastError());
  verdict.equal("row maxima", largest.download(), expected);
  return verdict.finish();
}
