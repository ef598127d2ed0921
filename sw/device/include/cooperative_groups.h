// Cooperative groups: thread blocks, tiles of 1 to 1024 threads, coalesced threads and their partitions, with
// reductions and scans. cooperative_groups/memcpy_async.h defines copies by a group.
//
// grid_group::sync() waits for all thread blocks of a grid, which are then resident at once. Clusters and groups over
// several devices do not compile.
#pragma once
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

namespace cooperative_groups {

#define CASTOR_CG static __device__ __forceinline__
#define CASTOR_CGM __device__ __forceinline__

namespace castor_detail {
CASTOR_CG unsigned lane() {
  unsigned l;
  asm("mov.u32 %0, %%laneid;" : "=r"(l));
  return l;
}
CASTOR_CG unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
CASTOR_CG unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
CASTOR_CG unsigned lanes_below() { return (1u << lane()) - 1u; }

/// Ends the kernel with cudaErrorAssert and `message` if `good` is false.
CASTOR_CG void require(bool good, const char* message) {
  if (!good) __assertfail(message, "cooperative_groups.h", 0, "cooperative_groups", sizeof(char));
}

/// Results of get_type(), with CUDA's numbers.
enum group_type : unsigned { kCoalesced = 1, kGrid = 3, kBlock = 4, kTileOfWarps = 5 };

// Shuffles a value of any trivially copyable type, word by word.
template <class T, class F>
CASTOR_CGM T shuffle_words(const T& value, F shuffle) {
  constexpr unsigned kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned i = 0; i < kWords; ++i) words[i] = shuffle(words[i]);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}
}  // namespace castor_detail

/// Group of all threads of the thread block.
class thread_block {
 public:
  /// Token that barrier_arrive() returns and barrier_wait() takes.
  struct arrival_token {};

  static CASTOR_CGM void sync() { __syncthreads(); }
  /// Returns a token; the thread actually arrives at the barrier in barrier_wait(), which it must call too.
  static CASTOR_CGM arrival_token barrier_arrive() { return arrival_token(); }
  static CASTOR_CGM void barrier_wait(arrival_token&&) { __syncthreads(); }
  static CASTOR_CGM unsigned thread_rank() { return castor_detail::rank_in_block(); }
  static CASTOR_CGM unsigned size() { return castor_detail::block_size(); }
  static CASTOR_CGM unsigned num_threads() { return size(); }
  static CASTOR_CGM dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static CASTOR_CGM dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static CASTOR_CGM dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static CASTOR_CGM dim3 dim_threads() { return group_dim(); }
  static CASTOR_CGM bool is_valid() { return true; }
  static CASTOR_CGM unsigned get_type() { return castor_detail::kBlock; }
};
CASTOR_CG thread_block this_thread_block() { return thread_block(); }

/// Shared memory that CUDA requires for tiles of more than 32 threads on older devices. Castor's tiles do not need it.
template <unsigned int kMaxBlockSize = 1024>
struct block_tile_memory {};
template <unsigned int kMaxBlockSize>
CASTOR_CGM thread_block this_thread_block(block_tile_memory<kMaxBlockSize>&) {
  return thread_block();
}

