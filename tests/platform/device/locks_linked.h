// Functions of locks_linked_second.cu.
#pragma once

__device__ bool try_lock(int* lock);
__device__ void unlock(int* lock);
/// Takes the lock, adds to the counter behind it, releases the lock; false if another lane has the lock.
__device__ bool try_to_count(int* lock);
