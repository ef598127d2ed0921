// Device printf against the C library's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "castor/gpu/device_printf.h"

namespace castor::gpu::gpu_printf_test {
namespace {

constexpr std::uint64_t kText = 0x1000;

// Packs arguments as a caller of vprintf does, each at its natural alignment.
class Arguments {
 public:
  template <class T>
  Arguments& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back(0xee);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(&bytes_[at], &value, sizeof value);
    return *this;
  }
  Arguments& add_text(const std::string& text) {
    const std::uint64_t address = kText + 0x1000 * texts_.size();
    texts_[address] = text;
    return add(address);
  }
  [[nodiscard]] PrintfSource source() const {
    PrintfSource source;
    source.argument = [this](std::uint64_t offset, unsigned size) -> std::optional<std::uint64_t> {
      if (offset + size > bytes_.size()) return std::nullopt;
      std::uint64_t value = 0;
      std::memcpy(&value, &bytes_[offset], size);
      return value;
    };
    source.text = [this](std::uint64_t address) -> std::optional<std::string> {
      const auto found = texts_.find(address);
      return found == texts_.end() ? std::nullopt : std::optional(found->second);
    };
    return source;
  }

 private:
  std::vector<unsigned char> bytes_;
  std::map<std::uint64_t, std::string> texts_;
};

std::string formatted(const std::string& format, const Arguments& arguments = {}) {
  return format_device_printf(format, arguments.source()).value_or("(unreadable)");
}

template <class... T>
std::string c_library(const char* format, T... values) {
  char text[400];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

TEST(DevicePrintf, CopiesPlainText) {
  EXPECT_EQ(formatted("hello\n"), "hello\n");
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("100%% sure"), "100% sure");
}

TEST(DevicePrintf, PrintsIntegersAsC) {
  for (const char* format : {"%d", "%i", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d|", "%-8.3d|"}) {
    for (const int value : {0, 1, -1, 42, -12345, 2147483647, -2147483647 - 1}) {
      EXPECT_EQ(formatted(format, Arguments().add(value)), c_library(format, value)) << format;
    }
  }
  for (const char* format : {"%u", "%x", "%X", "%o", "%#x", "%#o", "%08x", "%#010x", "%-6u|"}) {
    for (const unsigned value : {0U, 7U, 0xdeadbeefU, 0xffffffffU}) {
      EXPECT_EQ(formatted(format, Arguments().add(value)), c_library(format, value)) << format;
    }
  }
}

TEST(DevicePrintf, PrintsWideIntegersAsC) {
  for (const long long value : {0LL, -1LL, 1234567890123456789LL, -9223372036854775807LL - 1}) {
    EXPECT_EQ(formatted("%lld", Arguments().add(value)), c_library("%lld", value));
    EXPECT_EQ(formatted("%ld", Arguments().add(value)), c_library("%lld", value));
    EXPECT_EQ(formatted("%25lld|", Arguments().add(value)), c_library("%25lld|", value));
    EXPECT_EQ(formatted("%zd", Arguments().add(value)), c_library("%lld", value));
    EXPECT_EQ(formatted("%jd", Arguments().add(value)), c_library("%lld", value));
    EXPECT_EQ(formatted("%td", Arguments().add(value)), c_library("%lld", value));
    const auto bits = static_cast<unsigned long long>(value);
    EXPECT_EQ(formatted("%llu %llx", Arguments().add(bits).add(bits)), c_library("%llu %llx", bits, bits));
    EXPECT_EQ(formatted("%zu %lx", Arguments().add(bits).add(bits)), c_library("%llu %llx", bits, bits));
  }
}

TEST(DevicePrintf, PrintsShortIntegersThatCPromotes) {
  EXPECT_EQ(formatted("%hd %hhu", Arguments().add(-5).add(200)), "-5 200");
}

TEST(DevicePrintf, PrintsRealsAsC) {
  for (const char* format :
       {"%f", "%.3f", "%10.2f|", "%-12.4f|", "%e", "%.2e", "%E", "%g", "%G", "%a", "%.10g", "%+f"}) {
    for (const double value : {0.0, -0.0, 1.0, 3.14159265358979, -1e300, 1e-300, 123456789.0}) {
      EXPECT_EQ(formatted(format, Arguments().add(value)), c_library(format, value)) << format;
    }
  }
  EXPECT_EQ(formatted("%f %F", Arguments().add(1.0 / 0.0).add(-1.0 / 0.0)), "inf -INF");
}

TEST(DevicePrintf, TakesWidthAndPrecisionFromArguments) {
  EXPECT_EQ(formatted("%*d|", Arguments().add(6).add(42)), "    42|");
  EXPECT_EQ(formatted("%-*d|", Arguments().add(6).add(42)), "42    |");
  EXPECT_EQ(formatted("%*d|", Arguments().add(-6).add(42)), "42    |");
  EXPECT_EQ(formatted("%.*f|", Arguments().add(2).add(3.14159)), "3.14|");
  EXPECT_EQ(formatted("%*.*f|", Arguments().add(8).add(3).add(2.5)), "   2.500|");
  EXPECT_EQ(formatted("%*lld|", Arguments().add(12).add(-7LL)), "          -7|");
}

TEST(DevicePrintf, PrintsCharactersStringsAndPointers) {
  EXPECT_EQ(formatted("%c%c", Arguments().add(int{'a'}).add(int{'b'})), "ab");
  EXPECT_EQ(formatted("%3c|%-3c|", Arguments().add(int{'x'}).add(int{'y'})), "  x|y  |");
  EXPECT_EQ(formatted("<%s>", Arguments().add_text("word")), "<word>");
  EXPECT_EQ(formatted("%8s|%-8s|%.2s|", Arguments().add_text("abc").add_text("def").add_text("ghi")),
            "     abc|def     |gh|");
  EXPECT_EQ(formatted("%s", Arguments().add(std::uint64_t{0})), "(null)");
  EXPECT_EQ(formatted("%p", Arguments().add(std::uint64_t{0x1234abcd})), "0x1234abcd");
  EXPECT_EQ(formatted("%20p|", Arguments().add(std::uint64_t{0x1234abcd})), "          0x1234abcd|");
}

TEST(DevicePrintf, KeepsAZeroCharacter) { EXPECT_EQ(formatted("a%cb", Arguments().add(0)), std::string("a\0b", 3)); }

TEST(DevicePrintf, AlignsEachArgument) {
  EXPECT_EQ(formatted("%d %f %d %lld %c", Arguments().add(1).add(2.5).add(3).add(4LL).add(int{'z'})),
            "1 2.500000 3 4 z");
}

TEST(DevicePrintf, CopiesUnknownConversions) {
  EXPECT_EQ(formatted("%y %d", Arguments().add(5)), "%y 5");
  EXPECT_EQ(formatted("50%"), "50%");
  EXPECT_EQ(formatted("%n"), "%n");
  EXPECT_EQ(formatted("%5"), "%5");
  EXPECT_EQ(formatted("%ll"), "%ll");
}

TEST(DevicePrintf, PrintsHugeWidthsWhole) { EXPECT_EQ(formatted("%5000d", Arguments().add(1)).size(), 5000U); }

TEST(DevicePrintf, SaysWhenMemoryCannotBeRead) {
  EXPECT_EQ(format_device_printf("%d %d", Arguments().add(1).source()), std::nullopt);
  EXPECT_EQ(format_device_printf("%*d", Arguments().add(1).source()), std::nullopt);
  EXPECT_EQ(format_device_printf("%f", Arguments().source()), std::nullopt);
  EXPECT_EQ(format_device_printf("%s", Arguments().add(std::uint64_t{0x9999}).source()), std::nullopt);
}

TEST(DevicePrintf, CountsItsArguments) {
  EXPECT_EQ(printf_arguments("no"), 0);
  EXPECT_EQ(printf_arguments("%d %s %f"), 3);
  EXPECT_EQ(printf_arguments("%%%d%%"), 1);
  EXPECT_EQ(printf_arguments("%*.*f"), 3);
  EXPECT_EQ(printf_arguments("%y %"), 0);
}

}  // namespace
}  // namespace castor::gpu::gpu_printf_test