/// Subset of the lanes of one warp. Ranks count the members in lane order.
class coalesced_group {
 public:
  /// Makes a group of the lanes of `mask`, as part `meta_rank` of the `meta_size` parts of another group.
  CASTOR_CGM explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), rank_(__popc(mask & castor_detail::lanes_below())), meta_rank_(meta_rank), meta_size_(meta_size) {}

  CASTOR_CGM void sync() const { __syncwarp(mask_); }
  CASTOR_CGM unsigned thread_rank() const { return rank_; }
  CASTOR_CGM unsigned size() const { return __popc(mask_); }
  CASTOR_CGM unsigned num_threads() const { return size(); }
  CASTOR_CGM bool is_valid() const { return true; }
  CASTOR_CGM unsigned meta_group_rank() const { return meta_rank_; }
  CASTOR_CGM unsigned meta_group_size() const { return meta_size_; }
  CASTOR_CGM unsigned get_type() const { return castor_detail::kCoalesced; }

  template <class T>
  CASTOR_CGM T shfl(T value, unsigned rank) const {
    return from_lane(value, lane_of(rank));
  }
  template <class T>
  CASTOR_CGM T shfl_up(T value, unsigned delta) const {
    return from_lane(value, rank_ < delta ? castor_detail::lane() : lane_of(rank_ - delta));
  }
  template <class T>
  CASTOR_CGM T shfl_down(T value, unsigned delta) const {
    return from_lane(value, rank_ + delta >= size() ? castor_detail::lane() : lane_of(rank_ + delta));
  }
  CASTOR_CGM int any(int predicate) const { return __any_sync(mask_, predicate); }
  CASTOR_CGM int all(int predicate) const { return __all_sync(mask_, predicate); }
  CASTOR_CGM unsigned ballot(int predicate) const { return pack(__ballot_sync(mask_, predicate)); }
  template <class T>
  CASTOR_CGM unsigned match_any(T value) const {
    return pack(__match_any_sync(mask_, value));
  }
  template <class T>
  CASTOR_CGM unsigned match_all(T value, int& predicate) const {
    return pack(__match_all_sync(mask_, value, &predicate));
  }
  CASTOR_CGM unsigned castor_mask() const { return mask_; }

 private:
  CASTOR_CGM unsigned lane_of(unsigned rank) const { return __fns(mask_, 0, static_cast<int>(rank) + 1) & 31u; }
  template <class T>
  CASTOR_CGM T from_lane(const T& value, unsigned lane) const {
    unsigned mask = mask_;
    return castor_detail::shuffle_words(
        value, [mask, lane](unsigned w) { return __shfl_sync(mask, w, static_cast<int>(lane)); });
  }
  // Packs the bits of the members into the lowest bits.
  CASTOR_CGM unsigned pack(unsigned lanes) const {
    unsigned packed = 0;
    unsigned at = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++at) {
      if (lanes & rest & (0u - rest)) packed |= 1u << at;
    }
    return packed;
  }

  unsigned mask_;
  unsigned rank_;
  unsigned meta_rank_;
  unsigned meta_size_;
};
CASTOR_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace castor_detail {
/// Threads of a tile within one warp.
template <unsigned int kSize>
class tile_in_warp {
 public:
  CASTOR_CGM void sync() const { __syncwarp(mask()); }
  static CASTOR_CGM unsigned thread_rank() { return lane() & (kSize - 1); }
  static CASTOR_CGM constexpr unsigned size() { return kSize; }
  static CASTOR_CGM constexpr unsigned num_threads() { return kSize; }
  static CASTOR_CGM bool is_valid() { return true; }
  static CASTOR_CGM unsigned get_type() { return kCoalesced; }

  template <class T>
  CASTOR_CGM T shfl(T value, int rank) const {
    unsigned m = mask();
    return castor_detail::shuffle_words(value, [m, rank](unsigned w) { return __shfl_sync(m, w, rank, kSize); });
  }
  template <class T>
  CASTOR_CGM T shfl_up(T value, unsigned delta) const {
    unsigned m = mask();
    return castor_detail::shuffle_words(value, [m, delta](unsigned w) { return __shfl_up_sync(m, w, delta, kSize); });
  }
  template <class T>
  CASTOR_CGM T shfl_down(T value, unsigned delta) const {
    unsigned m = mask();
    return castor_detail::shuffle_words(value, [m, delta](unsigned w) { return __shfl_down_sync(m, w, delta, kSize); });
  }
  template <class T>
  CASTOR_CGM T shfl_xor(T value, unsigned lane_mask) const {
    unsigned m = mask();
    return castor_detail::shuffle_words(
        value, [m, lane_mask](unsigned w) { return __shfl_xor_sync(m, w, static_cast<int>(lane_mask), kSize); });
  }
  CASTOR_CGM int any(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) != 0; }
  CASTOR_CGM int all(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) == mask(); }
  CASTOR_CGM unsigned ballot(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) >> first(); }
  template <class T>
  CASTOR_CGM unsigned match_any(T value) const {
    return (__match_any_sync(mask(), value) & mask()) >> first();
  }
  template <class T>
  CASTOR_CGM unsigned match_all(T value, int& predicate) const {
    return (__match_all_sync(mask(), value, &predicate) & mask()) >> first();
  }
  CASTOR_CGM unsigned castor_mask() const { return mask(); }

 private:
  CASTOR_CGM static unsigned first() { return lane() & ~(kSize - 1); }
  CASTOR_CGM static unsigned mask() { return (kSize == 32 ? 0xffffffffu : (1u << (kSize & 31)) - 1u) << first(); }
};
}  // namespace castor_detail

}  // namespace cooperative_groups

