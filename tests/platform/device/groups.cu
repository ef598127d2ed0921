// Cooperative groups: partitions of tiles and of coalesced threads, tiles of several warps, copies by a group, against
// lists of threads that the host divides by the definitions.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <map>

#include "check.h"

namespace cg = cooperative_groups;

// One row of values per thread, appended in the same order by the kernel and by the host.
struct Row {
  int* at;
  __host__ __device__ void add(int v) { *at++ = v; }
};

/// A group as the host sees it: its threads in rank order, and which part of how many it is.
struct Group {
  std::vector<int> threads;
  int meta_rank = 0;
  int meta_size = 1;

  int size() const { return static_cast<int>(threads.size()); }
  int rank(int thread) const {
    return static_cast<int>(std::find(threads.begin(), threads.end(), thread) - threads.begin());
  }
};

/// The part of the group that holds `thread`, if parts have `size` members.
Group tile_of(const Group& group, int thread, int size) {
  Group part;
  part.meta_rank = group.rank(thread) / size;
  part.meta_size = (group.size() + size - 1) / size;
  for (int rank = part.meta_rank * size; rank < std::min(group.size(), (part.meta_rank + 1) * size); ++rank) {
    part.threads.push_back(group.threads[rank]);
  }
  return part;
}
/// The part with the label of `thread`; parts are numbered in the order of their first members.
template <class Label>
Group labeled(const Group& group, int thread, Label label) {
  std::vector<decltype(label(0))> seen;
  for (int t : group.threads) {
    if (std::find(seen.begin(), seen.end(), label(t)) == seen.end()) seen.push_back(label(t));
  }
  Group part;
  part.meta_rank = static_cast<int>(std::find(seen.begin(), seen.end(), label(thread)) - seen.begin());
  part.meta_size = static_cast<int>(seen.size());
  for (int t : group.threads) {
    if (label(t) == label(thread)) part.threads.push_back(t);
  }
  return part;
}
/// The part with the predicate of `thread`: part 0 or 1 of 2, or part 0 of 1 if all members have the same.
template <class Predicate>
Group binary(const Group& group, int thread, Predicate predicate) {
  Group part = labeled(group, thread, predicate);
  part.meta_rank = part.meta_size == 2 && predicate(thread) ? 1 : 0;
  return part;
}
Group block_of(int threads) {
  Group block;
  for (int t = 0; t < threads; ++t) block.threads.push_back(t);
  return block;
}

/// Position, size and sum of a group, with what its parent makes of it.
template <class G>
__device__ void describe(Row& row, const G& group, int value) {
  row.add(group.thread_rank());
  row.add(group.num_threads());
  row.add(group.meta_group_rank());
  row.add(group.meta_group_size());
  row.add(cg::reduce(group, value, cg::plus<int>()));
}
void describe(Row& row, const Group& group, int thread, const int* values) {
  int sum = 0;
  for (int t : group.threads) sum += values[t];
  row.add(group.rank(thread));
  row.add(group.size());
  row.add(group.meta_rank);
  row.add(group.meta_size);
  row.add(sum);
}

template <class Host>
void compare(const char* what, const int* got, int threads, int width, Host host) {
  std::vector<int> want(width);
  for (int t = 0; t < threads; ++t) {
    Row row{want.data()};
    host(row, t);
    EXPECT_SAME("width of a row", static_cast<int>(row.at - want.data()), width);
    for (int i = 0; i < width; ++i) {
      if (got[t * width + i] != want[i] && failures() < 20) std::printf("thread %d, value %d: ", t, i);
      EXPECT_SAME(what, got[t * width + i], want[i]);
    }
  }
}

