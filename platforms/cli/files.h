#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// All bytes of a file. Errors: base::InputError naming file and reason; an empty file is one.
[[nodiscard]] std::string read_file(const std::string& path);

/// The PTX images inside a program built by castor-cc, or the text itself if the file is PTX.
/// Errors: base::InputError if there is none.
[[nodiscard]] std::vector<std::string> read_ptx(const std::string& path);

}  // namespace castor::platforms::cli
