#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// Returns the one kernel of `names` (PTX names) that `wanted` denotes. `wanted` may be the PTX name, the demangled
/// name ("add(float*, int)"), or the function name alone ("add", "scan<4>") if it is unique. Throws InputError if no
/// kernel or several kernels match; `file` is used in the message.
[[nodiscard]] std::string find_kernel(const std::vector<std::string>& names, const std::string& wanted,
                                      const std::string& file);

}  // namespace castor::platforms::cli
