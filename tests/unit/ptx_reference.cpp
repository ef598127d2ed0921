#include "unit/ptx_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "unit/isa_float_reference.h"

namespace castor::test::ptx_reference {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;
using u64 = std::uint64_t;

/// Type that a dotted part names: kind 'u', 's', 'b', 'f' (float), 'h' (bfloat), 'p'; width in bits.
struct Type {
  char kind = 0;
  unsigned bits = 0;
};

Type type_of(const std::string& part) {
  if (part == "pred") return {'p', 1};
  if (part == "bf16") return {'h', 16};
  if (part.size() < 2 || std::string_view("usbf").find(part[0]) == std::string_view::npos) return {};
  for (const unsigned bits : {8U, 16U, 32U, 64U})
    if (part.substr(1) == std::to_string(bits)) return {part[0], bits};
  return {};
}

struct Slot {
  unsigned at;
  unsigned bytes;
};

/// Returns the offset of a register in a lane's record.
Slot slot_of(std::string_view name) {
  const std::string_view family = name.substr(0, name.find_first_of("0123456789"));
  const auto index = static_cast<unsigned>(std::atoi(std::string(name.substr(family.size())).c_str()));
  if (index > 5) return {0, 0};
  if (family == "%r") return {4 * index, 4};
  if (family == "%f") return {24 + 4 * index, 4};
  if (family == "%h") return {48 + 2 * index, 2};
  if (family == "%p" && index < 4) return {60 + index, 1};
  if (family == "%rd") return {64 + 8 * index, 8};
  if (family == "%fd") return {112 + 8 * index, 8};
  return {0, 0};
}

u64 mask(unsigned bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }
std::int64_t extended(u64 value, unsigned bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}
/// Returns the number that the low bits of a value represent.
Wide number(u64 value, Type t) {
  return t.kind == 's' ? Wide{extended(value, t.bits)} : static_cast<Wide>(value & mask(t.bits));
}
Wide clamped(Wide value, Type t) {
  const Wide most = static_cast<Wide>(mask(t.bits - (t.kind == 's' ? 1 : 0)));
  const Wide least = t.kind == 's' ? -most - 1 : Wide{0};
  return value < least ? least : value > most ? most : value;
}
u64 low(Wide value) { return static_cast<u64>(static_cast<UnsignedWide>(value)); }

const Format& format_of(Type t) { return t.kind == 'h' ? kBf16 : t.bits == 16 ? kF16 : t.bits == 32 ? kF32 : kF64; }

struct Form {
  std::string opcode;
  std::vector<std::string> parts;
  std::vector<std::string> operands;
  std::vector<Type> types;

  [[nodiscard]] bool has(std::string_view part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }
  [[nodiscard]] bool any(std::initializer_list<const char*> words) const {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return has(word); });
  }
  [[nodiscard]] Type type(std::size_t index = 0) const { return index < types.size() ? types[index] : Type{}; }
  [[nodiscard]] Mode mode() const {
    if (any({"rz", "rzi"})) return Mode::kZero;
    if (any({"rm", "rmi"})) return Mode::kDown;
    return any({"rp", "rpi"}) ? Mode::kUp : Mode::kNearest;
  }
};

Form parse(std::string text) {
  Form form;
  text.erase(std::remove(text.begin(), text.end(), ';'), text.end());
  const std::size_t space = text.find(' ');
  std::string head = text.substr(0, space);
  for (std::size_t at = 0; at <= head.size();) {
    const std::size_t next = std::min(head.find('.', at), head.size());
    const std::string part = head.substr(at, next - at);
    if (at == 0)
      form.opcode = part;
    else
      form.parts.push_back(part);
    if (at != 0 && type_of(part).bits != 0) form.types.push_back(type_of(part));
    at = next + 1;
  }
  int depth = 0;
  std::string operand;
  for (const char c : space == std::string::npos ? std::string() : text.substr(space)) {
    if (c == ' ') continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if ((c == ',' || c == '|') && depth == 0) {
      form.operands.push_back(operand);
      operand.clear();
    } else {
      operand += c;
    }
  }
  if (!operand.empty()) form.operands.push_back(operand);
  return form;
}

std::vector<std::string> elements_of(const std::string& operand) {
  std::vector<std::string> result;
  if (operand.empty() || operand[0] != '{') return {operand};
  for (std::size_t at = 1; at < operand.size();) {
    const std::size_t next = operand.find_first_of(",}", at);
    result.push_back(operand.substr(at, next - at));
    at = next + 1;
  }
  return result;
}

