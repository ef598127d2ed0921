#pragma once

#include "ptx/cursor.h"

// Directives that have no effect in this model, or that are refused.
namespace castor::ptx {

/// Skips the .pragma directive at the cursor, with its strings.
void skip_pragma(Cursor& text);
/// Skips the .section directive at the cursor, with its contents: debug information is not needed to run the program.
void skip_section(Cursor& text);
/// Skips the parentheses after `.attribute`, which has been taken.
void skip_attribute(Cursor& text);
/// Fails with the reason why the directive may not appear at this place.
[[noreturn]] void refuse_directive(const Cursor& text, const Token& directive);

}  // namespace castor::ptx
