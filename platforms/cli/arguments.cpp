#include "platforms/cli/arguments.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "castor/base/error.h"
#include "castor/base/rng.h"
#include "castor/isa/half_float.h"
#include "platforms/cli/files.h"

namespace castor::platforms::cli {
namespace {

using base::InputError;
using base::printable;
using isa::Type;

constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 36;

std::vector<std::string> split(const std::string& text, char separator, std::size_t parts) {
  std::vector<std::string> result;
  std::size_t start = 0;
  while (result.size() + 1 < parts) {
    const std::size_t at = text.find(separator, start);
    if (at == std::string::npos) break;
    result.push_back(text.substr(start, at - start));
    start = at + 1;
  }
  result.push_back(text.substr(start));
  return result;
}

std::uint64_t parse_unsigned(const std::string& text, const std::string& what) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end != 0 || text[0] == '-' || errno != 0) {
    throw InputError(what + " is '" + printable(text) + "'", "a number is expected");
  }
  return value;
}

Type parse_type(const std::string& text, const std::string& what) {
  const auto type = isa::type_from_name(text);
  if (!type || *type == Type::kPred || isa::bytes(*type) == 0 || isa::bytes(*type) > 8 || *type == Type::kTf32 ||
      *type == Type::kF16x2 || *type == Type::kBf16x2) {
    throw InputError(what + ": '" + printable(text) + "' is no type",
                     "types are b8 b16 b32 b64, u8 to u64, s8 to s64, f16, bf16, f32, f64");
  }
  return *type;
}

struct Shape {
  std::uint64_t count = 0;
  Type type = Type::kB8;
};

// Parses "N" or "NxTYPE": number of elements and their type.
Shape parse_shape(const std::string& text, const std::string& what, bool type_needed) {
  const auto parts = split(text, 'x', 2);
  Shape shape;
  shape.count = parse_unsigned(parts[0], what + ": the count");
  if (parts.size() == 2) {
    shape.type = parse_type(parts[1], what);
  } else if (type_needed) {
    throw InputError(what + " lacks a type", "for example iota:1024xf32");
  }
  if (shape.count == 0 || shape.count > kLargestBuffer / isa::bytes(shape.type)) {
    throw InputError(what + ": " + parts[0] + " elements", "1 element to 2^36 bytes");
  }
  return shape;
}

void put(std::vector<std::byte>& bytes, std::size_t index, const std::vector<std::byte>& element) {
  std::memcpy(bytes.data() + index * element.size(), element.data(), element.size());
}

template <class T>
std::vector<std::byte> bytes_of(T value, std::size_t size = sizeof(T)) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), &value, size);
  return bytes;
}

// Returns the bytes of a value in a floating-point type.
std::vector<std::byte> real_bytes(double value, Type type) {
  switch (type) {
    case Type::kF16:
      return bytes_of(isa::half_bits(static_cast<float>(value)));
    case Type::kBf16:
      return bytes_of(isa::bfloat_bits(static_cast<float>(value)));
    case Type::kF32:
      return bytes_of(static_cast<float>(value));
    default:
      return bytes_of(value);
  }
}

std::vector<std::byte> random_element(base::Xoshiro256& random, Type type) {
  if (type == Type::kF64) return real_bytes(static_cast<double>(random() >> 11) * 0x1p-53, type);
  // Draws exactly as many random bits as the type represents in [0, 1), so that no value is rounded up to 1.
  if (type == Type::kF32) return real_bytes(static_cast<double>(random() >> 40) * 0x1p-24, type);
  if (type == Type::kF16) return real_bytes(static_cast<double>(random() >> 53) * 0x1p-11, type);
  if (type == Type::kBf16) return real_bytes(static_cast<double>(random() >> 56) * 0x1p-8, type);
  return bytes_of(random(), isa::bytes(type));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Argument parse_hex(const std::string& digits) {
  Argument argument;
  argument.buffer = true;
  if (digits.size() % 2 != 0 || digits.empty()) {
    throw InputError("hex: has " + std::to_string(digits.size()) + " digits", "two digits per byte");
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) throw InputError("hex: '" + printable(digits.substr(i, 2)) + "' is no hexadecimal byte");
    argument.bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return argument;
}

Argument parse_file(const std::string& path) {
  Argument argument;
  argument.buffer = true;
  const std::string content = read_file(path);
  argument.bytes.resize(content.size());
  std::memcpy(argument.bytes.data(), content.data(), content.size());
  return argument;
}

}  // namespace

std::vector<std::byte> scalar_bytes(const std::string& text, Type type) {
  std::vector<std::byte> bytes(isa::bytes(type));
  const auto wrong = [&](const std::string& why) {
    return InputError("argument '" + printable(text) + "' for a ." + std::string(isa::name(type)) + " parameter " +
                      why);
  };
  char* end = nullptr;
  errno = 0;
  if (isa::is_float(type)) {
    // Parses with the type's own precision where the C library can, because rounding twice may give another result.
    const double value = type == Type::kF64 ? std::strtod(text.c_str(), &end) : std::strtof(text.c_str(), &end);
    if (text.empty() || *end != 0) throw wrong("is no number");
    bytes = real_bytes(value, type);
    const bool infinite = !std::isfinite(std::strtod(value_text(bytes.data(), type).c_str(), nullptr));
    const bool asked = text.find_first_of("nN") != std::string::npos;  // the text is inf or nan
    if (infinite && !asked) throw wrong("is out of range");
    return bytes;
  }
  if (text.empty()) throw wrong("is empty");
  std::uint64_t value = 0;
  const unsigned width = isa::bits(type);
  if (text[0] == '-') {
    const long long negative = std::strtoll(text.c_str(), &end, 0);
    if (*end != 0) throw wrong("is no integer");
    if (errno != 0 || (width < 64 && negative < -(1LL << (width - 1)))) throw wrong("is out of range");
    value = static_cast<std::uint64_t>(negative);
  } else {
    value = std::strtoull(text.c_str(), &end, 0);
    if (*end != 0) throw wrong("is no integer");
    if (errno != 0 || (width < 64 && value >> width != 0)) throw wrong("is out of range");
  }
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes;
}

