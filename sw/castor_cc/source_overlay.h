#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "castor_cc/launch_places.h"

namespace castor::castor_cc {

/// Lets the compiler read a source and the files it includes as rewrite_for_clang makes them, under their own names.
///
/// Files are found as the compiler finds them: beside the including file, then in the directories that `flags` name
/// (-I, -iquote, -isystem). What lies in `own_headers` is not looked at. If a file needs it, copies and a map of them
/// (a VFS overlay of clang) are written into `directory`.
/// Limits: names of #include directives that are macros are not followed.
class SourceOverlay {
 public:
  SourceOverlay(const std::string& source, const std::vector<std::string>& flags, const std::string& own_headers,
                std::string directory);

  /// Rewrites launches by device code where clang, reading with `options`, has found them. `older`: C++ before C++17.
  /// False if none is there.
  [[nodiscard]] bool rewrite_launches(const FileLaunches& places, bool older);
  /// Writes the copies. Returns the options for clang, none if no file needs it. Errors: base::InputError.
  [[nodiscard]] std::vector<std::string> options() const;

 private:
  /// What clang reads under a name that it gives a file.
  [[nodiscard]] std::string text_of(const std::string& file) const;

  /// What clang reads of a file that defines a macro, if there is one among those read.
  [[nodiscard]] std::string text_defining(std::string_view macro) const;

  std::string directory_;
  std::set<std::string> read_;                  // paths
  std::map<std::string, std::string> changed_;  // path and new text
};

/// SourceOverlay::options of a new one.
[[nodiscard]] std::vector<std::string> overlay_options(const std::string& source, const std::vector<std::string>& flags,
                                                       const std::string& own_headers, const std::string& directory);

}  // namespace castor::castor_cc
