#pragma once

#include <string>

#include "castor/twin/block_folder.h"

namespace castor::twin {

/// Returns the path of a shared object of the block; `kind` is "model" or "bench". In a build tree, an object that is
/// missing or older than a source named by the manifest is built now, with the manifest's build command. A message on
/// stderr announces the build. Throws InputError if the block has no such object or if the build fails (its output is
/// then printed first).
[[nodiscard]] std::string block_object(const BlockFolder& block, const std::string& kind);

}  // namespace castor::twin
