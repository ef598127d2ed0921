#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "castor/isa/program.h"

namespace castor::isa {

/// Returns the registers that a record reads, each once, however many operands name it.
[[nodiscard]] std::bitset<256> registers_read(const Record& record, const RegisterUse& use);

/// Returns why a record must not carry a mark, whatever it computes; empty if it may. A marked record must be a lane
/// operation or a plain load from a named space other than local memory. It must write one or two registers and no
/// predicate, and have no guard.
[[nodiscard]] std::string why_unmarkable(const Record& record, const RegisterUse& use);

/// A mark of a program that breaks a rule of the loader.
struct WrongMark {
  std::uint32_t pc = 0;  ///< index of the record
  std::string what;      ///< the broken rule: "a store carries mark DR"
};

/// Returns the first mark that breaks a rule of docs/marks.md, "Rules of the loader", or the first record that prevents
/// renaming of the program's renamed registers. Does not check whether marks are true.
[[nodiscard]] std::optional<WrongMark> find_wrong_mark(const Program& program);

/// Returns "V", "CR" or "DR"; the number itself for a value that is no mark.
[[nodiscard]] std::string mark_name(std::uint8_t mark);

}  // namespace castor::isa
