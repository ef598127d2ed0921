#pragma once

#include <string>
#include <string_view>

#include "castor/base/error.h"

namespace castor::base {

/// A file that cannot be written, with the reason that errno has if it is not 0: "cannot write 'x': No space left on
/// device". For writers that do not use `write_file`.
[[nodiscard]] InputError cannot_write(const std::string& path);

/// Writes a file. A file that is there is replaced. Errors: InputError if it is not written to its end.
void write_file(const std::string& path, std::string_view text);

/// Writes what is still buffered for standard output. Errors: InputError if anything printed so far was lost, except to
/// a reader that has gone.
void finish_output();

}  // namespace castor::base
