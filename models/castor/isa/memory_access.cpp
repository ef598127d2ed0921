#include "castor/isa/memory_access.h"

#include <cmath>
#include <cstring>

#include "castor/base/error.h"
#include "castor/isa/half_float.h"

namespace castor::isa {
namespace {

template <class F>
inline void for_each_lane(LaneMask mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctzll(mask)));
}

template <class T>
inline T get(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
inline void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Copies `Reg` elements of a register row to `Mem` values in the lanes' data.
template <class Mem, class Reg>
void gather(const std::byte* row, LaneMask mask, std::byte* data, std::size_t stride) {
  for_each_lane(
      mask, [&](unsigned lane) { put(data + lane * stride, static_cast<Mem>(get<Reg>(row + lane * sizeof(Reg)))); });
}

/// Copies `Mem` values in the lanes' data to `Reg` elements of a register row; a signed `Mem` is sign-extended.
template <class Mem, class Reg>
void scatter(std::byte* row, LaneMask mask, const std::byte* data) {
  for_each_lane(mask, [&](unsigned lane) {
    put(row + lane * sizeof(Reg), static_cast<Reg>(get<Mem>(data + lane * std::size_t{16})));
  });
}

void gather_element(const MemoryOp& op, const std::byte* row, LaneMask mask, std::byte* data, std::size_t stride) {
  const bool wide = op.register_bits == 64;
  switch (bytes(op.type)) {
    case 1:
      return wide ? gather<std::uint8_t, std::uint64_t>(row, mask, data, stride)
                  : gather<std::uint8_t, std::uint32_t>(row, mask, data, stride);
    case 2:
      return wide ? gather<std::uint16_t, std::uint64_t>(row, mask, data, stride)
                  : gather<std::uint16_t, std::uint32_t>(row, mask, data, stride);
    case 4:
      return wide ? gather<std::uint32_t, std::uint64_t>(row, mask, data, stride)
                  : gather<std::uint32_t, std::uint32_t>(row, mask, data, stride);
    default:
      CASTOR_ASSERT(bytes(op.type) == 8 && wide, "a %u-bit access with %u-bit registers", bits(op.type),
                    static_cast<unsigned>(op.register_bits));
      return gather<std::uint64_t, std::uint64_t>(row, mask, data, stride);
  }
}

template <class Reg>
void scatter_element(Type type, std::byte* row, LaneMask mask, const std::byte* data) {
  switch (type) {
    case Type::kS8:
      return scatter<std::int8_t, Reg>(row, mask, data);
    case Type::kS16:
      return scatter<std::int16_t, Reg>(row, mask, data);
    case Type::kS32:
      return scatter<std::int32_t, Reg>(row, mask, data);
    default:
      break;
  }
  switch (bytes(type)) {
    case 1:
      return scatter<std::uint8_t, Reg>(row, mask, data);
    case 2:
      return scatter<std::uint16_t, Reg>(row, mask, data);
    case 4:
      return scatter<std::uint32_t, Reg>(row, mask, data);
    default:
      CASTOR_ASSERT(bytes(type) == sizeof(Reg), "a %u-bit access with %zu-bit registers", bits(type), 8 * sizeof(Reg));
      return scatter<std::uint64_t, Reg>(row, mask, data);
  }
}

// Floating-point additions of atomics: round to nearest even, denormals kept in every space. (The hardware flushes them
// in some spaces, which PTX allows.) NaN results are those of the arithmetic instructions.
float sum(float a, float b) {
  const float result = a + b;
  return std::isnan(result) ? get<float>(reinterpret_cast<const std::byte*>("\xff\xff\xff\x7f")) : result;
}

double sum(double a, double b) {
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51;
  constexpr std::uint64_t kInvalid = 0xfff8000000000000u;
  const auto quieted = [](double nan) {
    std::uint64_t value;
    std::memcpy(&value, &nan, sizeof value);
    value |= kQuiet;
    std::memcpy(&nan, &value, sizeof value);
    return nan;
  };
  if (std::isnan(a)) return quieted(a);
  if (std::isnan(b)) return quieted(b);
  const double result = a + b;
  if (!std::isnan(result)) return result;
  double invalid;
  std::memcpy(&invalid, &kInvalid, sizeof invalid);
  return invalid;
}

std::uint16_t sum_f16(std::uint16_t a, std::uint16_t b) {
  // Double rounding is harmless, since float has at least 2 * 11 + 2 = 24 bits.
  return half_bits(half_value(a) + half_value(b));
}
std::uint16_t sum_bf16(std::uint16_t a, std::uint16_t b) { return bfloat_bits(bfloat_value(a) + bfloat_value(b)); }

std::uint64_t add(Type type, std::uint64_t a, std::uint64_t b) {
  switch (type) {
    case Type::kF32: {
      const auto ua = static_cast<std::uint32_t>(a);
      const auto ub = static_cast<std::uint32_t>(b);
      float fa;
      float fb;
      std::memcpy(&fa, &ua, 4);
      std::memcpy(&fb, &ub, 4);
      const float result = sum(fa, fb);
      std::uint32_t value;
      std::memcpy(&value, &result, 4);
      return value;
    }
    case Type::kF64: {
      double fa;
      double fb;
      std::memcpy(&fa, &a, 8);
      std::memcpy(&fb, &b, 8);
      const double result = sum(fa, fb);
      std::memcpy(&a, &result, 8);
      return a;
    }
    case Type::kF16:
      return sum_f16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
    case Type::kBf16:
      return sum_bf16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
    case Type::kF16x2:
      return sum_f16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)) |
             std::uint64_t{sum_f16(static_cast<std::uint16_t>(a >> 16), static_cast<std::uint16_t>(b >> 16))} << 16;
    case Type::kBf16x2:
      return sum_bf16(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)) |
             std::uint64_t{sum_bf16(static_cast<std::uint16_t>(a >> 16), static_cast<std::uint16_t>(b >> 16))} << 16;
    default:
      return a + b;
  }
}

