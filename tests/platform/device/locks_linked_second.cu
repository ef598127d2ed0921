#include "locks_linked.h"

__device__ bool try_lock(int* lock) { return atomicCAS(lock, 0, 1) == 0; }
__device__ void unlock(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}
__device__ bool try_to_count(int* lock) {
  if (!try_lock(lock)) return false;
  ++lock[1];
  unlock(lock);
  return true;
}
