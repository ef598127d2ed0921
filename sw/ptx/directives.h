#pragma once

#include "ptx/cursor.h"

// Directives that mean nothing here, or that are refused.
namespace castor::ptx {

/// The directive at the cursor, with its strings.
void skip_pragma(Cursor& text);
/// The directive at the cursor, with its section: debug information, whose place is outside of what runs.
void skip_section(Cursor& text);
/// What stands in parentheses behind `.attribute`, which is taken.
void skip_attribute(Cursor& text);
/// Says why a directive may not stand where it does.
[[noreturn]] void refuse_directive(const Cursor& text, const Token& directive);

}  // namespace castor::ptx