#include "castor_cuda/tile_of_warps.h"

namespace cooperative_groups {

namespace castor_detail {
/// Rank of a tile among the tiles of its parent group. It follows from the parent's type; a tile of unknown parent
/// stores it.
template <unsigned int kSize, class Parent>
class tile_of_parent {
 public:
  static CASTOR_CGM unsigned meta_group_rank() { return Parent::thread_rank() / kSize; }
  static CASTOR_CGM unsigned meta_group_size() { return (Parent::size() + kSize - 1) / kSize; }
};
template <unsigned int kSize>
class tile_of_parent<kSize, void> {
 public:
  CASTOR_CGM tile_of_parent(unsigned rank, unsigned size) : rank_(rank), size_(size) {}
  CASTOR_CGM unsigned meta_group_rank() const { return rank_; }
  CASTOR_CGM unsigned meta_group_size() const { return size_; }

 private:
  unsigned rank_;
  unsigned size_;
};

template <unsigned int kSize>
using tile_threads = typename std::conditional<(kSize <= 32), tile_in_warp<kSize>, tile_of_warps<kSize>>::type;
}  // namespace castor_detail

/// Tile of kSize consecutive threads of a block; kSize is a power of two up to 1024. Parent: group that was
/// partitioned, or void if the type does not say.
template <unsigned int kSize, class Parent = void>
class thread_block_tile : public castor_detail::tile_threads<kSize>,
                          public castor_detail::tile_of_parent<kSize, Parent> {
  static_assert(kSize != 0 && kSize <= 1024 && (kSize & (kSize - 1)) == 0,
                "castor-cc: tiles have 1, 2, 4 ... 512 or 1024 threads, a power of two");
};
template <unsigned int kSize>
class thread_block_tile<kSize, void> : public castor_detail::tile_threads<kSize>,
                                       public castor_detail::tile_of_parent<kSize, void> {
  static_assert(kSize != 0 && kSize <= 1024 && (kSize & (kSize - 1)) == 0,
                "castor-cc: tiles have 1, 2, 4 ... 512 or 1024 threads, a power of two");

 public:
  template <class Parent>
  CASTOR_CGM thread_block_tile(const thread_block_tile<kSize, Parent>& tile)
      : castor_detail::tile_of_parent<kSize, void>(tile.meta_group_rank(), tile.meta_group_size()) {}
};

/// Returns a tile of the calling thread alone.
CASTOR_CG thread_block_tile<1> this_thread() { return thread_block_tile<1, thread_block_tile<1, thread_block>>(); }

class thread_group;

namespace castor_detail {
/// True if a group can be partitioned into tiles of kSize threads at compile time.
template <unsigned int kSize, class Parent>
struct can_be_cut : std::false_type {};
template <unsigned int kSize>
struct can_be_cut<kSize, thread_block> : std::true_type {};
template <unsigned int kSize, unsigned int kParentSize, class Grandparent>
struct can_be_cut<kSize, thread_block_tile<kParentSize, Grandparent>> : std::true_type {
  static_assert(kSize < kParentSize, "castor-cc: a tile is cut from a larger tile; use the tile itself");
};
}  // namespace castor_detail

template <unsigned int kSize, class Parent>
CASTOR_CGM thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  static_assert(castor_detail::can_be_cut<kSize, Parent>::value,
                "castor-cc: tiled_partition<N>(group) takes a thread_block or a thread_block_tile; for a "
                "coalesced_group or a thread_group write tiled_partition(group, N)");
  castor_detail::require(kSize != 64 || castor_detail::block_size() <= 512,
                         "tiles of 64 threads need a block of at most 512 threads; use tiles of 32 or 128");
  return thread_block_tile<kSize, Parent>();
}

