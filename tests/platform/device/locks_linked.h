// Functions of locks_linked_second.cu.
#pragma once

__device__ bool try_lock(int* lock);
__device__ void unlock(int* lock);
/// Tries to take the lock. If that succeeds, increments the counter stored after the lock and releases the lock.
/// Returns false if another lane has the lock.
__device__ bool try_to_count(int* lock);
