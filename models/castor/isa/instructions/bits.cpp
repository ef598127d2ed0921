// Bit counting, bit fields, byte permutation (PTX ISA, "Integer Arithmetic Instructions" and "prmt").

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Straight-line arithmetic, so that the compiler vectorises the lanes on processors without a population count for
// vectors.
struct PopulationCount {
  static u32 of(u32 a) {
    a -= (a >> 1) & 0x55555555u;
    a = (a & 0x33333333u) + ((a >> 2) & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    return (a * 0x01010101u) >> 24;
  }
  static u32 of(u64 a) { return of(static_cast<u32>(a)) + of(static_cast<u32>(a >> 32)); }
};
struct LeadingZeros {
  static u32 of(u32 a) { return a == 0 ? 32 : static_cast<u32>(__builtin_clz(a)); }
  static u32 of(u64 a) { return a == 0 ? 64 : static_cast<u32>(__builtin_clzll(a)); }
};
/// Counting instructions have a 32-bit result for any operand width.
template <class Op>
struct Count {
  template <class T>
  struct For {
    static void run(const Record&, LaneArgs& args) {
      map<u32, T>(args, [](T a) { return Op::of(a); });
    }
  };
};
template <class Op>
LaneFn select_count(const Match& match) {
  return bits(match.type("t")) == 64 ? &Count<Op>::template For<u64>::run : &Count<Op>::template For<u32>::run;
}

struct Reverse {
  static u32 of(u32 a) {
    a = (a & 0x55555555u) << 1 | ((a >> 1) & 0x55555555u);
    a = (a & 0x33333333u) << 2 | ((a >> 2) & 0x33333333u);
    a = (a & 0x0f0f0f0fu) << 4 | ((a >> 4) & 0x0f0f0f0fu);
    return __builtin_bswap32(a);
  }
  static u64 of(u64 a) { return u64{of(static_cast<u32>(a))} << 32 | of(static_cast<u32>(a >> 32)); }
};
LaneFn select_reverse(const Match& match) {
  return bits(match.type("t")) == 64 ? &Unary<Reverse>::For<u64>::run : &Unary<Reverse>::For<u32>::run;
}

/// Returns the position of the most significant bit that is not a sign bit; all ones if no such bit exists.
template <class T, bool Shift>
void find_bit(const Record&, LaneArgs& args) {
  using U = std::make_unsigned_t<T>;
  map<u32, T>(args, [](T a) {
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0) return ~u32{0};
    const u32 zeros = LeadingZeros::of(bits);
    return Shift ? zeros : kBits<T> - 1 - zeros;
  });
}
LaneFn select_find_bit(const Match& match) {
  const bool shift = match.has("shiftamt");
  switch (match.type("t")) {
    case Type::kU32:
      return shift ? &find_bit<u32, true> : &find_bit<u32, false>;
    case Type::kS32:
      return shift ? &find_bit<std::int32_t, true> : &find_bit<std::int32_t, false>;
    case Type::kU64:
      return shift ? &find_bit<u64, true> : &find_bit<u64, false>;
    case Type::kS64:
      return shift ? &find_bit<std::int64_t, true> : &find_bit<std::int64_t, false>;
    default:
      return nullptr;
  }
}

/// Extracts the bit field of `len` bits that starts at `pos`. For signed types, bits above the field or the register
/// are copies of the field's top bit, or of the register's top bit if the field extends beyond the register.
template <class T>
struct ExtractField {
  static void run(const Record&, LaneArgs& args) {
    using U = std::make_unsigned_t<T>;
    map<T, T, u32, u32>(args, [](T a, u32 b, u32 c) {
      constexpr u32 kTop = kBits<T> - 1;
      const u32 pos = b & 0xff;
      const u32 len = c & 0xff;
      U value = pos > kTop ? U{0} : static_cast<U>(static_cast<U>(a) >> pos);
      const u32 present = pos > kTop ? 0 : kBits<T> - pos;  // bits of the register from `pos` up
      const u32 width = len < present ? len : present;
      const U mask = width > kTop ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << width) - 1);
      value &= mask;
      if constexpr (std::is_signed_v<T>) {
        const u32 last = pos + len - 1 < kTop ? pos + len - 1 : kTop;
        if (len != 0 && (static_cast<U>(a) >> last & 1) != 0) value |= static_cast<U>(~mask);
      }
      return static_cast<T>(value);
    });
  }
};
LaneFn select_extract(const Match& match) {
  switch (match.type("t")) {
    case Type::kU32:
      return &ExtractField<u32>::run;
    case Type::kS32:
      return &ExtractField<std::int32_t>::run;
    case Type::kU64:
      return &ExtractField<u64>::run;
    case Type::kS64:
      return &ExtractField<std::int64_t>::run;
    default:
      return nullptr;
  }
}

template <class T>
struct InsertField {
  static void run(const Record&, LaneArgs& args) {
    map<T, T, T, u32, u32>(args, [](T a, T b, u32 c, u32 d) {
      const u32 pos = c & 0xff;
      const u32 len = d & 0xff;
      if (pos >= kBits<T>) return b;
      const T ones = len >= kBits<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << len) - 1);
      const T mask = static_cast<T>(ones << pos);
      return static_cast<T>((b & ~mask) | ((a << pos) & mask));
    });
  }
};
LaneFn select_insert(const Match& match) {
  return bits(match.type("t")) == 64 ? &InsertField<u64>::run : &InsertField<u32>::run;
}

