#include "castor/twin/pack.h"

#include <cstdio>

namespace castor::twin::detail {

std::string hex_text(const U64* words, unsigned bits) {
  std::string text;
  for (unsigned digit = (bits + 3) / 4; digit-- > 0;) {
    text += "0123456789abcdef"[(words[digit / 16] >> (digit % 16 * 4)) & 15U];
  }
  return text;
}

std::string number_text(U64 value) {
  char text[48];
  std::snprintf(text, sizeof text, value > 9 ? "%llu (0x%llx)" : "%llu", static_cast<unsigned long long>(value),
                static_cast<unsigned long long>(value));
  return text;
}

}  // namespace castor::twin::detail
