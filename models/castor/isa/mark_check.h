#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "castor/isa/program.h"

namespace castor::isa {

/// Registers that a record reads, each once: those are looked up, however many operands name them.
[[nodiscard]] std::bitset<256> registers_read(const Record& record, const RegisterUse& use);

/// Why a record may carry no mark, whatever it computes: empty if it may. It must be a lane operation or a plain load
/// from a named space that is not local memory, write one or two registers and no predicate, and have no guard.
[[nodiscard]] std::string why_unmarkable(const Record& record, const RegisterUse& use);

/// A mark that the machine cannot honour.
struct WrongMark {
  std::uint32_t pc = 0;  ///< record
  std::string what;      ///< "a store carries mark DR"
};

/// The first mark of a program that breaks a rule of docs/marks.md, "Rules of the loader", or what keeps its renamed
/// registers from being renamed. Whether marks are true is not looked at.
[[nodiscard]] std::optional<WrongMark> find_wrong_mark(const Program& program);

/// "V", "CR", "DR"; the number of a value that is no mark.
[[nodiscard]] std::string mark_name(std::uint8_t mark);

}  // namespace castor::isa