/// Returns the bits of a constant: an integer modulo 2^64, or a floating-point pattern.
u64 constant(const std::string& text) {
  const bool negative = text[0] == '-';
  const std::string digits = negative ? text.substr(1) : text;
  if (digits.size() > 1 && (digits[1] == 'f' || digits[1] == 'd'))
    return std::strtoull(digits.c_str() + 2, nullptr, 16);
  u64 value = 0;
  if (digits.size() > 1 && digits[1] == 'x') {
    for (const char c : digits.substr(2))
      value = value * 16 + static_cast<u64>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  } else {
    for (const char c : digits) value = value * 10 + static_cast<u64>(c - '0');
  }
  return negative ? 0 - value : value;
}

/// Execution of one instruction for all lanes of a warp.
class Execution {
 public:
  Execution(Form form, std::vector<Lane>& warp) : form_(std::move(form)), warp_(warp), before_(warp) {}

  bool run() {
    if (warp_wide()) return true;
    for (lane_ = 0; lane_ < warp_.size(); ++lane_)
      if (!lane()) return false;
    return true;
  }

 private:
  // ---- operands

  [[nodiscard]] const std::string& text(std::size_t index) const { return form_.operands.at(index); }
  [[nodiscard]] u64 read(const std::string& operand) const {
    if (operand[0] == '!') return read(operand.substr(1)) ^ 1;
    if (operand[0] == '%') return before_[lane_].get(operand);
    return constant(operand);
  }
  [[nodiscard]] u64 source(std::size_t index, unsigned bits) const { return read(text(index)) & mask(bits); }
  [[nodiscard]] Wide value(std::size_t index, Type t) const { return number(read(text(index)), t); }
  void write(const std::string& operand, u64 result) {
    if (operand != "_") warp_[lane_].set(operand, result);
  }
  bool result(u64 bits) {
    write(text(0), bits);
    return true;
  }
  bool result(Wide bits) { return result(low(bits)); }

  bool lane() {
    return integer() || bits() || comparison() || floating() || conversion() || movement() || memory() || video();
  }

  // ---- integers

  bool integer() {
    const std::string& op = form_.opcode;
    const Type t = form_.type();
    if (t.bits == 0 || t.kind == 'f' || t.kind == 'h' || t.kind == 'p' || t.kind == 'b') return packed();
    const bool sat = form_.has("sat");
    if (form_.has("cc") || form_.has("relu")) return relu();
    if (op == "add" || op == "sub") {
      const Wide sum = op == "add" ? value(1, t) + value(2, t) : value(1, t) - value(2, t);
      return result(sat ? clamped(sum, t) : sum);
    }
    if (op == "mul" || op == "mad") {
      // The bits of it; of two unsigned numbers of 64 bits the upper half is made apart.
      const auto product =
          static_cast<Wide>(static_cast<UnsignedWide>(value(1, t)) * static_cast<UnsignedWide>(value(2, t)));
      const Type twice{t.kind, 2 * t.bits};
      const bool wide = form_.has("wide");
      Wide sum = wide || form_.has("lo") ? product : product >> t.bits;
      if (t.bits == 64 && t.kind == 'u' && form_.has("hi"))
        sum = static_cast<Wide>(static_cast<UnsignedWide>(value(1, t)) * static_cast<UnsignedWide>(value(2, t)) >> 64);
      if (op == "mad")
        sum = static_cast<Wide>(static_cast<UnsignedWide>(sum) + static_cast<UnsignedWide>(value(3, wide ? twice : t)));
      return result(sat ? clamped(sum, t) : sum);
    }
    if (op == "mul24" || op == "mad24") {
      const Type part{t.kind, 24};
      const Wide product = value(1, part) * value(2, part);
      Wide sum = form_.has("lo") ? product : product >> 16;
      if (form_.has("hi")) sum = number(low(sum), t);
      if (op == "mad24") sum += value(3, t);
      return result(sat ? clamped(sum, t) : sum);
    }
    if (op == "sad")
      return result((value(1, t) > value(2, t) ? value(1, t) - value(2, t) : value(2, t) - value(1, t)) + value(3, t));
    if (op == "div") return result(value(2, t) == 0 ? Wide{-1} : value(1, t) / value(2, t));
    if (op == "rem") return result(value(2, t) == 0 ? value(1, t) : value(1, t) % value(2, t));
    if (op == "abs") return result(value(1, t) < 0 ? -value(1, t) : value(1, t));
    if (op == "neg") return result(-value(1, t));
    if (op == "min") return result(std::min(value(1, t), value(2, t)));
    if (op == "max") return result(std::max(value(1, t), value(2, t)));
    if (op == "dp4a" || op == "dp2a") {
      const unsigned width = op == "dp4a" ? 8 : 16;
      Wide sum = value(3, {'s', 32});
      for (unsigned i = 0; i < 32 / width; ++i) {
        const u64 a = source(1, 32) >> (width * i);
        const u64 b = source(2, 32) >> (8 * i + (form_.has("hi") ? 16 : 0));
        sum += number(a, {t.kind, width}) * number(b, {form_.type(1).kind, 8});
      }
      return result(sum);
    }
    return false;
  }

