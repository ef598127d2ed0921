#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// Returns all bytes of a file. Throws base::InputError with file name and reason if it cannot be read or is empty.
[[nodiscard]] std::string read_file(const std::string& path);

/// Returns the PTX images inside a program built by castor-cc, or the text itself if the file is PTX. Throws
/// base::InputError if there is none.
[[nodiscard]] std::vector<std::string> read_ptx(const std::string& path);

}  // namespace castor::platforms::cli
