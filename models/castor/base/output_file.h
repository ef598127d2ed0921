#pragma once

#include <string>
#include <string_view>

#include "castor/base/error.h"

namespace castor::base {

/// Returns the error for a file that cannot be written, with the reason if errno is not 0: "cannot write 'x': No space
/// left on device". For writers that do not use `write_file`.
[[nodiscard]] InputError cannot_write(const std::string& path);

/// Writes a file; an existing file is replaced. Throws InputError if the text is not written completely.
void write_file(const std::string& path, std::string_view text);

/// Flushes standard output. Throws InputError if any output of the program was lost, except when the reader has closed
/// the pipe.
void finish_output();

}  // namespace castor::base