Argument parse_argument(const std::string& text) {
  const auto parts = split(text, ':', 2);
  if (parts.size() == 1) {
    Argument argument;
    argument.scalar = text;
    return argument;
  }
  const std::string& kind = parts[0];
  const std::string& rest = parts[1];
  if (kind == "hex") return parse_hex(rest);
  if (kind == "file") return parse_file(rest);
  const std::string what = "argument '" + printable(text) + "'";
  if (kind != "zeros" && kind != "iota" && kind != "random" && kind != "value") {
    throw InputError(what + " has the unknown kind '" + printable(kind) + "'",
                     "kinds are zeros, iota, random, value, hex, file; or a plain number");
  }
  const auto fields = split(rest, ':', 2);
  Argument argument;
  argument.buffer = true;
  const Shape shape = parse_shape(fields[0], what, kind != "zeros");
  argument.type = shape.type;
  argument.bytes.resize(shape.count * isa::bytes(shape.type));
  if (kind == "zeros") {
    if (fields.size() > 1) throw InputError(what + ": nothing may follow the size");
  } else if (kind == "value") {
    if (fields.size() < 2) throw InputError(what + " lacks the value", "for example value:64xf32:1.5");
    const auto element = scalar_bytes(fields[1], shape.type);
    for (std::size_t i = 0; i < shape.count; ++i) put(argument.bytes, i, element);
  } else if (kind == "iota") {
    const std::uint64_t start = fields.size() > 1 ? parse_unsigned(fields[1], what + ": the start") : 0;
    for (std::size_t i = 0; i < shape.count; ++i) {
      const std::uint64_t value = start + i;
      put(argument.bytes, i,
          isa::is_float(shape.type) ? real_bytes(static_cast<double>(value), shape.type)
                                    : bytes_of(value, isa::bytes(shape.type)));
    }
  } else {
    base::Xoshiro256 random(fields.size() > 1 ? parse_unsigned(fields[1], what + ": the seed") : 1);
    for (std::size_t i = 0; i < shape.count; ++i) put(argument.bytes, i, random_element(random, shape.type));
  }
  return argument;
}

Dump parse_dump(const std::string& text) {
  const auto parts = split(text, ':', 3);
  const std::string what = "dump '" + printable(text) + "'";
  if (parts.size() < 2) throw InputError(what, "INDEX:hex, INDEX:hash, INDEX:file:PATH or INDEX:TYPE[:COUNT]");
  Dump dump;
  dump.argument = parse_unsigned(parts[0], what + ": the argument's index");
  if (parts[1] == "file") {
    if (parts.size() < 3 || parts[2].empty()) throw InputError(what + " lacks the path");
    dump.how = Dump::How::kFile;
    dump.path = parts[2];
    return dump;
  }
  if (parts[1] == "hex") {
    dump.how = Dump::How::kHex;
  } else if (parts[1] == "hash") {
    dump.how = Dump::How::kHash;
  } else {
    dump.how = Dump::How::kValues;
    dump.type = parse_type(parts[1], what);
  }
  if (parts.size() > 2) dump.count = parse_unsigned(parts[2], what + ": the count");
  return dump;
}

std::string value_text(const std::byte* at, Type type) {
  char text[48];
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, isa::bytes(type));
  if (type == Type::kF16) {
    std::snprintf(text, sizeof text, "%.5g", static_cast<double>(isa::half_value(static_cast<std::uint16_t>(bits))));
  } else if (type == Type::kBf16) {
    std::snprintf(text, sizeof text, "%.4g", static_cast<double>(isa::bfloat_value(static_cast<std::uint16_t>(bits))));
  } else if (type == Type::kF32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  } else if (type == Type::kF64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    std::snprintf(text, sizeof text, "%.17g", value);
  } else if (isa::is_signed(type)) {
    const unsigned shift = 64 - isa::bits(type);
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(bits << shift) >> shift);
  } else if (isa::is_unsigned(type)) {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
  } else {
    std::snprintf(text, sizeof text, "0x%0*llx", static_cast<int>(isa::bytes(type) * 2),
                  static_cast<unsigned long long>(bits));
  }
  return text;
}

void parse_dimensions(const std::string& text, const char* what, std::uint32_t (&size)[3]) {
  std::string rest = text;
  for (char& c : rest) {
    if (c == 'x') c = ',';
  }
  const auto parts = split(rest, ',', 4);
  if (parts.size() > 3) throw InputError(std::string(what) + " '" + printable(text) + "' has more than 3 dimensions");
  size[0] = size[1] = size[2] = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint64_t value = parse_unsigned(parts[i], std::string(what) + " dimension");
    if (value == 0 || value > std::numeric_limits<std::uint32_t>::max()) {
      throw InputError(std::string(what) + " '" + printable(text) + "': dimensions are 1 to 4294967295");
    }
    size[i] = static_cast<std::uint32_t>(value);
  }
}

}  // namespace castor::platforms::cli
