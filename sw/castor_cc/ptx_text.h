#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Returns the PTX with `.maxnreg count` in every kernel header without launch bounds (.maxntid, .reqntid or
/// .minnctapersm); implements -maxrregcount.
[[nodiscard]] std::string cap_registers(std::string_view ptx, int count);

/// Returns the functions and variables that the PTX uses but does not define, as mangled names, each once, in order.
/// Leaves out dynamic shared memory and names that the loader supplies (vprintf, malloc, free, __assertfail,
/// device-side launch).
[[nodiscard]] std::vector<std::string> unresolved_names(std::string_view ptx);

}  // namespace castor::castor_cc
