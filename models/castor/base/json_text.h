#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "castor/base/error.h"

namespace castor::base {

/// Parses JSON of unknown origin. Throws InputError, with `where` and the place in the text, if the text is no JSON or
/// its brackets nest more than 100 deep (the limit protects code that visits values recursively).
[[nodiscard]] nlohmann::ordered_json read_json(std::string_view text, const SourceLocation& where);
/// Reads a JSON file of unknown origin as `read_json` does. Also throws InputError if the file cannot be read.
[[nodiscard]] nlohmann::ordered_json read_json_file(const std::string& path);

}  // namespace castor::base
