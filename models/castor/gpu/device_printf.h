#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace castor::gpu {

/// Formats one device printf call. `format` is the format text; `argument(offset, bytes)` reads from the packed
/// argument block (each argument at its natural alignment after C's promotions, 4 or 8 bytes); `text(address)` reads a
/// string argument. Conversions as in C without `n`; unknown ones are copied as they stand. Returns nullopt if memory
/// cannot be read.
struct PrintfSource {
  std::function<std::optional<std::uint64_t>(std::uint64_t offset, unsigned bytes)> argument;
  std::function<std::optional<std::string>(std::uint64_t address)> text;
};
[[nodiscard]] std::optional<std::string> format_device_printf(const std::string& format, const PrintfSource& source);

/// Number of arguments that `format` takes; the value that device printf returns.
[[nodiscard]] int printf_arguments(const std::string& format);

}  // namespace castor::gpu
