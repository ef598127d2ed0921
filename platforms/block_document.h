#pragma once

#include <string>

namespace castor::platforms {

/// Markdown of what a block brings to a machine: its keys with unit, range, default and meaning, its claims, register
/// window, and its statistics. Errors: InputError as hookup::block_type.
[[nodiscard]] std::string block_document(const std::string& name);

}  // namespace castor::platforms
