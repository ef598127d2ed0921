#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::isa {

/// Register state of one warp for handlers and memory steps. Each register is one contiguous row of `lanes` 32-bit
/// elements. A 64-bit value takes an aligned pair of registers, whose two rows hold `lanes` contiguous 64-bit elements.
struct RegisterView {
  std::byte* registers = nullptr;        ///< register row 0, 64-byte aligned
  const std::byte* constants = nullptr;  ///< constant row 0 of the program, broadcast to `lanes` elements
  LaneMask* predicates = nullptr;        ///< 8 predicate registers, one mask each
  unsigned lanes = 32;

  [[nodiscard]] std::size_t row_bytes() const { return std::size_t{lanes} * 4; }
  [[nodiscard]] std::byte* dst(OperandIndex index) const { return registers + index * row_bytes(); }
  /// Returns the row of a source operand: a register or a constant. For an absent operand (kNoOperand) the address is
  /// invalid and never read; it is computed from integers because pointer arithmetic out of bounds is undefined.
  [[nodiscard]] const std::byte* src(OperandIndex index) const {
    const bool constant = index >= kConstantOperand;
    const auto base = reinterpret_cast<std::uintptr_t>(constant ? constants : registers);
    return reinterpret_cast<const std::byte*>(base + (constant ? index - kConstantOperand : index) * row_bytes());
  }
};

/// One memory instruction of one warp in flight. `address` makes it. The machine calls `perform_lane` for each active
/// lane in lane order to exchange data with memory. `complete` ends it. Generic addresses are not resolved here.
struct Access {
  MemoryOp op{};
  LaneMask mask = 0;                 ///< lanes that access memory
  std::uint32_t lane_bytes = 0;      ///< bytes per lane: element size x elements
  std::uint64_t address[kMaxLanes];  ///< address per lane as the program computed it, offset included
  /// `lane_bytes` bytes per lane at [lane * 16]: store data and atomic operand before the access, loaded data after it.
  alignas(64) std::byte data[kMaxLanes * 16];
  alignas(
      64) std::byte compare[kMaxLanes * 8];  ///< cas: value to compare with, at [lane * 8]; `data` holds the new value
};

/// Step 1: computes addresses and collects store data and atomic operands of the lanes in `mask`. Only reads registers.
/// A record without address register (src[0] = kNoOperand) has its absolute address in `imm`.
void address(const Record& record, const RegisterView& view, LaneMask mask, Access& access);

/// Step 2, for one lane: exchanges bytes with memory at `where`, which the machine has translated and checked. A load
/// fills `access.data`, a store writes it to memory. An atomic updates memory and leaves the old value in
/// `access.data`.
void perform_lane(Access& access, unsigned lane, std::byte* where);

/// Performs one atomic operation, as `perform_lane` does, on the value of `type` (2, 4 or 8 bytes) at `where`. Only the
/// low bits of `operand` and `compare` (compare-and-swap only) are used. Returns the old value, zero-extended.
std::uint64_t perform_atomic(AtomicOp op, Type type, std::uint64_t operand, std::uint64_t compare, std::byte* where);

/// Step 3: extends loaded data to the register's width and writes the destination rows. Does nothing for stores and
/// reductions.
void complete(const Record& record, const RegisterView& view, const Access& access);

}  // namespace castor::isa
