#pragma once

#include <string>

namespace castor::isa {

/// Returns the page docs/ptx-coverage.md: every instruction of the table with operands, timing class and meaning, and
/// every refused instruction with the reason. Internal rows of the compiler are left out.
[[nodiscard]] std::string coverage_markdown();

}  // namespace castor::isa