/// Compares two values of `type`, which are in the low bits.
bool less(Type type, std::uint64_t a, std::uint64_t b) {
  const unsigned shift = 64 - bits(type);
  if (is_signed(type)) return static_cast<std::int64_t>(a << shift) < static_cast<std::int64_t>(b << shift);
  return a << shift < b << shift;
}

std::uint64_t modified(AtomicOp op, Type type, std::uint64_t old, std::uint64_t operand, std::uint64_t compare) {
  switch (op) {
    case AtomicOp::kAdd:
      return add(type, old, operand);
    case AtomicOp::kMin:
      return less(type, operand, old) ? operand : old;
    case AtomicOp::kMax:
      return less(type, old, operand) ? operand : old;
    case AtomicOp::kAnd:
      return old & operand;
    case AtomicOp::kOr:
      return old | operand;
    case AtomicOp::kXor:
      return old ^ operand;
    case AtomicOp::kExch:
      return operand;
    case AtomicOp::kCas:
      return old == compare ? operand : old;
    case AtomicOp::kInc:
      return old >= operand ? 0 : old + 1;
    case AtomicOp::kDec:
      return old == 0 || old > operand ? operand : old - 1;
  }
  return old;
}

/// Copies `size` bytes. Sizes that accesses have are copied by single moves instead of a call of memcpy.
void move_bytes(std::byte* to, const std::byte* from, unsigned size) {
  switch (size) {
    case 1:
      return put(to, get<std::uint8_t>(from));
    case 2:
      return put(to, get<std::uint16_t>(from));
    case 4:
      return put(to, get<std::uint32_t>(from));
    case 8:
      return put(to, get<std::uint64_t>(from));
    default:
      std::memcpy(to, from, size);
  }
}

template <class T>
T exchange(AtomicOp op, Type type, T operand, T compare, std::byte* where) {
  const T old = get<T>(where);
  put(where, static_cast<T>(modified(op, type, old, operand, compare)));
  return old;
}

template <class T>
void modify(Access& access, unsigned lane, std::byte* where) {
  std::byte* const data = access.data + lane * std::size_t{16};
  const T compare = access.op.atomic == AtomicOp::kCas ? get<T>(access.compare + lane * std::size_t{8}) : T{0};
  put(data, exchange(access.op.atomic, access.op.type, get<T>(data), compare, where));
}

}  // namespace

