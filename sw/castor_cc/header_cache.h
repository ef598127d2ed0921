#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "castor_cc/process.h"

namespace castor::castor_cc {

/// Precompiled forms of what every CUDA source reads first, cuda_runtime.h and the headers of C++ behind it: nine
/// tenths of the time that clang takes for a small file. Each is a file <cache>/headers/<key>.pch of about 7 MB, the
/// key made of everything on the command line that decides how headers are read. The latest kKept are kept. Clang
/// refuses one whose headers have changed since.
///
/// Nothing here fails: without a cache, without a header in it, or if a compilation with it fails in any way, the
/// command runs as it is, and its messages are those that the user sees.
class HeaderCache {
 public:
  static constexpr std::size_t kKept = 64;

  /// Runs `command`, which reads its source after `reading` (Toolchain: device_reading, host_reading), with the
  /// precompiled header of `reading`; makes it first if there is none. Leaves in the dependency file `depend`, if there
  /// is one, only what the source depends on. May be called by several threads.
  [[nodiscard]] ProcessResult run(const std::vector<std::string>& command, const std::vector<std::string>& reading,
                                  const std::string& depend);

 private:
  [[nodiscard]] std::string find_or_make(const std::vector<std::string>& reading);

  std::mutex mutex_;
};

}  // namespace castor::castor_cc
