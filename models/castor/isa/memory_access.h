#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::isa {

/// Register state of one warp as handlers and memory steps see it: one row of `lanes` 32-bit elements per register,
/// contiguous; a 64-bit value takes an aligned pair whose two rows hold `lanes` contiguous 64-bit elements.
struct RegisterView {
  std::byte* registers = nullptr;        ///< row 0, 64-byte aligned
  const std::byte* constants = nullptr;  ///< constant row 0 of the program, broadcast to `lanes` elements
  LaneMask* predicates = nullptr;        ///< 8 masks
  unsigned lanes = 32;

  [[nodiscard]] std::size_t row_bytes() const { return std::size_t{lanes} * 4; }
  [[nodiscard]] std::byte* dst(OperandIndex index) const { return registers + index * row_bytes(); }
  /// Row of a source operand: a register or a constant. Of an absent one (kNoOperand) an address at which nothing lies,
  /// and which nobody reads: hence a sum of numbers, not of a pointer.
  [[nodiscard]] const std::byte* src(OperandIndex index) const {
    const bool constant = index >= kConstantOperand;
    const auto base = reinterpret_cast<std::uintptr_t>(constant ? constants : registers);
    return reinterpret_cast<const std::byte*>(base + (constant ? index - kConstantOperand : index) * row_bytes());
  }
};

/// One memory instruction of one warp on its way through memory. Made by `address`, exchanged with memory by the
/// machine (`perform_lane` for each active lane, in lane order), ended by `complete`. Generic addresses are not
/// resolved here.
struct Access {
  MemoryOp op{};
  LaneMask mask = 0;                 ///< lanes that access
  std::uint32_t lane_bytes = 0;      ///< bytes per lane: element size x elements
  std::uint64_t address[kMaxLanes];  ///< per lane, as the program computed it (offset added)
  /// Per lane `lane_bytes` bytes at [lane * 16]: store data and atomic operand on the way in, loaded data on the way
  /// out.
  alignas(64) std::byte data[kMaxLanes * 16];
  alignas(
      64) std::byte compare[kMaxLanes * 8];  ///< cas: value compared with, at [lane * 8]; `data` holds the new value
};

/// First step: addresses, store data and atomic operands of the lanes in `mask`. Reads registers only. A record without
/// address register (src[0] = kNoOperand) names the absolute address in `imm`.
void address(const Record& record, const RegisterView& view, LaneMask mask, Access& access);

/// Second step, one lane: exchanges bytes with memory at `where` (which the machine found and checked). Loads fill
/// `access.data`, stores empty it, atomics replace memory and leave the old value in `access.data`.
void perform_lane(Access& access, unsigned lane, std::byte* where);

/// One atomic operation on the value of `type` (2, 4 or 8 bytes) at `where`: the operation of an atomic or reduction in
/// `perform_lane`. Low bits of `operand` and `compare` (compare-and-swap only) count. Returns the old value, zero-
/// extended.
std::uint64_t perform_atomic(AtomicOp op, Type type, std::uint64_t operand, std::uint64_t compare, std::byte* where);

/// Third step: extends loaded data to the register's width and writes the destination rows. Nothing for stores and
/// reductions.
void complete(const Record& record, const RegisterView& view, const Access& access);

}  // namespace castor::isa
