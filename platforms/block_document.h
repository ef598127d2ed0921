#pragma once

#include <string>

namespace castor::platforms {

/// Returns the Markdown description of a block type: its keys with unit, range, default and meaning, its claims, its
/// register window and its statistics. Throws InputError like hookup::block_type for an unknown block.
[[nodiscard]] std::string block_document(const std::string& name);

}  // namespace castor::platforms
