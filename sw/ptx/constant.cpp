#include "ptx/constant.h"

#include <charconv>
#include <cstring>

#include "castor/base/error.h"

namespace castor::ptx {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// Reads digits into `value`, modulo 2^64. `cut` becomes true if the number is larger than 64 bits.
bool digits(std::string_view text, unsigned base, std::uint64_t& value, bool& cut, std::string& error) {
  value = 0;
  if (text.empty()) {
    error = "a number without digits";
    return false;
  }
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(digit_of(c));
    if (digit >= base) {
      error = std::string("'") + c + "' is no digit of a number to base " + std::to_string(base);
      return false;
    }
    cut = cut || value > (~std::uint64_t{0} - digit) / base;
    value = value * base + digit;
  }
  return true;
}

template <class To, class From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

bool pattern(std::string_view text, std::size_t count, std::uint64_t& value, std::string& error) {
  if (text.size() != count) {
    error = "expected " + std::to_string(count) + " hexadecimal digits in a floating-point pattern, found " +
            std::to_string(text.size());
    return false;
  }
  bool cut = false;
  return digits(text, 16, value, cut, error);
}

std::string type_text(isa::Type type) { return "." + std::string(isa::name(type)); }

}  // namespace

double Constant::as_double() const {
  if (kind == Kind::kSingleBits) return bit_cast<float>(static_cast<std::uint32_t>(bits));
  return bit_cast<double>(bits);
}

Constant Constant::of(double value) { return {Kind::kDouble, bit_cast<std::uint64_t>(value)}; }

bool parse_number(std::string_view text, Constant& value, std::string& error) {
  const char prefix = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
  if (prefix == 'f') {
    value.kind = Constant::Kind::kSingleBits;
    return pattern(text.substr(2), 8, value.bits, error);
  }
  if (prefix == 'd') {
    value.kind = Constant::Kind::kDouble;
    return pattern(text.substr(2), 16, value.bits, error);
  }
  if (prefix != 'x' && prefix != 'b' && text.find_first_of(".eE") != std::string_view::npos) {
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code == std::errc::invalid_argument || end != text.data() + text.size()) {
      error = "a malformed floating-point number";
      return false;
    }
    if (code == std::errc::result_out_of_range) {
      error = "a floating-point number outside the range of .f64";
      return false;
    }
    value = Constant::of(number);
    return true;
  }
  value.kind = Constant::Kind::kSigned;
  if (text.back() == 'U' || text.back() == 'u') {
    value.kind = Constant::Kind::kUnsigned;
    text.remove_suffix(1);
  }
  bool good = false;
  if (prefix == 'x') {
    good = digits(text.substr(2), 16, value.bits, value.cut, error);
  } else if (prefix == 'b') {
    good = digits(text.substr(2), 2, value.bits, value.cut, error);
  } else if (text.size() > 1 && text[0] == '0') {
    good = digits(text.substr(1), 8, value.bits, value.cut, error);
  } else {
    good = digits(text, 10, value.bits, value.cut, error);
  }
  if ((value.bits >> 63U) != 0) value.kind = Constant::Kind::kUnsigned;
  return good;
}

bool convert(const Constant& value, isa::Type type, std::uint64_t& bits, std::string& error) {
  const unsigned width = isa::bits(type);
  const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (type == isa::Type::kPred) {
    if (!value.is_integer()) {
      error = "a floating-point constant is no predicate";
      return false;
    }
    bits = value.bits != 0 ? 1 : 0;
    return true;
  }
  if (value.is_integer()) {
    if (isa::is_float(type)) {
      if (value.bits != 0) {
        error = "an integer constant for " + type_text(type) +
                "; write a floating-point constant such as 1.0 or 0f3F800000";
        return false;
      }
      bits = 0;
      return true;
    }
    bits = value.bits & mask;
    return true;
  }
  const bool single = value.kind == Constant::Kind::kSingleBits;
  if (type == isa::Type::kF32 || (type == isa::Type::kB32 && single)) {
    bits = single ? value.bits : bit_cast<std::uint32_t>(static_cast<float>(value.as_double()));
    return true;
  }
  if (type == isa::Type::kF64 || (type == isa::Type::kB64 && !single)) {
    bits = single ? bit_cast<std::uint64_t>(value.as_double()) : value.bits;
    return true;
  }
  error = "a floating-point constant for " + type_text(type);
  return false;
}

}  // namespace castor::ptx
