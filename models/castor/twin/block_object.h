#pragma once

#include <string>

#include "castor/twin/block_folder.h"

namespace castor::twin {

/// The path of an object of the block, `kind` "model" or "bench". A build tree makes objects when somebody asks for
/// them: one that is not there, or older than a source that the manifest names, is built now, once, by the command that
/// the manifest names, and that is said on stderr.
/// Errors: InputError if the block has no such object, and if it cannot be built, behind what the build printed.
[[nodiscard]] std::string block_object(const BlockFolder& block, const std::string& kind);

}  // namespace castor::twin