// Tiles of tiles; what is known when a tile is passed without its parent.
constexpr int kTilesWidth = 23;
__device__ __attribute__((noinline)) int place_of(cg::thread_block_tile<4> tile) {
  return tile.meta_group_rank() * 100 + tile.meta_group_size();
}
__global__ void tiles(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const int t = block.thread_rank();
  Row row{out + kTilesWidth * t};
  const auto tile = cg::tiled_partition<16>(block);
  const auto small = cg::tiled_partition<4>(tile);
  const cg::thread_block_tile<4> untyped = small;
  row.add(tile.meta_group_rank());
  row.add(tile.meta_group_size());
  describe(row, small, in[t]);
  describe(row, cg::tiled_partition<2>(small), in[t]);
  describe(row, cg::tiled_partition<2>(untyped), in[t]);
  row.add(place_of(small));
  row.add(place_of(cg::tiled_partition<4>(block)));
  row.add(untyped.meta_group_rank() * 100 + untyped.meta_group_size());
  row.add(cg::this_thread().meta_group_rank() * 100 + cg::this_thread().meta_group_size());
  row.add(cg::this_thread().size());
  row.add(cg::group_size(small) + cg::thread_rank(small));
}
void check_tiles(const int* in, int threads) {
  Shared<int> out(kTilesWidth * threads);
  tiles<<<1, threads>>>(in, out.get());
  CUDA_OK(cudaDeviceSynchronize());
  compare("tiles", out.get(), threads, kTilesWidth, [&](Row& row, int t) {
    // A tile has all its lanes, also those beyond the end of the block.
    Group tile = tile_of(block_of((threads + 15) / 16 * 16), t, 16);
    const Group small = tile_of(tile, t, 4), pair = tile_of(small, t, 2);
    row.add(t / 16);
    row.add((threads + 15) / 16);
    describe(row, small, t, in);
    describe(row, pair, t, in);
    describe(row, pair, t, in);
    row.add(t % 16 / 4 * 100 + 4);
    row.add(t / 4 * 100 + (threads + 3) / 4);
    row.add(t % 16 / 4 * 100 + 4);
    row.add(1);
    row.add(1);
    row.add(4 + t % 4);
  });
}

