#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// The kernel of `names`, names of PTX, that `wanted` names: as it stands in PTX, demangled ("add(float*, int)"), or by
/// its function alone ("add", "scan<4>") if no other kernel has that name. Errors: InputError for none and for several;
/// `file` is for the message.
[[nodiscard]] std::string find_kernel(const std::vector<std::string>& names, const std::string& wanted,
                                      const std::string& file);

}  // namespace castor::platforms::cli
