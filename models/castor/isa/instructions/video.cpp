// Video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions") on whole operands: the forms
// without byte or half-word selectors, which CUDA's SIMD intrinsics use. One handler decodes all of them from the
// record, since these instructions are rare.

#include <limits>

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

using u32 = std::uint32_t;
using s64 = std::int64_t;

enum class Video : unsigned { kAdd, kSub, kAbsDiff, kMin, kMax, kAverage, kShl, kShr, kEq, kNe, kLt, kLe, kGt, kGe };
enum class Second : unsigned { kNone, kAdd, kMin, kMax };

/// Decoded content of the row's immediate.
struct Mode {
  Video op;
  Second second;
  bool signed_d, signed_a, signed_b;
  bool saturate;
  bool wrap;       ///< shift amounts are taken modulo 32
  unsigned parts;  ///< parts per word: 1, 2 or 4

  [[nodiscard]] std::uint64_t bits() const {
    return static_cast<unsigned>(op) | static_cast<unsigned>(second) << 4 | (signed_d ? 1u << 6 : 0) |
           (signed_a ? 1u << 7 : 0) | (signed_b ? 1u << 8 : 0) | (saturate ? 1u << 9 : 0) | (wrap ? 1u << 10 : 0) |
           parts << 11;
  }
  static Mode of(std::uint64_t bits) {
    return {static_cast<Video>(bits & 15), static_cast<Second>(bits >> 4 & 3),
            (bits >> 6 & 1) != 0,          (bits >> 7 & 1) != 0,
            (bits >> 8 & 1) != 0,          (bits >> 9 & 1) != 0,
            (bits >> 10 & 1) != 0,         static_cast<unsigned>(bits >> 11 & 7)};
  }
};

std::uint64_t mode_of(const Match& match) {
  Mode mode{};
  const std::string& opcode = match.row().opcode;
  const std::string name =
      opcode.back() == '2' || opcode.back() == '4' ? opcode.substr(1, opcode.size() - 2) : opcode.substr(1);
  mode.parts = opcode.back() == '2' ? 2 : opcode.back() == '4' ? 4 : 1;
  const std::string_view cmp = match["cmp"];
  const std::pair<std::string_view, Video> names[] = {
      {"add", Video::kAdd}, {"sub", Video::kSub},      {"absdiff", Video::kAbsDiff}, {"min", Video::kMin},
      {"max", Video::kMax}, {"avrg", Video::kAverage}, {"shl", Video::kShl},         {"shr", Video::kShr},
      {"eq", Video::kEq},   {"ne", Video::kNe},        {"lt", Video::kLt},           {"le", Video::kLe},
      {"gt", Video::kGt},   {"ge", Video::kGe}};
  for (const auto& [text, op] : names)
    if (text == name || text == cmp) mode.op = op;
  const std::string_view second = match["op2"];
  mode.second = second == "add"   ? Second::kAdd
                : second == "min" ? Second::kMin
                : second == "max" ? Second::kMax
                                  : Second::kNone;
  mode.signed_d = match.type("d") == Type::kS32;
  mode.signed_a = match.type("t") == Type::kS32;
  mode.signed_b = match.type("u") == Type::kS32;
  mode.saturate = match.has("sat");
  mode.wrap = match.has("wrap");
  return mode.bits();
}

s64 part(u32 value, unsigned index, unsigned width, bool is_signed) {
  const std::uint64_t field = static_cast<std::uint64_t>(value) >> (index * width) << (64 - width);
  return is_signed ? static_cast<s64>(field) >> (64 - width) : static_cast<s64>(field >> (64 - width));
}

s64 primary(const Mode& mode, s64 a, s64 b) {
  switch (mode.op) {
    case Video::kAdd:
      return a + b;
    case Video::kSub:
      return a - b;
    case Video::kAbsDiff:
      return a < b ? b - a : a - b;
    case Video::kMin:
      return a < b ? a : b;
    case Video::kMax:
      return a > b ? a : b;
    case Video::kAverage:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Video::kShl: {
      const s64 n = mode.wrap ? b & 31 : b > 32 ? 32 : b;
      // A shift by 32 leaves 0 in the word. The value must exceed the word's range, so that a clamp saturates.
      if (n == 32) return a == 0 ? 0 : a > 0 ? s64{1} << 40 : -(s64{1} << 40);
      return a * (s64{1} << n);
    }
    case Video::kShr:
      return a >> (mode.wrap ? b & 31 : b > 32 ? 32 : b);
    case Video::kEq:
      return a == b ? 1 : 0;
    case Video::kNe:
      return a != b ? 1 : 0;
    case Video::kLt:
      return a < b ? 1 : 0;
    case Video::kLe:
      return a <= b ? 1 : 0;
    case Video::kGt:
      return a > b ? 1 : 0;
    case Video::kGe:
      return a >= b ? 1 : 0;
  }
  return 0;
}