#define CASTOR_NO_GRID_AS_GROUP                                                                                      \
  "castor-cc: a grid as thread_group is not supported, because every kernel that synchronises a thread_group would " \
  "need all its blocks resident at once; use grid_group"

class grid_group;

/// Group whose type is known at run time only: a thread block, or a set of lanes of one warp.
class thread_group {
 public:
  CASTOR_CGM thread_group(const thread_block&) : size_(castor_detail::block_size()), block_(true) {}
  CASTOR_CGM thread_group(const coalesced_group& g) : mask_(g.castor_mask()), size_(g.size()), block_(false) {}
  template <unsigned int kSize>
  CASTOR_CGM thread_group(const castor_detail::tile_in_warp<kSize>& t)
      : mask_(t.castor_mask()), size_(kSize), block_(false) {}
  __attribute__((unavailable(CASTOR_NO_GRID_AS_GROUP))) __device__ thread_group(const grid_group&);

  CASTOR_CGM void sync() const {
    if (block_) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  CASTOR_CGM unsigned long long size() const { return size_; }
  CASTOR_CGM unsigned long long num_threads() const { return size_; }
  CASTOR_CGM unsigned long long thread_rank() const {
    return block_ ? castor_detail::rank_in_block() : __popc(mask_ & castor_detail::lanes_below());
  }
  CASTOR_CGM bool is_valid() const { return true; }
  CASTOR_CGM unsigned get_type() const { return block_ ? castor_detail::kBlock : castor_detail::kCoalesced; }
  CASTOR_CGM unsigned castor_mask() const { return mask_; }

 private:
  unsigned mask_ = 0;
  unsigned size_;
  bool block_;
};
#undef CASTOR_NO_GRID_AS_GROUP

namespace castor_detail {
CASTOR_CG void require_tile_size(unsigned size) {
  require(size != 0 && size <= 32 && (size & (size - 1)) == 0,
          "tiled_partition(group, n) takes 1, 2, 4, 8, 16 or 32 for n");
}

/// Divides the lanes of `mask`, in order, into parts of `size` lanes (a power of two). Returns the calling lane's part.
CASTOR_CG unsigned part_of(unsigned mask, unsigned size) {
  const unsigned first = __popc(mask & lanes_below()) & ~(size - 1);
  unsigned part = 0;
  unsigned rank = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1, ++rank) {
    if (rank >= first && rank < first + size) part |= rest & (0u - rest);
  }
  return part;
}

/// Returns the members whose predicate equals the caller's. As in CUDA, an undivided group is part 0 of 1.
CASTOR_CG coalesced_group split_by_predicate(unsigned mask, bool predicate) {
  const unsigned yes = __ballot_sync(mask, predicate) & mask;
  if (yes == 0 || yes == mask) return coalesced_group(mask);
  return coalesced_group(predicate ? yes : mask & ~yes, predicate, 2);
}

/// Group of the members with the caller's label. Parts are numbered by their lowest lanes.
template <class Label>
struct split_by_label {
  static_assert(std::is_integral<Label>::value, "castor-cc: labels are integers or pointers");
  static CASTOR_CGM coalesced_group split(unsigned mask, Label label) {
    using Word = typename std::conditional<sizeof(Label) <= 4, unsigned, unsigned long long>::type;
    const unsigned same = __match_any_sync(mask, static_cast<Word>(label)) & mask;
    const unsigned lowest = same & (0u - same);
    const unsigned leaders = __ballot_sync(mask, lowest == 1u << lane()) & mask;
    return coalesced_group(same, __popc(leaders & (lowest - 1u)), __popc(leaders));
  }
};
template <>
struct split_by_label<bool> {
  static CASTOR_CGM coalesced_group split(unsigned mask, bool label) { return split_by_predicate(mask, label); }
};
template <class Target>
struct split_by_label<Target*> {
  static CASTOR_CGM coalesced_group split(unsigned mask, Target* label) {
    return split_by_label<unsigned long long>::split(mask, reinterpret_cast<unsigned long long>(label));
  }
};
}  // namespace castor_detail

