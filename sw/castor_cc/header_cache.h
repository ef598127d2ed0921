#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "castor_cc/process.h"

namespace castor::castor_cc {

/// Cache of precompiled headers for the part that every CUDA source reads first: cuda_runtime.h and the C++ headers it
/// includes. Reading these headers is nine tenths of clang's time for a small file. Each entry is a file
/// <cache>/headers/<key>.pch of about 7 MB. The key is a hash of all command-line options that affect how headers are
/// read. The cache keeps the kKept most recently used entries. Clang refuses an entry whose headers have changed since.
///
/// No function of this class fails. Without a usable cache or entry, or if a compilation with an entry fails, the
/// command runs without it, and the user sees the messages of that run.
class HeaderCache {
 public:
  static constexpr std::size_t kKept = 64;

  /// Runs `command`, whose headers are read with the options `reading` (Toolchain: device_reading, host_reading), with
  /// the precompiled header of `reading`; creates that header first if necessary. The dependency file `depend`, if
  /// given, lists only dependencies of the source. Thread-safe.
  [[nodiscard]] ProcessResult run(const std::vector<std::string>& command, const std::vector<std::string>& reading,
                                  const std::string& depend);

 private:
  [[nodiscard]] std::string find_or_make(const std::vector<std::string>& reading);

  std::mutex mutex_;
};

}  // namespace castor::castor_cc
