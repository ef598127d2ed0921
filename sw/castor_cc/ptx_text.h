#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// PTX with `.maxnreg count` in the header of every kernel that has no launch bounds of its own (.maxntid, .reqntid or
/// .minnctapersm), as -maxrregcount asks for.
[[nodiscard]] std::string cap_registers(std::string_view ptx, int count);

/// Functions and variables that the PTX uses but does not define, apart from those the loader supplies (vprintf,
/// malloc, free, __assertfail, device-side launch) and dynamic shared memory. Mangled names, each once, in order.
[[nodiscard]] std::vector<std::string> unresolved_names(std::string_view ptx);

}  // namespace castor::castor_cc
