// Cooperative groups: thread blocks, tiles of 1 to 32 threads, coalesced threads, and reductions over them.
//
// A grid has ranks and sizes, but cannot synchronise: grid_group::sync() is refused when the program is compiled, and
// so are groups over several devices.
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

// A value of any trivially copyable type travels word by word.
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

/// All threads of the thread block.
class thread_block {
 public:
  static CASTOR_CGM void sync() { __syncthreads(); }
  static CASTOR_CGM unsigned thread_rank() { return castor_detail::rank_in_block(); }
  static CASTOR_CGM unsigned size() { return castor_detail::block_size(); }
  static CASTOR_CGM unsigned num_threads() { return size(); }
  static CASTOR_CGM dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static CASTOR_CGM dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static CASTOR_CGM dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static CASTOR_CGM dim3 dim_threads() { return group_dim(); }
  static CASTOR_CGM bool is_valid() { return true; }
};
CASTOR_CG thread_block this_thread_block() { return thread_block(); }

/// A subset of the lanes of one warp. Ranks count the members in lane order.
class coalesced_group {
 public:
  CASTOR_CGM explicit coalesced_group(unsigned mask)
      : mask_(mask), rank_(__popc(mask & ((1u << castor_detail::lane()) - 1u))) {}

  CASTOR_CGM void sync() const { __syncwarp(mask_); }
  CASTOR_CGM unsigned thread_rank() const { return rank_; }
  CASTOR_CGM unsigned size() const { return __popc(mask_); }
  CASTOR_CGM unsigned num_threads() const { return size(); }
  CASTOR_CGM bool is_valid() const { return true; }
  CASTOR_CGM unsigned meta_group_rank() const { return 0; }
  CASTOR_CGM unsigned meta_group_size() const { return 1; }

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
  // Bits of the members, moved together.
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
};
CASTOR_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// A tile of kSize consecutive threads of a block; kSize is a power of two up to 32.
template <unsigned int kSize, class Parent = void>
class thread_block_tile {
  static_assert(kSize != 0 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "castor-cc: tiles have 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile() = default;
  /// A tile does not depend on what it was cut from.
  template <class Other>
  CASTOR_CGM thread_block_tile(const thread_block_tile<kSize, Other>&) {}

  CASTOR_CGM void sync() const { __syncwarp(mask()); }
  CASTOR_CGM unsigned thread_rank() const { return castor_detail::lane() & (kSize - 1); }
  CASTOR_CGM static constexpr unsigned size() { return kSize; }
  CASTOR_CGM static constexpr unsigned num_threads() { return kSize; }
  CASTOR_CGM bool is_valid() const { return true; }
  CASTOR_CGM unsigned meta_group_rank() const { return castor_detail::rank_in_block() / kSize; }
  CASTOR_CGM unsigned meta_group_size() const { return (castor_detail::block_size() + kSize - 1) / kSize; }

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
  CASTOR_CGM static unsigned first() { return castor_detail::lane() & ~(kSize - 1); }
  CASTOR_CGM static unsigned mask() { return (kSize == 32 ? 0xffffffffu : (1u << (kSize & 31)) - 1u) << first(); }
};

template <unsigned int kSize, class Parent>
CASTOR_CGM thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<kSize, Parent>();
}

