#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "castor/base/error.h"

namespace castor::base {

/// JSON from a file that anybody may have written. Throws InputError, with `where` and the place in the text, for what
/// is no JSON and for brackets more than 100 deep (code that walks through values calls itself).
[[nodiscard]] nlohmann::ordered_json read_json(std::string_view text, const SourceLocation& where);
/// A file of JSON that anybody may have written, read as `read_json` does. Throws InputError if it cannot be read, too.
[[nodiscard]] nlohmann::ordered_json read_json_file(const std::string& path);

}  // namespace castor::base