/// Partitions a group into parts of `tile_size` members; the last part has the rest. A group of at most `tile_size`
/// members stays whole.
CASTOR_CG coalesced_group tiled_partition(const coalesced_group& group, unsigned tile_size) {
  castor_detail::require_tile_size(tile_size);
  if (group.size() <= tile_size) return group;
  return coalesced_group(castor_detail::part_of(group.castor_mask(), tile_size), group.thread_rank() / tile_size,
                         (group.size() + tile_size - 1) / tile_size);
}
CASTOR_CG thread_group tiled_partition(const thread_group& group, unsigned tile_size) {
  castor_detail::require_tile_size(tile_size);
  unsigned mask = group.castor_mask();
  if (group.get_type() == castor_detail::kBlock) {
    // Lanes of this warp that belong to the block.
    const unsigned left = castor_detail::block_size() - (castor_detail::rank_in_block() & ~31u);
    mask = left >= 32 ? 0xffffffffu : (1u << left) - 1u;
  }
  return coalesced_group(castor_detail::part_of(mask, tile_size));
}

template <unsigned int kSize>
CASTOR_CGM coalesced_group binary_partition(const castor_detail::tile_in_warp<kSize>& tile, bool predicate) {
  return castor_detail::split_by_predicate(tile.castor_mask(), predicate);
}
CASTOR_CG coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
  return castor_detail::split_by_predicate(group.castor_mask(), predicate);
}
template <class Label, unsigned int kSize>
CASTOR_CGM coalesced_group labeled_partition(const castor_detail::tile_in_warp<kSize>& tile, Label label) {
  return castor_detail::split_by_label<Label>::split(tile.castor_mask(), label);
}
template <class Label>
CASTOR_CGM coalesced_group labeled_partition(const coalesced_group& group, Label label) {
  return castor_detail::split_by_label<Label>::split(group.castor_mask(), label);
}

/// Calls `function` in the group's thread of rank 0 only.
template <class Group, class Function, class... Arguments>
CASTOR_CGM void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}
/// Calls `function` in the thread of rank 0, and returns its result to every member. The result's type must have a
/// default constructor. The group is a tile or a coalesced group.
template <class Group, class Function, class... Arguments>
CASTOR_CGM auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) ->
    typename std::decay<decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...))>::type {
  using Result = decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...));
  static_assert(!std::is_void<Result>::value, "castor-cc: nothing to broadcast; use invoke_one()");
  typename std::decay<Result>::type result{};
  if (group.thread_rank() == 0) result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
CASTOR_CGM void sync(const Group& group) {
  group.sync();
}
template <class Group>
CASTOR_CGM auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
CASTOR_CGM auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

/// Operators for reduce() and scans.
template <class T>
struct plus {
  CASTOR_CGM T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  CASTOR_CGM T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  CASTOR_CGM T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  CASTOR_CGM T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  CASTOR_CGM T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  CASTOR_CGM T operator()(T a, T b) const { return a ^ b; }
};

/// Combines the values of all members; every member gets the result.
template <unsigned int kSize, class T, class Op>
CASTOR_CGM T reduce(const castor_detail::tile_in_warp<kSize>& tile, T value, Op op) {
  for (unsigned step = kSize / 2; step > 0; step /= 2) value = op(value, tile.shfl_xor(value, step));
  return value;
}
template <unsigned int kSize, class T, class Op>
CASTOR_CGM T reduce(const castor_detail::tile_of_warps<kSize>& tile, T value, Op op) {
  return tile.castor_reduce(reduce(castor_detail::tile_in_warp<32>(), value, op), op);
}
template <class T, class Op>
CASTOR_CGM T reduce(const coalesced_group& group, T value, Op op) {
  T result = group.shfl(value, 0);
  for (unsigned i = 1; i < group.size(); ++i) result = op(result, group.shfl(value, i));
  return result;
}