// Partitions of the coalesced threads among whose values some are left out, and of tiles.
constexpr int kPartsWidth = 85;
__global__ void parts(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  Row row{out + kPartsWidth * t};
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  describe(row, cg::labeled_partition(tile, v % 5), v);
  describe(row, cg::labeled_partition(tile, v % 2 == 0), v);
  describe(row, cg::binary_partition(tile, v % 3 == 0), v);
  describe(row, cg::binary_partition(tile, true), v);
  describe(row, cg::tiled_partition(cg::binary_partition(tile, v % 3 == 0), 2), v);
  if (v % 4 == 3) {
    for (int i = 0; i < 60; ++i) row.add(0);
    return;
  }
  const cg::coalesced_group some = cg::coalesced_threads();
  describe(row, some, v);
  const cg::coalesced_group part = cg::tiled_partition(some, 8);
  describe(row, part, v);
  describe(row, cg::tiled_partition(part, 2), v);
  describe(row, cg::tiled_partition(part, 32), v);
  describe(row, cg::binary_partition(some, v & 1), v);
  describe(row, cg::binary_partition(some, false), v);
  describe(row, cg::labeled_partition(some, static_cast<signed char>(v % 3 - 1)), v);
  describe(row, cg::labeled_partition(some, static_cast<long long>(v % 5) << 40), v);
  describe(row, cg::labeled_partition(some, in + v % 2), v);
  describe(row, cg::labeled_partition(part, v % 2 == 0), v);
  const cg::thread_group any = cg::tiled_partition(static_cast<cg::thread_group>(some), 4);
  any.sync();
  row.add(static_cast<int>(any.size()));
  row.add(static_cast<int>(any.thread_rank()));
  const cg::thread_group of_block = cg::tiled_partition(static_cast<cg::thread_group>(tile), 4);
  row.add(static_cast<int>(of_block.size()));
  row.add(static_cast<int>(of_block.thread_rank()));
  row.add(any.get_type() == some.get_type() && any.get_type() != cg::this_thread_block().get_type());
  // Threads of equal rank in their part meet in the order of the ranks.
  int meeting = 0;
  for (unsigned rank = 0; rank < part.size(); ++rank) meeting = meeting * 3 + part.shfl(v, rank) % 3;
  row.add(meeting);
  row.add(part.ballot(v & 1));
  row.add(part.any(v % 7 == 0) * 2 + part.all(v % 7 < 6));
  row.add(cg::exclusive_scan(part, v));
  row.add(cg::inclusive_scan(part, v));
}
void check_parts(const int* in, int threads) {
  Shared<int> out(kPartsWidth * threads);
  parts<<<1, threads>>>(in, out.get());
  CUDA_OK(cudaDeviceSynchronize());
  compare("parts", out.get(), threads, kPartsWidth, [&](Row& row, int t) {
    const auto add = [&](const Group& group) { describe(row, group, t, in); };
    const auto modulo = [&](int n) { return [in, n](int i) { return in[i] % n; }; };
    const auto even = [&](int i) { return in[i] % 2 == 0; };
    const auto third = [&](int i) { return in[i] % 3 == 0; };
    const auto always = [](int) { return true; };
    const Group tile = tile_of(block_of(threads), t, 16);
    add(labeled(tile, t, modulo(5)));
    add(binary(tile, t, even));
    add(binary(tile, t, third));
    add(binary(tile, t, always));
    const Group split = binary(tile, t, third);
    add(split.size() <= 2 ? split : tile_of(split, t, 2));
    if (in[t] % 4 == 3) {
      for (int i = 0; i < 60; ++i) row.add(0);
      return;
    }
    Group some;
    for (int i : tile_of(block_of(threads), t, 32).threads) {
      if (in[i] % 4 != 3) some.threads.push_back(i);
    }
    add(some);
    const Group part = some.size() <= 8 ? some : tile_of(some, t, 8);
    add(part);
    add(part.size() <= 2 ? part : tile_of(part, t, 2));
    add(part);
    add(binary(some, t, [&](int i) { return in[i] % 2 == 1; }));
    add(some);
    add(labeled(some, t, modulo(3)));
    add(labeled(some, t, modulo(5)));
    add(labeled(some, t, modulo(2)));
    add(binary(part, t, even));
    const Group quad = some.size() <= 4 ? some : tile_of(some, t, 4);
    row.add(quad.size());
    row.add(quad.rank(t));
    row.add(4);
    row.add(t % 4);
    row.add(1);
    int meeting = 0, ballot = 0, any = 0, all = 1, before = 0;
    for (int rank = 0; rank < part.size(); ++rank) {
      const int v = in[part.threads[rank]];
      meeting = meeting * 3 + v % 3;
      ballot |= (v & 1) << rank;
      any |= v % 7 == 0;
      all &= v % 7 < 6;
      if (rank < part.rank(t)) before += v;
    }
    row.add(meeting);
    row.add(ballot);
    row.add(any * 2 + all);
    row.add(before);
    row.add(before + in[t]);
  });
}