/// Finds the offset-th set bit, counted from `base` upwards for positive offsets, downwards for negative ones.
void find_nth(const Record&, LaneArgs& args) {
  map<u32, u32, u32, std::int32_t>(args, [](u32 mask, u32 base, std::int32_t offset) {
    if (base > 31) return ~u32{0};
    if (offset == 0) return (mask >> base & 1) != 0 ? base : ~u32{0};
    const int step = offset > 0 ? 1 : -1;
    u32 left = offset > 0 ? static_cast<u32>(offset) : 0u - static_cast<u32>(offset);
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
      if ((mask >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
    return ~u32{0};
  });
}

/// Computes a mask with ones at bits [a, a + b).
template <bool Clamp>
void bit_mask(const Record&, LaneArgs& args) {
  map<u32, u32, u32>(args, [](u32 a, u32 b) {
    if (Clamp && a >= 32) return u32{0};
    const u32 from = ~u32{0} << (a & 31);
    const u32 sum = (a & 31) + (b & 31);
    if (Clamp && b >= 32) return from;
    if (sum >= 32) return from;
    return from & ~(~u32{0} << sum);
  });
}

/// Extends the low b bits of a, by sign or by zeros.
template <bool Clamp, bool Signed>
void extend_bits(const Record&, LaneArgs& args) {
  map<u32, u32, u32>(args, [](u32 a, u32 b) {
    if (Clamp && b >= 32) return a;
    const u32 width = b & 31;
    if (width == 0) return u32{0};
    const u32 above = ~u32{0} << width;
    const bool negative = Signed && (a >> (width - 1) & 1) != 0;
    return negative ? a | above : a & ~above;
  });
}
LaneFn select_extend(const Match& match) {
  const bool is_signed = match.type("t") == Type::kS32;
  if (match.has("clamp")) return is_signed ? &extend_bits<true, true> : &extend_bits<true, false>;
  return is_signed ? &extend_bits<false, true> : &extend_bits<false, false>;
}

// Computes prmt. Bits 0-2 of a selector nibble choose one of the eight bytes of b:a; bit 3 replaces the byte by its
// sign.
u32 permute(u32 a, u32 b, u32 selector) {
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const u32 nibble = selector >> (4 * i);
    const u32 word = (nibble & 4) != 0 ? b : a;
    const u32 byte = word >> (8 * (nibble & 3)) & 0xff;
    const u32 sign = (byte >> 7) * 0xff;
    result |= ((nibble & 8) != 0 ? sign : byte) << (8 * i);
  }
  return result;
}
void permute_any(const Record&, LaneArgs& args) {
  map<u32, u32, u32, u32>(args, [](u32 a, u32 b, u32 c) { return permute(a, b, c); });
}
/// Computes prmt modes with four fixed patterns; the row's immediate holds the selectors, 16 bits each.
void permute_mode(const Record& record, LaneArgs& args) {
  const u64 patterns = record.imm;
  map<u32, u32, u32, u32>(args, [patterns](u32 a, u32 b, u32 c) {
    return permute(a, b, static_cast<u32>(patterns >> (16 * (c & 3))) & 0xffff);
  });
}
std::uint64_t permute_patterns(const Match& match) {
  const std::string_view mode = match["mode"];
  if (mode == "f4e") return 0x6543'5432'4321'3210u;
  if (mode == "b4e") return 0x0123'7012'6701'5670u;
  if (mode == "rc8") return 0x3333'2222'1111'0000u;
  if (mode == "ecl") return 0x3333'3222'3211'3210u;
  if (mode == "ecr") return 0x3210'2210'1110'0000u;
  return 0x3232'1010'3232'1010u;  // rc16
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(bits) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto row = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning,
                       std::uint64_t (*immediate)(const Match&) = nullptr) {
    table.add_pure({syntax, operands, TimingClass::kInt, Kind::kLane, select, immediate, meaning});
  };
  const auto count = [&](const char* syntax, const char* operands, TimingClass timing, LaneFn (*select)(const Match&),
                         const char* meaning) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, nullptr, meaning});
  };
  count("popc.{t:b32|b64}", "=d:u32, a:t", TimingClass::kPopc, select_count<PopulationCount>, "number of ones");
  count("clz.{t:b32|b64}", "=d:u32, a:t", TimingClass::kClz, select_count<LeadingZeros>, "number of leading zeros");
  count("brev.{t:b32|b64}", "=d:t, a:t", TimingClass::kPopc, select_reverse, "bits in reverse order");
  count("bfind.[shiftamt].{t:u32|s32|u64|s64}", "=d:u32, a:t", TimingClass::kClz, select_find_bit,
        "most significant bit that is no sign, or the shift that brings it to the top; all ones if none");
  row("bfe.{t:u32|s32|u64|s64}", "=d:t, a:t, b:u32, c:u32", select_extract, "c bits of a from bit b on, extended");
  row("bfi.{t:b32|b64}", "=f:t, a:t, b:t, c:u32, d:u32", select_insert, "b with the low d bits of a at bit c");
  row("fns.b32", "=d:b32, mask:b32, base:b32, offset:s32", always<find_nth>,
      "position of the offset-th set bit from base on; all ones if none");
  row("bmsk.clamp.b32", "=d:b32, a:u32, b:u32", always<bit_mask<true>>, "b ones from bit a on");
  row("bmsk.wrap.b32", "=d:b32, a:u32, b:u32", always<bit_mask<false>>, "b mod 32 ones from bit a mod 32 on");
  row("szext.{clamp|wrap}.{t:u32|s32}", "=d:t, a:t, b:u32", select_extend, "low b bits of a, extended");
  row("prmt.b32", "=d:b32, a:b32, b:b32, c:b32", always<permute_any>, "four bytes of b:a picked by the nibbles of c");
  row("prmt.b32.{mode:f4e|b4e|rc8|ecl|ecr|rc16}", "=d:b32, a:b32, b:b32, c:u32", always<permute_mode>,
      "bytes of b:a in one of four orders picked by c", permute_patterns);
}