namespace castor_detail {
template <class Group, class T, class Op>
CASTOR_CGM T inclusive_scan_in_warp(const Group& group, T value, Op op) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    T other = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T, class Op>
CASTOR_CGM T exclusive_scan_in_warp(const Group& group, T value, Op op) {
  T before = group.shfl_up(inclusive_scan_in_warp(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
}  // namespace castor_detail

/// Prefix scans over the members in rank order. In an exclusive scan, the member of rank 0 gets T().
#define CASTOR_SCAN(name)                                                              \
  template <class T, class Op>                                                         \
  CASTOR_CGM T name(const coalesced_group& group, T value, Op op) {                    \
    return castor_detail::name##_in_warp(group, value, op);                            \
  }                                                                                    \
  template <unsigned int kSize, class T, class Op>                                     \
  CASTOR_CGM T name(const castor_detail::tile_in_warp<kSize>& tile, T value, Op op) {  \
    return castor_detail::name##_in_warp(tile, value, op);                             \
  }                                                                                    \
  template <unsigned int kSize, class T, class Op>                                     \
  CASTOR_CGM T name(const castor_detail::tile_of_warps<kSize>& tile, T value, Op op) { \
    const castor_detail::tile_in_warp<32> warp;                                        \
    return tile.castor_##name(castor_detail::inclusive_scan_in_warp(warp, value, op),  \
                              castor_detail::name##_in_warp(warp, value, op), op);     \
  }                                                                                    \
  template <class Group, class T>                                                      \
  CASTOR_CGM T name(const Group& group, T value) {                                     \
    return name(group, value, plus<T>());                                              \
  }
CASTOR_SCAN(inclusive_scan)
CASTOR_SCAN(exclusive_scan)
#undef CASTOR_SCAN

#define CASTOR_NO_ATOMIC_UPDATE                                                                                     \
  "castor-cc: collectives that update a cuda::atomic are not supported; use reduce() or a scan, and in the thread " \
  "of rank 0 an atomic function such as atomicAdd()"
#define CASTOR_ATOMIC_UPDATE(name) \
  template <class... Arguments>    \
  __attribute__((unavailable(CASTOR_NO_ATOMIC_UPDATE))) __device__ void name(Arguments&&...);
CASTOR_ATOMIC_UPDATE(reduce_update_async)
CASTOR_ATOMIC_UPDATE(reduce_store_async)
CASTOR_ATOMIC_UPDATE(inclusive_scan_update)
CASTOR_ATOMIC_UPDATE(exclusive_scan_update)
#undef CASTOR_ATOMIC_UPDATE
#undef CASTOR_NO_ATOMIC_UPDATE

}  // namespace cooperative_groups

#include "castor_cuda/grid_group.h"

namespace cooperative_groups {

#define CASTOR_NO_MULTI_GRID                                                                                         \
  "castor-cc: there is one device, and groups over several are not supported; use this_grid(), which has ranks and " \
  "sizes"
class __attribute__((unavailable(CASTOR_NO_MULTI_GRID))) multi_grid_group;
__device__ __attribute__((unavailable(CASTOR_NO_MULTI_GRID))) grid_group this_multi_grid();
#undef CASTOR_NO_MULTI_GRID

#define CASTOR_NO_CLUSTER \
  "castor-cc: there are no thread-block clusters (sm_90); use this_thread_block(), and global memory between blocks"
class __attribute__((unavailable(CASTOR_NO_CLUSTER))) cluster_group;
__device__ __attribute__((unavailable(CASTOR_NO_CLUSTER))) grid_group this_cluster();
#undef CASTOR_NO_CLUSTER

#undef CASTOR_CG
#undef CASTOR_CGM

}  // namespace cooperative_groups

#endif