void address(const Record& record, const RegisterView& view, LaneMask mask, Access& access) {
  const MemoryOp& op = record.memory;
  access.op = op;
  access.mask = mask;
  const unsigned size = bytes(op.type);
  access.lane_bytes = size * op.elements;
  const std::uint64_t offset = record.imm;
  const LaneMask all = view.lanes == 64 ? ~LaneMask{0} : 0xffffffffu;
  if (record.src[0] == kNoOperand) {  // absolute address
    for_each_lane(mask, [&](unsigned lane) { access.address[lane] = offset; });
  } else if (op.address_bits == 64) {
    const std::byte* const base = view.src(record.src[0]);
    const auto at = [&](unsigned lane) {
      access.address[lane] = get<std::uint64_t>(base + lane * std::size_t{8}) + offset;
    };
    if (mask == all)
      for (unsigned lane = 0; lane < view.lanes; ++lane) at(lane);
    else
      for_each_lane(mask, at);
  } else {
    // The offset is signed, and the sum wraps at 32 bits.
    const std::byte* const base = view.src(record.src[0]);
    for_each_lane(mask, [&](unsigned lane) {
      access.address[lane] = static_cast<std::uint32_t>(get<std::uint32_t>(base + lane * std::size_t{4}) +
                                                        static_cast<std::uint32_t>(offset));
    });
  }
  if (record.kind != Kind::kMemory || op.kind == MemoryKind::kLoad) return;
  if (op.kind != MemoryKind::kStore && op.atomic == AtomicOp::kCas) {
    gather_element(op, view.src(record.src[1]), mask, access.compare, 8);
    gather_element(op, view.src(record.src[2]), mask, access.data, 16);
    return;
  }
  const std::byte* row = view.src(record.src[1]);
  const std::size_t step = op.register_bits == 64 ? 2 * view.row_bytes() : view.row_bytes();
  for (unsigned element = 0; element < op.elements; ++element)
    gather_element(op, row + element * step, mask, access.data + element * size, 16);
}

void perform_lane(Access& access, unsigned lane, std::byte* where) {
  std::byte* const data = access.data + lane * std::size_t{16};
  switch (access.op.kind) {
    case MemoryKind::kLoad:
      return move_bytes(data, where, access.lane_bytes);
    case MemoryKind::kStore:
      return move_bytes(where, data, access.lane_bytes);
    case MemoryKind::kAtomic:
    case MemoryKind::kReduction:
      switch (access.lane_bytes) {
        case 2:
          return modify<std::uint16_t>(access, lane, where);
        case 4:
          return modify<std::uint32_t>(access, lane, where);
        default:
          return modify<std::uint64_t>(access, lane, where);
      }
  }
}

std::uint64_t perform_atomic(AtomicOp op, Type type, std::uint64_t operand, std::uint64_t compare, std::byte* where) {
  switch (bytes(type)) {
    case 2:
      return exchange(op, type, static_cast<std::uint16_t>(operand), static_cast<std::uint16_t>(compare), where);
    case 4:
      return exchange(op, type, static_cast<std::uint32_t>(operand), static_cast<std::uint32_t>(compare), where);
    default:
      CASTOR_ASSERT(bytes(type) == 8, "a %u-bit atomic", bits(type));
      return exchange(op, type, operand, compare, where);
  }
}

void complete(const Record& record, const RegisterView& view, const Access& access) {
  const MemoryOp& op = access.op;
  if (op.kind == MemoryKind::kStore || op.kind == MemoryKind::kReduction || record.dst == kNoOperand) return;
  std::byte* row = view.dst(record.dst);
  const bool wide = op.register_bits == 64;
  const std::size_t step = wide ? 2 * view.row_bytes() : view.row_bytes();
  for (unsigned element = 0; element < op.elements; ++element, row += step) {
    const std::byte* const data = access.data + element * std::size_t{bytes(op.type)};
    if (wide)
      scatter_element<std::uint64_t>(op.type, row, access.mask, data);
    else
      scatter_element<std::uint32_t>(op.type, row, access.mask, data);
  }
}

}  // namespace castor::isa
