#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::base {

/// Functions for words in messages: suggestions for misspelt names, quoting for shells, and readable names of C++
/// functions.

/// Returns `text` without the white space at either end, as a view of `text`.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Returns all words in one string, separated by `between`.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view between);

/// Returns a word as a shell reads it back: in quotes if it is empty or has a character with a special meaning.
[[nodiscard]] std::string shell_word(std::string_view word);

/// Returns a command as one line that a shell reads back.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

/// Returns the candidate closest to `word` by edit distance (insertion, deletion, replacement, swap of two neighbours);
/// of equally close candidates, the first. Empty if the distance is more than a third of the letters.
[[nodiscard]] std::string closest_word(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "did you mean X?" with the closest candidate and with `behind` after its name; empty if no candidate is
/// close.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                                       std::string_view behind = {});

/// Returns a name of PTX as its author wrote it: "_Z3addPKfPfi" becomes "add(float const*, float*, int)". A name that
/// is not mangled stays unchanged, also an `extern "C"` name that spells a mangled type ("i", "f").
[[nodiscard]] std::string demangled(std::string_view name);

/// Returns a name for messages, tables and pictures: as `demangled`, or unchanged if the user wants the names of PTX
/// (CASTOR_MANGLED=1).
[[nodiscard]] std::string readable_name(std::string_view name);

/// Returns the name of a function without result and parameters: "void ns::add<4>(float*)" becomes "ns::add<4>".
[[nodiscard]] std::string function_name(const std::string& demangled);

}  // namespace castor::base
