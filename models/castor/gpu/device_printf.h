#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace castor::gpu {

/// Sources of a device printf call's data. `argument(offset, bytes)` reads from the packed argument block; each
/// argument has its natural alignment after C's promotions, 4 or 8 bytes. `text(address)` reads a string argument. Both
/// return nullopt if the memory cannot be read.
struct PrintfSource {
  std::function<std::optional<std::uint64_t>(std::uint64_t offset, unsigned bytes)> argument;
  std::function<std::optional<std::string>(std::uint64_t address)> text;
};
/// Formats one device printf call with format text `format`. Conversions are those of C without `n`; unknown ones are
/// copied unchanged. Returns nullopt if memory cannot be read.
[[nodiscard]] std::optional<std::string> format_device_printf(const std::string& format, const PrintfSource& source);

/// Returns the number of arguments that `format` takes, which is the return value of device printf.
[[nodiscard]] int printf_arguments(const std::string& format);

}  // namespace castor::gpu
