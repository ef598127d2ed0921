// Group of all threads of a grid, and its barrier; part of cooperative_groups.h.
#pragma once

namespace cooperative_groups {

namespace castor_detail {
/// Returns the counter of the grid's barrier, in the workspace of the launch. A kernel whose code calls this function
/// has all its blocks resident at once.
CASTOR_CG unsigned* grid_counter() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned*>(static_cast<unsigned long long>(high) << 32 | low);
}
/// Bit of the counter that changes with the last arrival.
constexpr unsigned kGridPhase = 0x80000000u;
}  // namespace castor_detail

/// Group of all threads of the grid. Block ranks count x first, then y, then z. Thread ranks count the threads of block
/// 0 first.
class grid_group {
 public:
  /// Returns whether the launch is cooperative. The group can synchronise in other launches, too.
  static CASTOR_CGM bool is_valid() {
    unsigned cooperative;
    asm("mov.u32 %0, %%envreg0;" : "=r"(cooperative));
    return cooperative != 0;
  }
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
  static CASTOR_CGM dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
  }
  static CASTOR_CGM dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
  static CASTOR_CGM unsigned get_type() { return castor_detail::kGrid; }

  /// Token that barrier_arrive() returns and barrier_wait() takes: in the first thread of a block, the counter before
  /// the block arrived.
  using arrival_token = unsigned;

  /// Waits for all threads of the grid. Writes made before the call are visible afterwards to all threads.
  static CASTOR_CGM void sync() { barrier_wait(barrier_arrive()); }
  /// Arrives at the grid's barrier, after all threads of the block have called it.
  static CASTOR_CGM arrival_token barrier_arrive() {
    // Each thread makes its own writes visible: a fence of the first thread does not wait for those of other warps.
    __threadfence();
    __syncthreads();
    if (castor_detail::rank_in_block() != 0) return 0;
    const unsigned blocks = static_cast<unsigned>(num_blocks());
    return atomicAdd(castor_detail::grid_counter(), block_rank() == 0 ? castor_detail::kGridPhase - (blocks - 1) : 1u);
  }
  /// Waits until all blocks have arrived. All threads of the block call it.
  static CASTOR_CGM void barrier_wait(arrival_token&& before) {
    if (castor_detail::rank_in_block() == 0) {
      const volatile unsigned* const counter = castor_detail::grid_counter();
      while (((*counter ^ before) & castor_detail::kGridPhase) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};
CASTOR_CG grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups
