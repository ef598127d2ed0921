// Tiles of more than 32 threads, which span several warps; part of cooperative_groups.h.
//
// A tile has a named barrier of its own and exchanges values through shared memory, one slot for each warp of the
// block.
#pragma once

namespace cooperative_groups {
namespace castor_detail {

/// Most bytes that a collective operation of such a tile can exchange, as in CUDA.
constexpr unsigned kSlotBytes = 8;
CASTOR_CG unsigned long long* slots_of_block() {
  static __shared__ unsigned long long slots[32];
  return slots;
}

template <unsigned int kSize>
class tile_of_warps {
 public:
  CASTOR_CGM void sync() const {
    if (kSize >= block_size()) {
      __syncthreads();
    } else {
      castor_barrier_sync_cnt(barrier(), kSize);
    }
  }
  static CASTOR_CGM unsigned thread_rank() { return rank_in_block() & (kSize - 1); }
  static CASTOR_CGM constexpr unsigned size() { return kSize; }
  static CASTOR_CGM constexpr unsigned num_threads() { return kSize; }
  static CASTOR_CGM bool is_valid() { return true; }
  static CASTOR_CGM unsigned get_type() { return kTileOfWarps; }

  template <class T>
  CASTOR_CGM T shfl(T value, int rank) const {
    const unsigned source = static_cast<unsigned>(rank) & (kSize - 1);
    if (thread_rank() == source) put(source / 32, value);
    sync();
    const T result = get<T>(source / 32);
    sync();
    return result;
  }
  CASTOR_CGM int any(int predicate) const {
    return castor_reduce(__any_sync(0xffffffffu, predicate), [](int a, int b) { return a | b; });
  }
  CASTOR_CGM int all(int predicate) const {
    return castor_reduce(__all_sync(0xffffffffu, predicate), [](int a, int b) { return a & b; });
  }

  /// Combines the values of all warps of the tile. All lanes of a warp must pass the same value.
  template <class T, class Op>
  CASTOR_CGM T castor_reduce(T of_warp, Op op) const {
    if (lane() == 0) put(warp(), of_warp);
    sync();
    T result = get<T>(0);
    for (unsigned i = 1; i < kSize / 32; ++i) result = op(result, get<T>(i));
    sync();
    return result;
  }
  /// Combines the caller's scan in its own warp with the values of all earlier warps of the tile.
  template <class T, class Op>
  CASTOR_CGM T castor_inclusive_scan(T inclusive, T, Op op) const {
    const T before = combined_before(inclusive, op);
    return warp() == 0 ? inclusive : op(before, inclusive);
  }
  template <class T, class Op>
  CASTOR_CGM T castor_exclusive_scan(T inclusive, T exclusive, Op op) const {
    const T before = combined_before(inclusive, op);
    return warp() == 0 ? exclusive : lane() == 0 ? before : op(before, exclusive);
  }

 private:
  static CASTOR_CGM unsigned warp() { return thread_rank() / 32; }
  static CASTOR_CGM unsigned first_slot() { return (rank_in_block() & ~(kSize - 1)) / 32; }
  // Returns the number of a named barrier that no other tile of the block uses, of whatever size. It is the index of
  // the group of 32 threads that begins at the tile's middle. Blocks of more than 512 threads have no tiles of 64;
  // there it is the index of the group of 64 threads.
  static CASTOR_CGM unsigned barrier() {
    const unsigned middle = (rank_in_block() & ~(kSize - 1)) + kSize / 2;
    return middle / (block_size() > 512 ? 64 : 32);
  }
  template <class T>
  static CASTOR_CGM void put(unsigned warp, const T& value) {
    static_assert(sizeof(T) <= kSlotBytes,
                  "castor-cc: tiles of more than 32 threads exchange values of at most 8 bytes; exchange the parts of "
                  "a larger one");
    __builtin_memcpy(&slots_of_block()[first_slot() + warp], &value, sizeof(T));
  }
  template <class T>
  static CASTOR_CGM T get(unsigned warp) {
    T value;
    __builtin_memcpy(&value, &slots_of_block()[first_slot() + warp], sizeof(T));
    return value;
  }
  // Returns the combination of the values of all earlier warps. The last lane of each warp holds its warp's total. The
  // result is meaningless in warp 0.
  template <class T, class Op>
  CASTOR_CGM T combined_before(T inclusive, Op op) const {
    if (lane() == 31) put(warp(), inclusive);
    sync();
    T before = get<T>(0);
    for (unsigned i = 1; i < warp(); ++i) before = op(before, get<T>(i));
    sync();
    return before;
  }
};

}  // namespace castor_detail
}  // namespace cooperative_groups
