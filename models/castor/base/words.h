#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::base {

/// Words that people write and read: what they may have meant, and names of C++ as they wrote them.

/// Without the white space at either end; a view of `text`.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// All words, with `between` in front of each but the first.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view between);

/// A word as a shell takes it: in quotes if it has a sign that means something there, or is empty.
[[nodiscard]] std::string shell_word(std::string_view word);

/// A command as one line that a shell reads back.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

/// Candidate closest to `word` by edit distance (a letter more, less, another one, or two neighbours swapped), the
/// first of several; empty if even that is far (more than a third of the letters).
[[nodiscard]] std::string closest_word(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean X?" for the closest candidate, with `behind` between it and what follows; empty if none is close.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                                       std::string_view behind = {});

/// A name of PTX as its author wrote it: "_Z3addPKfPfi" is "add(float const*, float*, int)". What is no mangled name of
/// C++ stays as it is, `extern "C"` names among them, also those that spell a type ("i", "f").
[[nodiscard]] std::string demangled(std::string_view name);

/// As `demangled`, for messages, tables and pictures, unless the user wants names as they stand in PTX
/// (CASTOR_MANGLED=1).
[[nodiscard]] std::string readable_name(std::string_view name);

/// A name as `demangled` gives it without result and parameters: "void ns::add<4>(float*)" is "ns::add<4>".
[[nodiscard]] std::string function_name(const std::string& demangled);

}  // namespace castor::base