/// A tile whose size is known at run time only, and the common base of groups that are passed by reference.
class thread_group {
 public:
  CASTOR_CGM thread_group(const thread_block&) : size_(castor_detail::block_size()), block_(true) {}
  CASTOR_CGM thread_group(const coalesced_group& g) : mask_(g.castor_mask()), size_(g.size()), block_(false) {}
  template <unsigned int kSize, class Parent>
  CASTOR_CGM thread_group(const thread_block_tile<kSize, Parent>& t)
      : mask_(t.castor_mask()), size_(kSize), block_(false) {}
  CASTOR_CGM void sync() const {
    if (block_) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  CASTOR_CGM unsigned size() const { return size_; }
  CASTOR_CGM unsigned num_threads() const { return size_; }
  CASTOR_CGM unsigned thread_rank() const {
    return block_ ? castor_detail::rank_in_block() : __popc(mask_ & ((1u << castor_detail::lane()) - 1u));
  }
  CASTOR_CGM bool is_valid() const { return true; }

 private:
  unsigned mask_ = 0;
  unsigned size_;
  bool block_;
};

CASTOR_CG thread_group tiled_partition(const thread_group&, unsigned tile_size) {
  unsigned first = castor_detail::lane() & ~(tile_size - 1);
  unsigned mask = (tile_size >= 32 ? 0xffffffffu : (1u << tile_size) - 1u) << first;
  return thread_group(coalesced_group(mask));
}

template <unsigned int kSize, class Parent>
CASTOR_CGM coalesced_group binary_partition(const thread_block_tile<kSize, Parent>& tile, bool predicate) {
  unsigned yes = __ballot_sync(tile.castor_mask(), predicate) & tile.castor_mask();
  return coalesced_group(predicate ? yes : tile.castor_mask() & ~yes);
}
CASTOR_CG coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
  unsigned yes = __ballot_sync(group.castor_mask(), predicate) & group.castor_mask();
  return coalesced_group(predicate ? yes : group.castor_mask() & ~yes);
}

template <class Group>
CASTOR_CGM void sync(const Group& group) {
  group.sync();
}
template <class Group>
CASTOR_CGM unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
CASTOR_CGM unsigned group_size(const Group& group) {
  return group.size();
}

/// Operators of reduce().
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
template <unsigned int kSize, class Parent, class T, class Op>
CASTOR_CGM T reduce(const thread_block_tile<kSize, Parent>& tile, T value, Op op) {
  for (unsigned step = kSize / 2; step > 0; step /= 2) value = op(value, tile.shfl_xor(value, step));
  return value;
}
template <class T, class Op>
CASTOR_CGM T reduce(const coalesced_group& group, T value, Op op) {
  T result = group.shfl(value, 0);
  for (unsigned i = 1; i < group.size(); ++i) result = op(result, group.shfl(value, i));
  return result;
}

/// Prefix combinations over the members in rank order.
template <class Group, class T, class Op>
CASTOR_CGM T inclusive_scan(const Group& group, T value, Op op) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    T other = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
CASTOR_CGM T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
/// The member of rank 0 gets T().
template <class Group, class T, class Op>
CASTOR_CGM T exclusive_scan(const Group& group, T value, Op op) {
  T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
CASTOR_CGM T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

#define CASTOR_NO_GRID_SYNC                                                                                       \
  "castor-cc: synchronising a whole grid is not supported; end the kernel where all blocks must meet and launch " \
  "a second one"

/// All threads of the grid. Block ranks count x first, then y, then z; thread ranks count the threads of block 0 first.
class grid_group {
 public:
  /// Whether the group can synchronise, as of a cooperative launch: no grid can.
  static CASTOR_CGM bool is_valid() { return false; }
  static CASTOR_CGM unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static CASTOR_CGM unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static CASTOR_CGM unsigned long long size() { return num_blocks() * castor_detail::block_size(); }
  static CASTOR_CGM unsigned long long num_threads() { return size(); }
  static CASTOR_CGM unsigned long long thread_rank() {
    return block_rank() * castor_detail::block_size() + castor_detail::rank_in_block();
  }
  static CASTOR_CGM dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static CASTOR_CGM dim3 dim_blocks() { return group_dim(); }
  static CASTOR_CGM dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __attribute__((unavailable(CASTOR_NO_GRID_SYNC))) __device__ void sync() const;
};
CASTOR_CG grid_group this_grid() { return grid_group(); }
#undef CASTOR_NO_GRID_SYNC

#define CASTOR_NO_MULTI_GRID                                                                                         \
  "castor-cc: there is one device, and groups over several are not supported; use this_grid(), which has ranks and " \
  "sizes"
__device__ __attribute__((unavailable(CASTOR_NO_MULTI_GRID))) grid_group this_multi_grid();
#undef CASTOR_NO_MULTI_GRID

#define CASTOR_NO_CLUSTER                                                                                           \
  "castor-cc: there are no thread-block clusters (sm_90); use this_thread_block(), and global memory between blocks"
__device__ __attribute__((unavailable(CASTOR_NO_CLUSTER))) grid_group this_cluster();
#undef CASTOR_NO_CLUSTER

#undef CASTOR_CG
#undef CASTOR_CGM

}  // namespace cooperative_groups

#endif
