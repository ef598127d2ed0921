// Inner join of two relations on a key, in the order of the left relation. A thread has one element of the left
// relation, finds its matches in the sorted right relation by binary search, and copies them. If an element has many
// matches, a child copies them with a thread for each. A prefix sum over the block computes where each thread's matches
// are written. In forms with children, a second prefix sum divides the matches that remain among all threads of the
// block.
#include <cuda_runtime.h>

#include <map>

#include "../common/child_launch.h"
#include "../common/program.h"

using namespace kernels;

constexpr int kBlock = 128;  ///< threads of a block

struct Pair {
  unsigned left, right;
  __host__ __device__ bool operator==(const Pair& other) const { return left == other.left && right == other.right; }
};

struct Join {
  const int *left_keys, *right_keys;  ///< `right_keys` is sorted
  const unsigned *left_values, *right_values;
  int *first, *count;  ///< first match and number of matches of each left element in the right relation
  Pair* result;
};

__device__ int first_not_below(const int* keys, int size, int key) {
  int low = 0;
  while (size > 0) {
    const int half = size / 2;
    if (keys[low + half] < key) {
      low += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  return low;
}

__global__ void find_matches(Join join, int left, int right, int* block_counts) {
  const int i = thread_in_grid();
  if (i >= left) return;
  join.first[i] = first_not_below(join.right_keys, right, join.left_keys[i]);
  join.count[i] = first_not_below(join.right_keys, right, join.left_keys[i] + 1) - join.first[i];
  atomicAdd(&block_counts[blockIdx.x], join.count[i]);
}

/// Returns the inclusive prefix sum of `value` over the lanes of the warp.
__device__ int sum_in_warp(int value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

/// Replaces the match counts of all blocks by their exclusive prefix sums. Runs on one warp.
__global__ void place_blocks(int* blocks, int count) {
  int before = 0;
  for (int base = 0; base < count; base += 32) {
    const int i = base + static_cast<int>(threadIdx.x);
    const int value = i < count ? blocks[i] : 0, sum = sum_in_warp(value);
    if (i < count) blocks[i] = before + sum - value;
    before += __shfl_sync(~0u, sum, 31);
  }
}

/// Returns the exclusive prefix sum of `value` over the threads of the block. Stores the sum of all threads in
/// `*total`.
__device__ int sum_before(int value, int* total) {
  __shared__ int warps[kBlock / 32];
  const int sum = sum_in_warp(value), warp = static_cast<int>(threadIdx.x / 32);
  __syncthreads();
  if (threadIdx.x % 32 == 31) warps[warp] = sum;
  __syncthreads();
  int before = sum - value;
  *total = 0;
  for (int i = 0; i < kBlock / 32; ++i) {
    if (i < warp) before += warps[i];
    *total += warps[i];
  }
  return before;
}

__device__ void copy_match(const Join& join, const Children& children, unsigned left_value, int from, int to) {
  children.count_item(to);
  join.result[to] = {left_value, join.right_values[from]};
}

__global__ void copy_matches(Join join, Children children, unsigned left_value, int from, int to, int matches) {
  const int i = thread_in_grid();
  if (i < matches) copy_match(join, children, left_value, from + i, to + i);
}

template <Form form>
__global__ void gather(Join join, Children children, int left, const int* block_places) {
  const int i = thread_in_grid(), thread = static_cast<int>(threadIdx.x);
  const int count = i < left ? join.count[i] : 0;
  int total;
  const int to = block_places[blockIdx.x] + sum_before(count, &total), from = i < left ? join.first[i] : 0;
  const unsigned value = i < left ? join.left_values[i] : 0;
  if constexpr (form == Form::kFlat) {
    for (int k = 0; k < count; ++k) copy_match(join, children, value, from + k, to + k);
    return;
  }
  const int given = give_to_child<form, copy_matches>(children, count, join, children, value, from, to);
  __shared__ int begin[kBlock], from_of[kBlock], to_of[kBlock];
  __shared__ unsigned value_of[kBlock];
  begin[thread] = sum_before(count - given, &total);
  from_of[thread] = from + given - begin[thread];
  to_of[thread] = to + given - begin[thread];
  value_of[thread] = value;
  __syncthreads();
  for (int k = thread; k < total; k += kBlock) {
    int owner = 0;  // the last thread whose matches begin at or before k
    for (int step = kBlock / 2; step > 0; step /= 2) {
      if (begin[owner + step] <= k) owner += step;
    }
    copy_match(join, children, value_of[owner], from_of[owner] + k, to_of[owner] + k);
  }
}

struct Relation {
  Relation(long size, long keys, bool gaussian, bool sorted, Random& random) {
    for (long i = 0; i < size; ++i) {
      key.push_back(static_cast<int>(gaussian ? (random.range(0, keys - 1) + random.range(0, keys - 1) +
                                                 random.range(0, keys - 1) + random.range(0, keys - 1)) /
                                                    4
                                              : random.range(0, keys - 1)));
      value.push_back(static_cast<unsigned>(random.next()));
    }
    if (sorted) std::sort(key.begin(), key.end());
  }
  std::vector<int> key;
  std::vector<unsigned> value;
};

int main(int argc, char** argv) {
  std::string input = "gaussian";
  long left = 4000, right = 40000, keys = 1000, seed = 1;
  ChildForm form(64);
  Options options("dynamic_join", "inner join of two relations");
  form.add(options);
  options.add_text("input", &input, "keys: uniform or gaussian; default gaussian");
  options.add("left", &left, 1, 1 << 22, "elements of the left relation");
  options.add("right", &right, 1, 1 << 22, "elements of the right relation");
  options.add("keys", &keys, 1, 1 << 28, "different keys");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the relations");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);
  if (input != "uniform" && input != "gaussian") {
    options.fail("option 'input' is '" + input + "'; uniform and gaussian are known");
  }

  Random random(seed);
  const Relation a(left, keys, input == "gaussian", false, random);
  const Relation b(right, keys, input == "gaussian", true, random);
  std::multimap<int, unsigned> by_key;
  for (long i = 0; i < right; ++i) by_key.emplace(b.key[i], b.value[i]);
  std::vector<Pair> expected;
  std::size_t most = 0;
  for (long i = 0; i < left; ++i) {
    const auto matches = by_key.equal_range(a.key[i]);
    const std::size_t before = expected.size();
    for (auto match = matches.first; match != matches.second; ++match) {
      expected.push_back({a.value[i], match->second});
    }
    most = std::max(most, expected.size() - before);
    if (expected.size() > 1u << 28) options.fail("the result has more than 2^28 pairs; take more 'keys'");
  }

  const unsigned blocks = blocks_for(left, kBlock);
  DeviceArray<int> left_keys(a.key), right_keys(b.key), first(left), count(left), places(blocks);
  DeviceArray<unsigned> left_values(a.value), right_values(b.value);
  DeviceArray<Pair> result(std::vector<Pair>(expected.size() + 1, Pair{0, 0}));
  places.fill_bytes(0);
  form.start(static_cast<long>(expected.size()));
  form.keep_resident<copy_matches>();
  const Join join{left_keys.get(), right_keys.get(), left_values.get(), right_values.get(),
                  first.get(),     count.get(),      result.get()};
  find_matches<<<blocks, kBlock>>>(join, static_cast<int>(left), static_cast<int>(right), places.get());
  place_blocks<<<1, 32>>>(places.get(), static_cast<int>(blocks));
  form.with_form([&](auto tag) {
    gather<tag.value><<<blocks, kBlock>>>(join, form.children(), static_cast<int>(left), places.get());
  });
  CUDA_CHECK(cudaGetLastError());

  std::vector<Pair> got = result.download();
  got.pop_back();
  std::vector<unsigned> got_left, got_right, expected_left, expected_right;
  for (const Pair& pair : got) {
    got_left.push_back(pair.left);
    got_right.push_back(pair.right);
  }
  for (const Pair& pair : expected) {
    expected_left.push_back(pair.left);
    expected_right.push_back(pair.right);
  }
  Verdict verdict(options);
  verdict.equal("left values", got_left, expected_left);
  verdict.equal("right values", got_right, expected_right);
  form.finish(
      options,
      "input=" + input + ": pairs " + std::to_string(expected.size()) + ", most of an element " + std::to_string(most),
      verdict, std::vector<unsigned>(expected.size(), 1));
  return verdict.finish();
}
