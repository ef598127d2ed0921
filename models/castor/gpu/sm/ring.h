#pragma once

#include <cstddef>
#include <vector>

namespace castor::gpu {

/// FIFO queue of fixed capacity in a ring buffer.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : capacity_(capacity) {
    std::size_t places = 1;
    while (places < capacity) places *= 2;
    items_.resize(places);
    mask_ = places - 1;
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] bool empty() const { return end_ == begin_; }
  [[nodiscard]] bool full() const { return size() >= capacity_; }
  /// Changes the number of items at which the queue is full, to at most the capacity it was made with.
  void limit(std::size_t items) { capacity_ = items; }
  /// Appends an item; the queue must not be full.
  void push_back(const T& item) { items_[end_++ & mask_] = item; }
  [[nodiscard]] T& front() { return items_[begin_ & mask_]; }
  [[nodiscard]] const T& front() const { return items_[begin_ & mask_]; }
  void pop_front() { ++begin_; }
  /// Removes the item at `index`, counted from the front.
  void erase(std::size_t index) {
    for (; index != 0; --index) items_[(begin_ + index) & mask_] = items_[(begin_ + index - 1) & mask_];
    ++begin_;
  }
  /// Returns the item at `index`, counted from the front; `index` must be below `size`.
  [[nodiscard]] const T& at(std::size_t index) const { return items_[(begin_ + index) & mask_]; }

 private:
  std::size_t capacity_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t mask_ = 0;  // number of items in items_ (a power of two) minus one
  std::vector<T> items_;
};

}  // namespace castor::gpu
