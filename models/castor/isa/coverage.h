#pragma once

#include <string>

namespace castor::isa {

/// The page docs/ptx-coverage.md: every instruction of the table with operands, timing class and meaning, and
/// everything that is refused, with the reason. Rows of the compiler are left out.
[[nodiscard]] std::string coverage_markdown();

}  // namespace castor::isa
