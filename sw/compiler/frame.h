#pragma once

#include <cstdint>

#include "compiler/builder.h"
#include "compiler/ir.h"

namespace castor::compiler {

/// Frame of a function in local memory: its size, loads and stores at known places, and the stack pointer.
class Frame {
 public:
  Frame(Builder& build, Code& code) : build_(build), code_(code) {}

  /// Sets up the stack register at function entry: the kernel initialises it, a function with a frame on the stack
  /// advances it.
  void enter();
  void leave();
  /// Returns the offset of a new object in the frame.
  std::uint64_t allocate(std::uint64_t size, std::uint64_t align);
  void load(RegisterId to, LocalBase base, std::uint64_t offset, unsigned size);
  void store(const Value& from, LocalBase base, std::uint64_t offset, unsigned size);
  void copy(LocalBase to, std::uint64_t to_offset, LocalBase from, std::uint64_t from_offset, std::uint64_t size);

 private:
  void move_stack_pointer(const char* spelling);

  Builder& build_;
  Code& code_;
};

/// Returns the class of a register that holds a value of `size` bytes.
[[nodiscard]] inline RegisterClass class_of_size(std::uint64_t size) {
  return size > 4 ? RegisterClass::kPair : RegisterClass::kSingle;
}

}  // namespace castor::compiler
