#include "compiler/frame.h"

#include <algorithm>

namespace castor::compiler {

using isa::InstructionTable;

void Frame::enter() {
  code_.stack_pointer = code_.make_fixed(RegisterClass::kSingle, kStackRegister);
  if (code_.kernel) return build_.copy(code_.stack_pointer, Value::constant(0, false, LocalBase::kStack));
  code_.entry_registers.push_back(code_.stack_pointer);
  if (code_.on_stack) move_stack_pointer("add.u32");
}

void Frame::leave() {
  if (code_.on_stack) move_stack_pointer("sub.u32");
  code_.exit_registers.push_back(code_.stack_pointer);
}

void Frame::move_stack_pointer(const char* spelling) {
  isa::LookupError ignored;
  Inst inst = inst_of(InstructionTable::instance().find(spelling, ignored));
  inst.dst = Value::of(code_.stack_pointer);
  inst.src[0] = inst.dst;
  inst.src[1] = Value::constant(0, false, LocalBase::kSize);
  build_.emit(inst);
}

std::uint64_t Frame::allocate(std::uint64_t size, std::uint64_t align) {
  const std::uint64_t offset = align_up(code_.frame_bytes, std::max<std::uint64_t>(align, 1));
  code_.frame_bytes = offset + size;
  code_.frame_align = std::max(code_.frame_align, align);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  if (code_.frame_bytes > kMost) build_.error("local variables take more than 1 GB per thread", "use smaller arrays");
  return offset;
}

void Frame::load(RegisterId to, LocalBase base, std::uint64_t offset, unsigned size) {
  Inst inst = local_access(true, build_.class_of(to), base, offset, size);
  inst.dst = Value::of(to);
  build_.emit(inst);
}

void Frame::store(const Value& from, LocalBase base, std::uint64_t offset, unsigned size) {
  const RegisterClass cls = from.is_register() ? build_.class_of(from.reg) : class_of_size(size);
  Inst inst = local_access(false, cls, base, offset, size);
  inst.src[1] = from;
  build_.emit(inst);
}

void Frame::copy(LocalBase to, std::uint64_t to_offset, LocalBase from, std::uint64_t from_offset, std::uint64_t size) {
  for (std::uint64_t at = 0; at < size;) {
    unsigned piece = 4;
    while (piece > size - at || (to_offset + at) % piece != 0 || (from_offset + at) % piece != 0) piece /= 2;
    const RegisterId word = code_.make(RegisterClass::kSingle);
    load(word, from, from_offset + at, piece);
    store(Value::of(word), to, to_offset + at, piece);
    at += piece;
  }
}

}  // namespace castor::compiler
