// Copies by all threads of a group: memcpy_async, wait, wait_prior.
//
// The copies are made at once, through registers, as on devices without asynchronous copies. The threads of the group
// must call wait() before they read data that other threads have copied.
#pragma once
#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)

namespace cooperative_groups {

namespace castor_detail {
template <class Word, class Group>
__device__ __forceinline__ void copy_words(const Group& group, void* to, const void* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(Word); i += group.size()) {
    static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
  }
}
// Copies in the largest words whose size divides both addresses and the number of bytes.
template <class Group>
__device__ __forceinline__ void copy_by_group(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t all = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (all % 16 == 0) {
    copy_words<uint4>(group, to, from, bytes);
  } else if (all % 4 == 0) {
    copy_words<unsigned>(group, to, from, bytes);
  } else {
    copy_words<unsigned char>(group, to, from, bytes);
  }
}
}  // namespace castor_detail

/// Copies `bytes` bytes.
template <class Group, class T, class Size>
__device__ __forceinline__ void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  castor_detail::copy_by_group(group, to, from, static_cast<size_t>(bytes));
}
/// Copies as many elements as both source and destination have.
template <class Group, class T, class ToSize, class FromSize>
__device__ __forceinline__ void memcpy_async(const Group& group, T* to, const ToSize& to_count, const T* from,
                                             const FromSize& from_count) {
  const size_t room = static_cast<size_t>(to_count);
  const size_t there = static_cast<size_t>(from_count);
  castor_detail::copy_by_group(group, to, from, (room < there ? room : there) * sizeof(T));
}

/// Waits until the group's copies are complete.
template <class Group>
__device__ __forceinline__ void wait(const Group& group) {
  group.sync();
}
/// Waits until the group's copies, except the kLatest latest ones, are complete.
template <unsigned int kLatest, class Group>
__device__ __forceinline__ void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif
