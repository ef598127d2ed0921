#pragma once

#include <string>
#include <vector>

namespace castor::castor_cc {

/// Lets the compiler read a source and the files it includes as rewrite_for_clang makes them, under their own names.
///
/// Files are found as the compiler finds them: beside the including file, then in the directories that `flags` name
/// (-I, -iquote, -isystem). What lies in `own_headers` is not looked at. If a file needs it, copies and a map of them
/// (a VFS overlay of clang) are written into `directory`. Returns the options for clang, none if no file needs it.
/// Limits: names of #include directives that are macros are not followed.
[[nodiscard]] std::vector<std::string> overlay_options(const std::string& source, const std::vector<std::string>& flags,
                                                       const std::string& own_headers, const std::string& directory);

}  // namespace castor::castor_cc