s64 clamped(s64 value, unsigned width, bool is_signed) {
  const s64 high = (s64{1} << (is_signed ? width - 1 : width)) - 1;
  const s64 low = is_signed ? -high - 1 : 0;
  return value < low ? low : value > high ? high : value;
}

u32 compute(const Mode& mode, u32 a, u32 b, u32 c) {
  const unsigned width = 32 / mode.parts;
  const u32 mask = width == 32 ? ~u32{0} : (u32{1} << width) - 1;
  u32 merged = 0;
  u32 sum = c;
  s64 last = 0;
  for (unsigned i = 0; i < mode.parts; ++i) {
    s64 value = primary(mode, part(a, i, width, mode.signed_a), part(b, i, width, mode.signed_b));
    if (mode.saturate) value = clamped(value, width, mode.signed_d);
    merged |= (static_cast<u32>(value) & mask) << (i * width);
    sum += static_cast<u32>(value);
    last = value;
  }
  switch (mode.second) {
    case Second::kAdd:
      return sum;
    case Second::kMin:
    case Second::kMax: {
      // The values are compared in the destination's type.
      const s64 x = part(static_cast<u32>(last), 0, 32, mode.signed_d);
      const s64 y = part(c, 0, 32, mode.signed_d);
      return static_cast<u32>((x < y) == (mode.second == Second::kMin) ? x : y);
    }
    case Second::kNone:
      break;
  }
  return merged;
}

void video_two(const Record& record, LaneArgs& args) {
  const Mode mode = Mode::of(record.imm);
  map<u32, u32, u32>(args, [mode](u32 a, u32 b) { return compute(mode, a, b, 0); });
}
void video_three(const Record& record, LaneArgs& args) {
  const Mode mode = Mode::of(record.imm);
  map<u32, u32, u32, u32>(args, [mode](u32 a, u32 b, u32 c) { return compute(mode, a, b, c); });
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(video) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto row = [&](const std::string& syntax, const char* operands, LaneFn (*select)(const Match&),
                       const std::string& meaning) {
    table.add_pure({syntax, operands, TimingClass::kInt, Kind::kLane, select, mode_of, meaning});
  };
  const std::string types = ".{d:u32|s32}.{t:u32|s32}.{u:u32|s32}.[sat]";
  struct Operation {
    const char* name;
    const char* meaning;
    bool scalar;
  };
  const Operation operations[] = {{"vadd", "a + b", true},          {"vsub", "a - b", true},
                                  {"vabsdiff", "|a - b|", true},    {"vmin", "the smaller one", true},
                                  {"vmax", "the larger one", true}, {"vavrg", "rounded average", false}};
  for (const Operation& operation : operations) {
    const std::string name = operation.name;
    const std::string meaning = operation.meaning;
    for (const char* parts : {"2", "4"}) {
      const std::string where = *parts == '2' ? " of half-words" : " of bytes";
      row(name + parts + types, "=d:d, a:t, b:u, c:d", always<video_three>, meaning + where);
      row(name + parts + types + ".{op2:add}", "=d:d, a:t, b:u, c:d", always<video_three>,
          meaning + where + ", summed with c");
    }
    if (!operation.scalar) continue;
    row(name + types, "=d:d, a:t, b:u", always<video_two>, meaning + " in 34 bits");
    row(name + types + ".{op2:add|min|max}", "=d:d, a:t, b:u, c:d", always<video_three>,
        meaning + " in 34 bits, then combined with c");
  }
  for (const char* name : {"vshl", "vshr"}) {
    const std::string shift = std::string(name) + ".{d:u32|s32}.{t:u32|s32}.{u:u32}.[sat].{clamp|wrap}";
    row(shift, "=d:d, a:t, b:u", always<video_two>, "a shifted by b");
    row(shift + ".{op2:add|min|max}", "=d:d, a:t, b:u, c:d", always<video_three>, "a shifted by b, combined with c");
  }
  const std::string compare = ".{t:u32|s32}.{u:u32|s32}.{cmp:eq|ne|lt|le|gt|ge}";
  row("vset" + compare, "=d:u32, a:t, b:u", always<video_two>, "1 if a cmp b, else 0");
  row("vset" + compare + ".{op2:add|min|max}", "=d:u32, a:t, b:u, c:u32", always<video_three>,
      "1 if a cmp b, else 0; combined with c");
  for (const char* parts : {"2", "4"}) {
    row(std::string("vset") + parts + compare, "=d:u32, a:t, b:u, c:u32", always<video_three>,
        "1 where a cmp b, else 0");
    row(std::string("vset") + parts + compare + ".{op2:add}", "=d:u32, a:t, b:u, c:u32", always<video_three>,
        "number of parts in which a cmp b, plus c");
  }
  table.refuse("vmad", "write it as mad or mul.wide and shifts");
}
