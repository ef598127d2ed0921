#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "castor_cc/launch_places.h"

namespace castor::castor_cc {

/// Overlay of source files: the compiler reads a source and its includes as rewrite_for_clang rewrites them, under
/// their original names.
///
/// Include files are found as the compiler finds them: next to the including file, then in the directories of `flags`
/// (-I, -iquote, -isystem). Files in `own_headers` are skipped. If a file must be rewritten, copies and a map of the
/// copies (a VFS overlay of clang) are written to `directory`.
/// Limits: #include directives whose file name is a macro are not followed.
class SourceOverlay {
 public:
  SourceOverlay(const std::string& source, const std::vector<std::string>& flags, const std::string& own_headers,
                std::string directory);

  /// Rewrites launches by device code at the positions that clang reported when it read the source with `options`.
  /// `older`: the standard is older than C++17. Returns false if no launch was rewritten.
  [[nodiscard]] bool rewrite_launches(const FileLaunches& places, bool older);
  /// Writes the copies. Returns the options for clang; none if no file was rewritten. Errors: base::InputError.
  [[nodiscard]] std::vector<std::string> options() const;

 private:
  /// Returns the text that clang reads for a file, by clang's name of the file.
  [[nodiscard]] std::string text_of(const std::string& file) const;

  /// Returns the text of a file that defines a macro, as clang reads it, among the files read so far; empty if none
  /// does.
  [[nodiscard]] std::string text_defining(std::string_view macro) const;

  std::string directory_;
  std::set<std::string> read_;                  // paths of the files read
  std::map<std::string, std::string> changed_;  // path and new text of the rewritten files
};

/// Returns SourceOverlay::options of a new overlay.
[[nodiscard]] std::vector<std::string> overlay_options(const std::string& source, const std::vector<std::string>& flags,
                                                       const std::string& own_headers, const std::string& directory);

}  // namespace castor::castor_cc