  bool relu() {
    if (form_.has("cc")) return false;
    const Type t = form_.type();
    if (form_.opcode != "min" && form_.opcode != "max") return false;
    const Wide picked = form_.opcode == "min" ? std::min(value(1, t), value(2, t)) : std::max(value(1, t), value(2, t));
    return result(std::max(picked, Wide{0}));
  }

  /// Executes an instruction on two 16-bit integers packed in one register.
  bool packed() {
    const std::string& op = form_.opcode;
    if (!form_.any({"u16x2", "s16x2"}) || (op != "add" && op != "min" && op != "max")) return false;
    const Type t{form_.has("s16x2") ? 's' : 'u', 16};
    u64 both = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const Wide a = number(source(1, 32) >> (16 * i), t);
      const Wide b = number(source(2, 32) >> (16 * i), t);
      Wide one = op == "add" ? a + b : op == "min" ? std::min(a, b) : std::max(a, b);
      if (form_.has("relu")) one = std::max(one, Wide{0});
      both |= (low(one) & 0xffff) << (16 * i);
    }
    return result(both);
  }

  // ---- bits

  bool bits() {
    const std::string& op = form_.opcode;
    const Type t = form_.type();
    const unsigned n = t.bits;
    const unsigned amount = form_.operands.size() > 2 ? static_cast<unsigned>(source(2, 32)) : 0;
    if (op == "and") return result(source(1, n) & source(2, n));
    if (op == "or") return result(source(1, n) | source(2, n));
    if (op == "xor") return result(source(1, n) ^ source(2, n));
    if (op == "not") return result(~source(1, n) & mask(n));
    if (op == "cnot") return result(u64{source(1, n) == 0});
    if (op == "popc") return result(static_cast<u64>(__builtin_popcountll(source(1, n))));
    if (op == "clz") {
      u64 zeros = 0;
      while (zeros < n && (source(1, n) >> (n - 1 - zeros) & 1) == 0) ++zeros;
      return result(zeros);
    }
    if (op == "brev") {
      u64 reversed = 0;
      for (unsigned i = 0; i < n; ++i) reversed |= (source(1, n) >> i & 1) << (n - 1 - i);
      return result(reversed);
    }
    if (op == "bfind") {
      u64 a = source(1, n);
      if (t.kind == 's' && (a >> (n - 1) & 1) != 0) a = ~a & mask(n);
      u64 found = 0xffffffff;
      for (unsigned i = 0; i < n; ++i)
        if ((a >> i & 1) != 0) found = i;
      return result(form_.has("shiftamt") && found != 0xffffffff ? n - 1 - found : found);
    }
    if (op == "bfe") {
      const auto first = static_cast<unsigned>(source(2, 8));
      const auto count = static_cast<unsigned>(source(3, 8));
      const u64 a = source(1, n);
      const bool sign = t.kind == 's' && count != 0 && (a >> std::min(first + count - 1, n - 1) & 1) != 0;
      u64 field = 0;
      for (unsigned i = 0; i < n; ++i)
        field |= u64{i < count && first + i < n ? (a >> (first + i) & 1) != 0 : sign} << i;
      return result(field);
    }
    if (op == "bfi") {
      const auto first = static_cast<unsigned>(source(3, 8));
      const auto count = static_cast<unsigned>(source(4, 8));
      u64 field = source(2, n);
      for (unsigned i = 0; i < count && first + i < n; ++i)
        field = (field & ~(u64{1} << (first + i))) | (source(1, n) >> i & 1) << (first + i);
      return result(field);
    }
    if (op == "shl") return result(amount >= n ? u64{0} : source(1, n) << amount & mask(n));
    if (op == "shr")
      return result(t.kind == 's' ? static_cast<u64>(extended(source(1, n), n) >> std::min(amount, n - 1)) & mask(n)
                    : amount >= n ? u64{0}
                                  : source(1, n) >> amount);
    if (op == "shf") {
      const auto wanted = static_cast<unsigned>(source(3, 32));
      const unsigned by = form_.has("clamp") ? std::min(wanted, 32U) : wanted & 31;
      const u64 pair = source(2, 32) << 32 | source(1, 32);
      return result(form_.has("l") ? (static_cast<u64>(static_cast<UnsignedWide>(pair) << by >> 32)) & mask(32)
                                   : pair >> by & mask(32));
    }
    if (op == "bmsk") {
      const bool clamp = form_.has("clamp");
      const u64 a = source(1, 32);
      const u64 b = source(2, 32);
      const u64 first = clamp ? std::min<u64>(a, 32) : a & 31;
      const u64 count = clamp ? std::min<u64>(b, 32) : b & 31;
      return result(mask(static_cast<unsigned>(count)) << first & mask(32));
    }
    if (op == "szext") {
      const u64 b = source(2, 32);
      const u64 count = form_.has("wrap") ? b & 31 : std::min<u64>(b, 32);
      if (count == 0) return result(u64{0});
      const auto width = static_cast<unsigned>(count);
      return result(low(number(source(1, 32), {t.kind, width})) & mask(32));
    }
    if (op == "lop3" && form_.operands.size() == 5) {
      u64 out = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const u64 row = (source(1, 32) >> i & 1) << 2 | (source(2, 32) >> i & 1) << 1 | (source(3, 32) >> i & 1);
        out |= (source(4, 8) >> row & 1) << i;
      }
      return result(out);
    }
    if (op == "prmt") return result(permuted());
    return false;
  }

  [[nodiscard]] u64 permuted() const {
    const u64 bytes = source(2, 32) << 32 | source(1, 32);
    const u64 c = source(3, 32);
    static constexpr struct {
      const char* name;
      const char* orders[4];  // orders of bytes 3 to 0, by the low two bits of c
    } kModes[] = {{"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
                  {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
                  {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
    u64 out = 0;
    for (unsigned i = 0; i < 4; ++i) {
      u64 pick = c >> (4 * i) & 0xf;
      for (const auto& mode : kModes)
        if (form_.has(mode.name)) pick = static_cast<u64>(mode.orders[c & 3][3 - i] - '0');
      u64 byte = bytes >> (8 * (pick & 7)) & 0xff;
      if ((pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      out |= byte << (8 * i);
    }
    return out;
  }

  // ---- comparisons

  [[nodiscard]] bool compares(Type t) const {
    const std::string& cmp = form_.parts[0];
    const std::size_t first =
        form_.opcode == "setp" && form_.operands.size() > (form_.any({"and", "or", "xor"}) ? 4 : 3) ? 2 : 1;
    u64 a = source(first, t.bits);
    u64 b = source(first + 1, t.bits);
    if (t.kind == 'f' || t.kind == 'h') {
      const Format& f = format_of(t);
      if (form_.has("ftz")) {
        a = f.flushed(a);
        b = f.flushed(b);
      }
      const bool nan = f.is_nan(a) || f.is_nan(b);
      if (cmp == "num") return !nan;
      if (cmp == "nan") return nan;
      if (nan) return cmp.size() == 3;
      const auto key = [&](u64 v) {
        const auto magnitude = static_cast<Wide>(v & (f.sign() - 1));
        return f.negative(v) ? -magnitude : magnitude;
      };
      return ordered(cmp.substr(0, 2), key(a), key(b));
    }
    const Type as = cmp == "lo" || cmp == "ls" || cmp == "hi" || cmp == "hs" ? Type{'u', t.bits} : t;
    static constexpr const char* kUnsigned[4][2] = {{"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
    std::string name = cmp;
    for (const auto& pair : kUnsigned)
      if (name == pair[0]) name = pair[1];
    return ordered(name, number(a, as), number(b, as));
  }
  static bool ordered(const std::string& cmp, Wide a, Wide b) {
    if (cmp == "eq") return a == b;
    if (cmp == "ne") return a != b;
    if (cmp == "lt") return a < b;
    if (cmp == "le") return a <= b;
    return cmp == "gt" ? a > b : a >= b;
  }
  [[nodiscard]] bool combined(bool compare) const {
    if (!form_.any({"and", "or", "xor"})) return compare;
    const bool c = source(form_.operands.size() - 1, 1) != 0;
    return form_.has("and") ? compare && c : form_.has("or") ? compare || c : compare != c;
  }

  bool comparison() {
    const std::string& op = form_.opcode;
    if (op == "setp") {
      if (form_.types.size() != 1) return false;
      const bool holds = compares(form_.type());
      write(text(0), combined(holds) ? 1 : 0);
      if (form_.operands.size() > (form_.any({"and", "or", "xor"}) ? 4U : 3U)) write(text(1), combined(!holds) ? 1 : 0);
      return true;
    }
    if (op == "set") {
      if (form_.types.size() != 2 || form_.type().bits == 16) return false;
      const bool holds = combined(compares(form_.type(1)));
      return result(!holds ? u64{0} : form_.type().kind == 'f' ? u64{0x3f800000} : u64{0xffffffff});
    }
    if (op == "selp") return result(source(source(3, 1) != 0 ? 1 : 2, form_.type().bits));
    if (op == "slct" && !form_.has("ftz")) {
      const u64 c = source(3, 32);
      const bool first =
          form_.type(1).kind == 's' ? (c >> 31) == 0 : !kF32.is_nan(c) && (kF32.is_zero(c) || (c >> 31) == 0);
      return result(source(first ? 1 : 2, form_.type().bits));
    }
    return false;
  }

  // ---- floating point

  bool floating() {
    const std::string& op = form_.opcode;
    const bool pair = form_.any({"f16x2", "bf16x2"});
    Type t = form_.type();
    if (pair) t = form_.has("bf16x2") ? Type{'h', 16} : Type{'f', 16};
    if ((t.kind != 'f' && t.kind != 'h') || (!pair && form_.types.size() != 1)) return false;
    if (op == "testp") {
      const Format& f = format_of(t);
      const u64 a = source(1, t.bits);
      const bool normal = f.flushed(a) == a && !f.is_zero(a) && !f.is_infinite(a) && !f.is_nan(a);
      if (form_.has("finite")) return result(u64{!f.is_infinite(a) && !f.is_nan(a)});
      if (form_.has("infinite")) return result(u64{f.is_infinite(a)});
      if (form_.has("number")) return result(u64{!f.is_nan(a)});
      if (form_.has("notanumber")) return result(u64{f.is_nan(a)});
      return result(u64{form_.has("normal") ? normal : f.flushed(a) != a});
    }
    if (op == "copysign") {
      const u64 sign = u64{1} << (t.bits - 1);
      return result((source(2, t.bits) & ~sign) | (source(1, t.bits) & sign));
    }
    static constexpr const char* kKnown[] = {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"};
    if (std::find(std::begin(kKnown), std::end(kKnown), op) == std::end(kKnown)) return false;
    if (form_.any({"approx", "full", "cc"})) return false;
    u64 out = 0;
    for (unsigned i = 0; i < (pair ? 2U : 1U); ++i) {
      u64 s[3] = {};
      for (unsigned k = 0; k < 3 && k + 1 < form_.operands.size(); ++k)
        s[k] = read(text(k + 1)) >> (16 * i) & mask(t.bits);
      out |= computed(op, t, s) << (16 * i);
    }
    return result(out);
  }

  [[nodiscard]] u64 computed(const std::string& op, Type t, u64* s) const {
    const Format& f = format_of(t);
    const Mode mode = form_.mode();
    const bool ftz = form_.has("ftz");
    if (ftz)
      for (unsigned k = 0; k < 3; ++k) s[k] = f.flushed(s[k]);
    u64 out = 0;
    if (op == "add") out = add_of(s[0], s[1], f, mode);
    if (op == "sub") out = add_of(s[0], f.is_nan(s[1]) ? s[1] : s[1] ^ f.sign(), f, mode);
    if (op == "mul") out = mul_of(s[0], s[1], f, mode);
    if (op == "fma" || op == "mad") out = fma_of(s[0], s[1], s[2], f, mode);
    if (op == "div") out = div_of(s[0], s[1], f, mode);
    if (op == "rcp") out = div_of(f.one(), s[0], f, mode);
    if (op == "sqrt") out = sqrt_of(s[0], f, mode);
    if (ftz) out = f.flushed(out);
    if (form_.has("sat")) out = saturated(out, f);
    if (form_.has("relu") && !f.is_nan(out) && f.negative(out)) out = 0;
    return out;
  }

  // ---- conversions

  /// Returns the magnitude of a finite 8-bit float.
  static double small_value(unsigned code, bool e5m2) {
    const int fraction = e5m2 ? 2 : 3;
    const int least = e5m2 ? -14 : -6;
    const int field = static_cast<int>(code) >> fraction;
    const double digits = static_cast<double>(code & ((1U << fraction) - 1)) + (field != 0 ? (1 << fraction) : 0);
    return std::ldexp(digits, least + std::max(field, 1) - 1 - fraction);
  }
  static double double_of(u64 bits, const Format& f) {
    const u64 wide = convert_of(bits, f, kF64, Mode::kNearest);
    double value = 0;
    std::memcpy(&value, &wide, 8);
    return value;
  }
  /// Returns the nearest finite 8-bit float; of two equally near ones, the even one.
  [[nodiscard]] u64 small(u64 bits, const Format& f, bool e5m2) const {
    if (f.is_nan(bits)) return 0x7f;
    if (form_.has("relu") && f.negative(bits)) return 0;
    const unsigned most = e5m2 ? 0x7b : 0x7e;
    const double largest = small_value(most, e5m2);
    const double wanted = f.is_infinite(bits) ? largest : std::min(std::fabs(double_of(bits, f)), largest);
    unsigned best = 0;
    for (unsigned code = 1; code <= most; ++code) {
      const double nearer = std::fabs(small_value(code, e5m2) - wanted);
      const double before = std::fabs(small_value(best, e5m2) - wanted);
      if (nearer < before || (nearer == before && code % 2 == 0)) best = code;
    }
    return best | (f.negative(bits) ? 0x80U : 0U);
  }
  bool small_floats() {
    const bool e5m2 = form_.has("e5m2x2");
    if (form_.parts.back() == "f32")
      return result(small(source(1, 32), kF32, e5m2) << 8 | small(source(2, 32), kF32, e5m2));
    u64 out = 0;
    for (unsigned i = 0; i < 2; ++i) {
      if (form_.parts.back() == "f16x2") {
        out |= small(source(1, 32) >> (16 * i) & 0xffff, kF16, e5m2) << (8 * i);
        continue;
      }
      const u64 code = source(1, 16) >> (8 * i) & 0xff;
      const bool negative = (code & 0x80) != 0;
      const auto magnitude = static_cast<unsigned>(code & 0x7f);
      u64 half = 0x7fff;
      if (magnitude <= (e5m2 ? 0x7bU : 0x7eU)) {
        const double value = small_value(magnitude, e5m2);
        u64 wide = 0;
        std::memcpy(&wide, &value, 8);
        half = convert_of(wide, kF64, kF16, Mode::kNearest) | (negative ? 0x8000U : 0U);
        if (form_.has("relu") && negative) half = 0;
      } else if (e5m2 && magnitude == 0x7c) {
        half = form_.has("relu") && negative ? 0U : negative ? 0xfc00U : 0x7c00U;
      }
      out |= half << (16 * i);
    }
    return result(out);
  }

  bool conversion() {
    if (form_.opcode == "cvt" && form_.any({"e4m3x2", "e5m2x2"})) return small_floats();
    if (form_.opcode != "cvt" || form_.any({"relu", "satfinite", "pack"}) || form_.types.size() != 2) return false;
    const Type to = form_.type(0);
    const Type from = form_.type(1);
    u64 a = source(1, from.bits);
    const auto real = [](Type t) { return t.kind == 'f' || t.kind == 'h'; };
    if (!real(to) && !real(from)) {
      const Wide v = number(a, from);
      return extended_result(form_.has("sat") ? low(clamped(v, to)) : low(v), to);
    }
    if (!real(to)) {
      const Format& f = format_of(from);
      if (form_.has("ftz")) a = f.flushed(a);
      // docs/ptx-coverage.md: NaN gives 0, or the top bit if 64 bits are involved.
      if (f.is_nan(a)) return extended_result(to.bits == 64 || from.bits == 64 ? u64{1} << (to.bits - 1) : 0, to);
      const Wide most = static_cast<Wide>(mask(to.bits - (to.kind == 's' ? 1 : 0)));
      const Wide least = to.kind == 's' ? -most - 1 : Wide{0};
      if (f.is_infinite(a)) return extended_result(low(f.negative(a) ? least : most), to);
      const Integer whole = integer_of(a, f, form_.mode());
      if (whole < Integer(least)) return extended_result(low(least), to);
      if (whole > Integer(most)) return extended_result(low(most), to);
      return extended_result(low(static_cast<Wide>(whole)), to);
    }
    const Format& f = format_of(to);
    u64 out = 0;
    if (!real(from)) {
      const Wide v = number(a, from);
      out = v == 0 ? 0 : encode({v < 0, Integer(v < 0 ? -v : v), 0, false}, f, form_.mode());
    } else {
      if (form_.any({"rni", "rzi", "rmi", "rpi"})) return false;
      const Format& g = format_of(from);
      if (form_.has("ftz") && from.bits == 32) a = g.flushed(a);
      if (to.kind == from.kind && to.bits == from.bits) {
        if (g.is_nan(a)) return false;
        out = a;
      } else {
        out = convert_of(a, g, f, form_.mode());
      }
      if (form_.has("ftz") && to.bits == 32) out = f.flushed(out);
    }
    return result(form_.has("sat") ? saturated(out, f) : out);
  }
  /// Registers wider than the type are filled by its sign or by zeros.
  bool extended_result(u64 bits, Type t) {
    return result(t.kind == 's' ? static_cast<u64>(extended(bits, t.bits)) : bits & mask(t.bits));
  }

  // ---- moves and memory

  bool movement() {
    if (form_.opcode == "mov" && form_.operands.size() == 2 && form_.type().bits != 0) {
      if (text(1)[0] == '%' && slot_of(text(1)).bytes == 0) return false;
      if (text(1)[0] != '%' && text(1)[0] != '{' && text(1)[0] != '-' && (text(1)[0] < '0' || text(1)[0] > '9'))
        return false;
      if (text(1).find('.') != std::string::npos) return false;
      u64 whole = 0;
      unsigned at = 0;
      for (const std::string& part : elements_of(text(1))) {
        const unsigned bits = part[0] == '%' ? 8 * slot_of(part).bytes : form_.type().bits;
        whole |= (read(part) & mask(bits)) << at;
        at += bits;
      }
      at = 0;
      const auto to = elements_of(text(0));
      for (const std::string& part : to) {
        const unsigned bits = form_.type().bits / static_cast<unsigned>(to.size());
        write(part, whole >> at & mask(bits));
        at += bits;
      }
      return true;
    }
    if (form_.opcode == "mapa") return result(source(1, form_.type().bits));
    if (form_.opcode == "getctarank") return result(u64{0});
    if (form_.opcode == "isspacep" && text(1) == "%rd13") return result(u64{form_.has("global")});
    return false;
  }

  /// Returns the offset in the lane's record of the memory that an address names, or 0.
  static unsigned memory_at(const std::string& address) {
    if (address == "[%rd10]" || address == "[%rd13]") return 160;
    if (address == "[%rd11]" || address == "[%r11]") return 224;
    return address == "[%rd12]" ? 288 : 0;
  }
  [[nodiscard]] u64 load(unsigned at, unsigned bytes) const {
    u64 bits = 0;
    std::memcpy(&bits, &before_[lane_].bytes[at], bytes);
    return bits;
  }
  void store(unsigned at, u64 bits, unsigned bytes) { std::memcpy(&warp_[lane_].bytes[at], &bits, bytes); }

  bool memory() {
    const std::string& op = form_.opcode;
    const Type t = form_.type();
    if (t.bits < 8) return false;
    const unsigned bytes = t.bits / 8;
    if (op == "ld" || op == "ldu") {
      unsigned at = memory_at(text(1));
      if (at == 0) return false;
      for (const std::string& part : elements_of(text(0))) {
        const u64 bits = load(at, bytes);
        write(part, t.kind == 's' ? static_cast<u64>(extended(bits, t.bits)) : bits);
        at += bytes;
      }
      return true;
    }
    if (op == "st") {
      unsigned at = memory_at(text(0));
      if (at == 0) return false;
      for (const std::string& part : elements_of(text(1))) {
        store(at, read(part), bytes);
        at += bytes;
      }
      return true;
    }
    if (op == "atom" || op == "red") {
      const std::size_t first = op == "atom" ? 1 : 0;
      const unsigned at = memory_at(text(first));
      if (at == 0 || form_.has("noftz")) return false;
      const u64 old = load(at, bytes);
      store(at, updated(old, source(first + 1, t.bits), first), bytes);
      if (op == "atom") write(text(0), old);
      return true;
    }
    return false;
  }
  [[nodiscard]] u64 updated(u64 old, u64 b, std::size_t first) const {
    const Type t = form_.type();
    if (form_.has("and")) return old & b;
    if (form_.has("or")) return old | b;
    if (form_.has("xor")) return old ^ b;
    if (form_.has("exch")) return b;
    if (form_.has("cas")) return old == b ? source(first + 2, t.bits) : old;
    if (form_.has("inc")) return old >= b ? 0 : old + 1;
    if (form_.has("dec")) return old == 0 || old > b ? b : old - 1;
    if (form_.has("min")) return low(std::min(number(old, t), number(b, t)));
    if (form_.has("max")) return low(std::max(number(old, t), number(b, t)));
    return t.kind == 'f' ? add_of(old, b, format_of(t), Mode::kNearest) : old + b;
  }

  // ---- video

  bool video() {
    const std::string& op = form_.opcode;
    static constexpr const char* kScalar[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    std::string base = op;
    unsigned width = 32;
    if (op.back() == '2' || op.back() == '4') {
      base.pop_back();
      width = op.back() == '2' ? 16 : 8;
    }
    if (std::find(std::begin(kScalar), std::end(kScalar), base) == std::end(kScalar) || form_.types.size() != 3)
      return false;
    for (const std::string& operand : form_.operands)
      if (operand.find('.') != std::string::npos) return false;
    const Type d{form_.type(0).kind, width};
    const bool add = form_.has("add");
    Wide sum = add ? value(3, form_.type(0)) : 0;
    u64 lanes = 0;
    for (unsigned at = 0; at < 32; at += width) {
      const Wide a = number(source(1, 32) >> at, {form_.type(1).kind, width});
      const Wide b = number(source(2, 32) >> at, {form_.type(2).kind, width});
      Wide one = base == "vadd" ? a + b : base == "vsub" ? a - b : base == "vmin" ? std::min(a, b) : std::max(a, b);
      if (base == "vabsdiff") one = a > b ? a - b : b - a;
      if (form_.has("sat")) one = clamped(one, d);
      if (width != 32 && add) {
        sum += one;
        continue;
      }
      const Wide cut = number(low(one), d);
      if (add) {
        sum += cut;
      } else if (form_.any({"min", "max"})) {
        const Wide c = value(3, d);
        lanes = low(form_.has("min") ? std::min(cut, c) : std::max(cut, c)) & mask(32);
      } else {
        lanes |= (low(one) & mask(width)) << at;
      }
    }
    return result(add ? low(sum) & mask(32) : lanes);
  }

  // ---- the whole warp

  [[nodiscard]] u64 across(std::size_t index, unsigned bits, unsigned lane) {
    lane_ = lane;
    return source(index, bits);
  }
  void everywhere(std::size_t operand, u64 bits) {
    for (lane_ = 0; lane_ < warp_.size(); ++lane_) write(text(operand), bits);
  }
  [[nodiscard]] u64 ballot(std::size_t operand) {
    u64 mask = 0;
    for (unsigned i = 0; i < 32; ++i) mask |= across(operand, 1, i) << i;
    return mask;
  }

  bool warp_wide() {
    const std::string& op = form_.opcode;
    if (op == "activemask") return everywhere(0, 0xffffffff), true;
    if (op == "vote") {
      const u64 holds = ballot(1);
      if (form_.has("ballot")) return everywhere(0, holds), true;
      const bool all = holds == 0xffffffff;
      everywhere(0, form_.has("all") ? all : form_.has("any") ? holds != 0 : all || holds == 0);
      return true;
    }
    if ((op == "bar" || op == "barrier") && form_.has("red") && form_.operands.size() == 3) {
      const u64 holds = ballot(2);
      everywhere(0, form_.has("popc")  ? static_cast<u64>(__builtin_popcountll(holds))
                    : form_.has("and") ? holds == 0xffffffff
                                       : holds != 0);
      return true;
    }
    if (op == "match" && form_.has("any")) {
      const unsigned bits = form_.type().bits;
      for (unsigned i = 0; i < 32; ++i) {
        const u64 mine = across(1, bits, i);
        u64 same = 0;
        for (unsigned j = 0; j < 32; ++j) same |= u64{across(1, bits, j) == mine} << j;
        lane_ = i;
        write(text(0), same);
      }
      return true;
    }
    if (op == "redux" && form_.type().bits == 32 && form_.type().kind != 'f') {
      const Type t = form_.type();
      Wide all = number(across(1, 32, 0), t);
      for (unsigned i = 1; i < 32; ++i) {
        const Wide one = number(across(1, 32, i), t);
        all = form_.has("add")   ? all + one
              : form_.has("min") ? std::min(all, one)
              : form_.has("max") ? std::max(all, one)
              : form_.has("and") ? all & one
              : form_.has("or")  ? all | one
                                 : all ^ one;
      }
      everywhere(0, low(all) & mask(32));
      return true;
    }
    if (op == "shfl" && form_.operands.size() == 5 && text(2) == "1" && text(3) == "31" && !form_.has("up")) {
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned from = form_.has("idx") ? 1 : form_.has("bfly") ? i ^ 1 : std::min(i + 1, 31U);
        const u64 bits = across(1, 32, from);
        lane_ = i;
        write(text(0), bits);
      }
      return true;
    }
    if (op == "elect") {
      everywhere(0, 0);
      for (lane_ = 0; lane_ < 32; ++lane_) write(text(1), lane_ == 0 ? 1 : 0);
      return text(1)[0] == '%' && form_.operands.back() == "-1";
    }
    return false;
  }

  Form form_;
  std::vector<Lane>& warp_;
  std::vector<Lane> before_;
  std::size_t lane_ = 0;
};

}  // namespace

std::uint64_t Lane::get(std::string_view name) const {
  const Slot slot = slot_of(name);
  u64 value = 0;
  std::memcpy(&value, &bytes.at(slot.at), slot.bytes);
  return value;
}

void Lane::set(std::string_view name, std::uint64_t value) {
  const Slot slot = slot_of(name);
  std::memcpy(&bytes.at(slot.at), &value, slot.bytes);
}

bool execute(const std::string& form, std::vector<Lane>& warp) {
  const Form parsed = parse(form);
  for (const std::string& operand : parsed.operands) {
    // Registers that the record does not hold, except in addresses.
    for (const std::string& part : elements_of(operand)) {
      if (part.empty()) return false;
      const std::string_view name = part[0] == '!' ? std::string_view(part).substr(1) : part;
      if (name[0] == '%' && name.find('.') == std::string_view::npos && slot_of(name).bytes == 0 && part != "%rd13" &&
          part != "%rd14")
        return false;
    }
  }
  std::vector<Lane> after = warp;
  if (!Execution(parsed, after).run()) return false;
  warp = std::move(after);
  return true;
}

}  // namespace castor::test::ptx_reference
