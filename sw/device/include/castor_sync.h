#pragma once

/* Device-wide synchronisation: Castor's extension of CUDA for machines with blocks that answer it
 * (docs/gpu/synchronisation.md). A kernel that can reach a function that nothing on the machine answers is refused at
 * its launch, with cudaErrorNotSupported and the name of the missing block on stderr; other kernels of the program run.
 *
 *     __global__ void steps(float* a, float* b, int n) {
 *       for (int i = 0; i < n; ++i) {
 *         relax(a, b);
 *         __globalSync();                    // every thread block of the kernel has arrived
 *         std::swap(a, b);
 *       }
 *     }
 *
 * Events connect single thread blocks. Event `e` has a count, which starts at 0. A wait and a signal count 1 each, so a
 * signal before its wait is not lost. At the count `target` the event fires: the thread blocks that wait for it resume,
 * and the count is 0 again. `target` is the number of all calls of one round, waits and signals, and is the same in
 * each.
 *
 *     TB_wait(row, 2);                       // producer: TB_signal(row, 2)
 */

#include <driver_types.h>
#ifdef __cplusplus
extern "C" {
#endif

enum castorSyncExit {
  castorSyncExitError = 0, /* a thread block that ends while others still meet at grid barriers is an error */
  castorSyncExitShrink = 1 /* grid barriers do not wait for thread blocks that have ended */
};

/* When a thread block that waits for an event is swapped out, on machines that swap out thread blocks. */
enum castorSyncSwap {
  castorSyncSwapEager = 0, /* at once */
  castorSyncSwapLazy = 1,  /* when no thread block that waits on its SM makes progress */
  castorSyncSwapNever = 2  /* never: thread blocks that are not placed wait until one ends */
};

#define castorSyncMostEvents 1048576u

struct castorSyncOptions {
  unsigned events; /* events have numbers below this; 1 to castorSyncMostEvents */
  enum castorSyncExit exit;
  enum castorSyncSwap swap;
  const unsigned* ranks; /* rank of each thread block: lower ranks are placed first, equal ranks in the order of their
                            numbers; null: the order of the numbers */
  unsigned blocks;       /* elements of `ranks`, which is the size of the grid of every launch */
};

#define castorSyncDefaults \
  { castorSyncMostEvents, castorSyncExitError, castorSyncSwapLazy, 0, 0 }

/* Sets the options of all later launches of a kernel by the host; null: the defaults. Copies `options` and `ranks`.
 * Errors: invalid device function; cudaErrorInvalidValue: events out of range, no such policy, ranks null but blocks
 * not 0, or the reverse. A launch whose grid is not of `blocks` thread blocks is refused with cudaErrorInvalidValue. */
cudaError_t castorSetSyncOptions(const void* func, const struct castorSyncOptions* options);

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && defined(__CUDACC__)

#define CASTOR_SYNC static inline __device__ __attribute__((always_inline, convergent))

/* Waits until all thread blocks of the kernel have arrived. Called by all threads of all thread blocks. Stores before
 * it are visible to all threads of the kernel behind it. */
CASTOR_SYNC void __globalSync() { asm volatile("tb.gridsync;" ::: "memory"); }

/* Counts the thread block at an event and waits until the event fires. Called by all threads of the thread block, with
 * the same arguments. Stores of those that signalled before are visible behind it. */
CASTOR_SYNC void TB_wait(unsigned event, unsigned target) {
  asm volatile("tb.wait %0, %1;" ::"r"(event), "r"(target) : "memory");
}

/* Counts at an event, once for the warp that calls it. Orders nothing: the caller has made its stores visible
 * (__threadfence), and has chosen one warp. */
CASTOR_SYNC void TB_signal_1(unsigned event, unsigned target) {
  asm volatile("tb.signal %0, %1;" ::"r"(event), "r"(target) : "memory");
}

/* Counts the thread block at an event once and does not wait. Called by all threads of the thread block. Stores of all
 * its threads before it are visible to thread blocks that the event resumes. */
CASTOR_SYNC void TB_signal(unsigned event, unsigned target) {
  asm volatile("membar.gl;\n\tbar.sync 0;" ::: "memory");
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (thread / 32 == 0) TB_signal_1(event, target);
}

/* Promises that `bytes` bytes of shared memory hold the same bytes as global memory, and that neither is written before
 * the kernel ends or TB_writable is called. A machine that swaps out the thread block need not save them. A promise
 * that is not kept gives wrong results. Called by any thread of the thread block, once. */
CASTOR_SYNC void TB_readonly(const void* shared, const void* global, unsigned bytes) {
  asm volatile("tb.readonly %0, %1, %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(__cvta_generic_to_global(global)), "r"(bytes)
               : "memory");
}

/* Ends the promise for the range that holds the byte at `shared`. */
CASTOR_SYNC void TB_writable(const void* shared) {
  asm volatile("tb.writable %0;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))) : "memory");
}

#undef CASTOR_SYNC
#endif