// The end of a block that is no multiple of the tile, split barriers, calls by one thread, ranks in the grid.
constexpr int kRestWidth = 14;
__global__ void rest(const int* in, int* out, int* calls) {
  __shared__ int values[128];
  const cg::thread_block block = cg::this_thread_block();
  const int t = block.thread_rank();
  Row row{out + kRestWidth * (cg::this_grid().block_rank() * block.num_threads() + t)};
  const cg::thread_group part = cg::tiled_partition(block, 16);
  row.add(static_cast<int>(part.size()));
  row.add(static_cast<int>(part.thread_rank()));
  part.sync();

  values[t] = in[t];
  cg::thread_block::arrival_token token = block.barrier_arrive();
  row.add(in[t] * 2);
  block.barrier_wait(std::move(token));
  row.add(values[(t + 33) % block.size()]);
  cg::sync(block);

  const auto tile = cg::tiled_partition<4>(block);
  cg::invoke_one(
      tile, [&](int n) { atomicAdd(calls, n); }, 3);
  const int* got = cg::invoke_one_broadcast(
      tile, [&](int n) { return in + t + n; }, 1);
  row.add(static_cast<int>(got - in));
  const cg::coalesced_group some = cg::coalesced_threads();
  row.add(cg::invoke_one_broadcast(some, [&] { return in[t]; }));
  cg::invoke_one(block, [&] { atomicAdd(calls, 1000); });

  const cg::grid_group grid = cg::this_grid();
  row.add(block.dim_threads().x * 100 + block.dim_threads().y * 10 + block.dim_threads().z);
  row.add(grid.dim_threads().x * 100 + grid.dim_threads().y * 10 + grid.dim_threads().z);
  row.add(grid.thread_index().x);
  row.add(grid.thread_index().y);
  row.add(grid.thread_index().z);
  row.add(static_cast<int>(cg::thread_rank(grid)));
  row.add(static_cast<int>(cg::group_size(grid)));
  row.add(grid.get_type() != block.get_type());
}
void check_rest(const int* in) {
  const dim3 grid(2, 1, 2), block(9, 4, 2);
  const int threads = 72;
  Shared<int> out(kRestWidth * threads * 4), calls(1);
  rest<<<grid, block>>>(in, out.get(), calls.get());
  CUDA_OK(cudaDeviceSynchronize());
  compare("rest", out.get(), threads * 4, kRestWidth, [&](Row& row, int n) {
    const int t = n % threads, b = n / threads;
    const Group part = tile_of(block_of(threads), t, 16);
    row.add(part.size());
    row.add(part.rank(t));
    row.add(in[t] * 2);
    row.add(in[(t + 33) % threads]);
    row.add(t / 4 * 4 + 1);
    row.add(in[t / 32 * 32]);
    row.add(942);
    row.add(18 * 100 + 4 * 10 + 4);
    row.add(b % 2 * 9 + t % 9);
    row.add(t / 9 % 4);
    row.add(b / 2 * 2 + t / 36);
    row.add(n);
    row.add(threads * 4);
    row.add(1);
  });
  EXPECT_SAME("calls by one thread", calls[0], 4 * (threads / 4 * 3 + 1000));
}

// Tiles of several warps. Warps of a tile reach each step at different times, tiles in a different number of rounds.
constexpr int kBigWidth = 13;
template <unsigned kSize, class Tile>
__device__ void big_tile(const Tile& tile, const int* in, int t, int* mail, Row& row) {
  describe(row, tile, in[t]);
  row.add(cg::inclusive_scan(tile, in[t]));
  row.add(cg::exclusive_scan(tile, in[t]));
  row.add(cg::exclusive_scan(tile, in[t], cg::greater<int>()));
  row.add(tile.shfl(in[t], kSize - 3));
  row.add(tile.any(in[t] == 5) * 2 + tile.all(in[t] != 6));
  row.add(static_cast<int>(cg::reduce(tile, 1.5 * in[t], cg::less<double>()) * 2));
  row.add(cg::invoke_one_broadcast(tile, [&] { return in[t] + 1; }));
  int at = t, sum = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < (t / 32 * 7 + round * 5) % 4; ++i) sum = sum * 3 + in[(t + i) % kSize];
    mail[t] = in[t] + round;
    tile.sync();
    at = t / kSize * kSize + (t + 37) % kSize;
    sum = mail[at];
    tile.sync();
  }
  row.add(sum);
}
template <unsigned kSize>
__global__ void big_tiles(const int* in, int* out) {
  __shared__ cg::block_tile_memory<1024> memory;
  __shared__ int mail[1024];
  const cg::thread_block block = cg::this_thread_block(memory);
  const int t = block.thread_rank();
  Row row{out + 2 * kBigWidth * t};
  const auto tile = cg::tiled_partition<kSize>(block);
  big_tile<kSize>(tile, in, t, mail, row);
  const auto half = cg::tiled_partition<kSize / 2>(tile);
  const cg::thread_block_tile<kSize / 2> untyped = half;
  // Each tile goes through its halves at its own pace, then meets as a whole.
  for (int i = 0; i < t / static_cast<int>(kSize) % 3; ++i) half.sync();
  big_tile<kSize / 2>(untyped, in, t, mail, row);
  tile.sync();
}
template <unsigned kSize>
void check_big_tiles(const int* in, int threads) {
  constexpr int kWidth = 2 * kBigWidth;
  Shared<int> out(kWidth * threads);
  big_tiles<kSize><<<1, threads>>>(in, out.get());
  CUDA_OK(cudaDeviceSynchronize());
  compare("tiles of several warps", out.get(), threads, kWidth, [&](Row& row, int t) {
    const Group tile = tile_of(block_of(threads), t, kSize);
    for (const Group& group : {tile, tile_of(tile, t, kSize / 2)}) {
      describe(row, group, t, in);
      int before = 0, most = 0, least = in[group.threads[0]], any = 0, all = 1;
      for (int rank = 0; rank < group.size(); ++rank) {
        const int v = in[group.threads[rank]];
        if (rank < group.rank(t)) before += v, most = std::max(most, v);
        least = std::min(least, v);
        any |= v == 5;
        all &= v != 6;
      }
      row.add(before + in[t]);
      row.add(before);
      row.add(most);
      row.add(in[group.threads[group.size() - 3]]);
      row.add(any * 2 + all);
      row.add(least * 3);
      row.add(in[group.threads[0]] + 1);
      row.add(in[group.threads[(group.rank(t) + 37) % group.size()]] + 3);
    }
  });
}

// Copies of every length and alignment by blocks, tiles and coalesced threads.
__global__ void copies(const char* in, char* out, int bytes, int shift) {
  __shared__ __attribute__((aligned(16))) char shared[512];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, shared, in + shift, static_cast<size_t>(bytes));
  cg::wait(block);
  const auto tile = cg::tiled_partition<8>(block);
  if (tile.meta_group_rank() == 1) {
    cg::memcpy_async(tile, out, 256, shared, bytes);
    cg::wait_prior<1>(tile);
    cg::wait(tile);
  }
  if (threadIdx.x >= 40) {
    const cg::coalesced_group some = cg::coalesced_threads();
    cg::memcpy_async(some, reinterpret_cast<int*>(out + 256), bytes / 4, reinterpret_cast<const int*>(in), 64);
    cg::wait(some);
  }
}
void check_copies() {
  Shared<char> in(512), out(512);
  for (int i = 0; i < 512; ++i) in[i] = static_cast<char>(i * 7 + i / 256);
  for (int bytes : {0, 1, 4, 16, 52, 63, 128, 255, 256}) {
    for (int shift : {0, 1, 4, 8, 16}) {
      std::memset(out.get(), 0, 512);
      copies<<<1, 60>>>(in.get(), out.get(), bytes, shift);
      CUDA_OK(cudaDeviceSynchronize());
      for (int i = 0; i < 256; ++i) {
        EXPECT_SAME("copied bytes", out[i], i < bytes ? in[shift + i] : char(0));
        EXPECT_SAME("copied elements", out[256 + i], i < bytes / 4 * 4 ? in[i] : char(0));
      }
    }
  }
}

int main() {
  Shared<int> in(1024);
  Random random{23};
  for (int i = 0; i < 1024; ++i) in[i] = static_cast<int>(random.next() % 1000);
  check_tiles(in.get(), 96);
  check_parts(in.get(), 96);
  check_rest(in.get());
  check_big_tiles<64>(in.get(), 512);
  check_big_tiles<128>(in.get(), 512);
  check_big_tiles<256>(in.get(), 1024);
  check_big_tiles<512>(in.get(), 512);
  check_big_tiles<1024>(in.get(), 1024);
  check_copies();
  return verdict();
}
