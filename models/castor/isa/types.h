#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace castor::isa {

/// One bit per lane of a warp, lane 0 in bit 0. A machine has 32 or 64 lanes per warp; unused bits are 0.
using LaneMask = std::uint64_t;

/// Largest number of lanes of a warp on any machine.
inline constexpr unsigned kMaxLanes = 64;

/// PTX fundamental types (PTX ISA, "Fundamental Types"). `kB*` are untyped bits.
enum class Type : std::uint8_t {
  kNone,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,
  kF32,
  kF64,
  kPred,
};

/// Returns the width in bits of a value of `type`; 1 for predicates, 0 for `kNone`.
[[nodiscard]] constexpr unsigned bits(Type type) {
  switch (type) {
    case Type::kNone:
      return 0;
    case Type::kPred:
      return 1;
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return 8;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
      return 16;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF16x2:
    case Type::kBf16x2:
    case Type::kTf32:
    case Type::kF32:
      return 32;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return 64;
    case Type::kB128:
      return 128;
  }
  return 0;
}

/// Returns the size in memory, in bytes.
[[nodiscard]] constexpr unsigned bytes(Type type) { return bits(type) / 8; }

[[nodiscard]] constexpr bool is_signed(Type type) { return type >= Type::kS8 && type <= Type::kS64; }
[[nodiscard]] constexpr bool is_unsigned(Type type) { return type >= Type::kU8 && type <= Type::kU64; }
[[nodiscard]] constexpr bool is_untyped(Type type) { return type >= Type::kB8 && type <= Type::kB128; }
[[nodiscard]] constexpr bool is_float(Type type) { return type >= Type::kF16 && type <= Type::kF64; }

/// Returns the number of 32-bit registers of one value: 1 up to 32 bits, 2 for 64 bits (an aligned pair); 0 for
/// predicates.
[[nodiscard]] constexpr unsigned registers(Type type) {
  return type == Type::kPred ? 0 : bits(type) <= 32 ? 1 : bits(type) / 32;
}

/// Returns the type's name in PTX without the dot: "u32", "pred".
[[nodiscard]] std::string_view name(Type type);

/// Returns the type that PTX calls `text` (without the dot), if it exists.
[[nodiscard]] std::optional<Type> type_from_name(std::string_view text);

/// State spaces (PTX ISA, "State Spaces"). `kGeneric` is an access that names no space.
enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kReg };

/// Returns the space's name in PTX without the dot; "generic" for `kGeneric`.
[[nodiscard]] std::string_view name(Space space);

/// Windows of the generic address space (docs/gpu/program.md, "Address map").
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 44;
inline constexpr std::uint64_t kLocalWindow = (std::uint64_t{1} << 44) + (std::uint64_t{1} << 40);
inline constexpr std::uint64_t kWindowSize = std::uint64_t{1} << 40;
/// The host accesses global address g of managed or pinned memory at kHostWindow + g.
inline constexpr std::uint64_t kHostWindow = std::uint64_t{1} << 45;

}  // namespace castor::isa
