#pragma once

#include <string>

namespace castor::platforms::cli {

/// Whole file as text. Errors: base::InputError.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// PTX images inside a program built by castor-cc (or the text itself if the file is PTX).
/// Errors: base::InputError if there is none.
[[nodiscard]] std::string read_ptx(const std::string& path);

/// Writes a report. Errors: base::InputError naming file and reason.
void write_report(const std::string& path, const std::string& text);

}  // namespace castor::platforms::cli
