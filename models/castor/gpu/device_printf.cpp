#include "castor/gpu/device_printf.h"

#include <cstdio>
#include <cstring>
#include <vector>

namespace castor::gpu {
namespace {

// One conversion of a format text, up to the conversion letter and without length modifiers.
struct Conversion {
  std::string flags_and_width;  // starts with "%"; may contain '*'
  bool wide = false;            // the integer argument has 64 bits
  char letter = 0;
  std::size_t end = 0;  // position of the first character after the conversion
};

bool is_one_of(char c, const char* set) { return c != 0 && std::strchr(set, c) != nullptr; }

std::optional<Conversion> parse(const std::string& format, std::size_t at) {
  Conversion result;
  std::size_t i = at + 1;
  const auto peek = [&] { return i < format.size() ? format[i] : '\0'; };
  result.flags_and_width = "%";
  while (is_one_of(peek(), "-+ #0")) result.flags_and_width += format[i++];
  while (is_one_of(peek(), "*0123456789")) result.flags_and_width += format[i++];
  if (peek() == '.') {
    result.flags_and_width += format[i++];
    while (is_one_of(peek(), "*0123456789")) result.flags_and_width += format[i++];
  }
  while (is_one_of(peek(), "hljztL")) {
    if (is_one_of(format[i], "ljzt")) result.wide = true;
    ++i;
  }
  if (!is_one_of(peek(), "diouxXcsfFeEgGaAp%")) return std::nullopt;
  result.letter = format[i++];
  result.end = i;
  return result;
}

template <class T>
std::string print(const std::string& specification, const std::vector<int>& stars, T value) {
  const auto call = [&](char* to, std::size_t size) {
    switch (stars.size()) {
      case 0:
        return std::snprintf(to, size, specification.c_str(), value);
      case 1:
        return std::snprintf(to, size, specification.c_str(), stars[0], value);
      default:
        return std::snprintf(to, size, specification.c_str(), stars[0], stars[1], value);
    }
  };
  const int length = call(nullptr, 0);
  if (length <= 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  call(text.data(), text.size());
  text.pop_back();
  return text;
}

}  // namespace

std::optional<std::string> format_device_printf(const std::string& format, const PrintfSource& source) {
  std::string out;
  std::uint64_t offset = 0;
  bool readable = true;
  const auto next = [&](unsigned bytes) -> std::uint64_t {
    offset = (offset + bytes - 1) / bytes * bytes;
    const auto value = source.argument(offset, bytes);
    offset += bytes;
    if (!value) readable = false;
    return value.value_or(0);
  };
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    const auto conversion = parse(format, i);
    if (!conversion) {
      out += format[i++];
      continue;
    }
    i = conversion->end;
    if (conversion->letter == '%') {
      out += '%';
      continue;
    }
    std::vector<int> stars;
    for (const char c : conversion->flags_and_width) {
      if (c == '*' && stars.size() < 2) stars.push_back(static_cast<int>(next(4)));
    }
    const std::string& head = conversion->flags_and_width;
    switch (conversion->letter) {
      case 'd':
      case 'i':
        out += conversion->wide ? print(head + "lld", stars, static_cast<long long>(next(8)))
                                : print(head + 'd', stars, static_cast<int>(next(4)));
        break;
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        out += conversion->wide
                   ? print(head + "ll" + conversion->letter, stars, static_cast<unsigned long long>(next(8)))
                   : print(head + conversion->letter, stars, static_cast<unsigned>(next(4)));
        break;
      case 'c':
        out += print(head + 'c', stars, static_cast<int>(next(4)));
        break;
      case 'p':
        out += print(head + 's', stars, print("%#llx", {}, static_cast<unsigned long long>(next(8))).c_str());
        break;
      case 's': {
        const std::uint64_t address = next(8);
        const auto text = address == 0 ? std::optional<std::string>("(null)") : source.text(address);
        if (!text) return std::nullopt;
        out += print(head + 's', stars, text->c_str());
        break;
      }
      default: {
        const std::uint64_t bits = next(8);
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        out += print(head + conversion->letter, stars, value);
        break;
      }
    }
    if (!readable) return std::nullopt;
  }
  return out;
}

int printf_arguments(const std::string& format) {
  int count = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    const auto conversion = parse(format, i);
    if (!conversion) continue;
    i = conversion->end - 1;
    if (conversion->letter == '%') continue;
    ++count;
    for (const char c : conversion->flags_and_width) count += c == '*' ? 1 : 0;
  }
  return count;
}

}  // namespace castor::gpu
