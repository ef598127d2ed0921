#pragma once

#include "castor/isa/instruction_table.h"

namespace castor::isa::detail {

/// Fills opcode, items and specs of a row from its syntax and operands. Throws InputError that quotes the row.
void parse_row(Row& row);

/// Returns the type of twice the width: u16 -> u32, s32 -> s64.
[[nodiscard]] Type widened(Type type);

}  // namespace castor::isa::detail
