#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::children {

/// A program of sw/kernels/dynamic with one of its inputs, as the comparison runs it: a row of the source's table 2.
struct Program {
  /// An option of the program, by size of the input.
  struct Option {
    const char* name;
    unsigned small, large;
  };
  std::string name;                ///< "bfs_citation"
  const char* program;             ///< of sw/kernels
  const char* description;         ///< a few words
  const char* in_source;           ///< the source's input
  std::vector<const char*> words;  ///< behind the form: kind of input
  std::vector<Option> options;
};

/// In the source's order.
[[nodiscard]] const std::vector<Program>& programs();
/// nullptr if there is none.
[[nodiscard]] const Program* find_program(const std::string& name);
[[nodiscard]] std::vector<std::string> program_names();
/// Command line of an input. `form`: "flat", "cdp"; `size`: "small" or "large".
[[nodiscard]] std::vector<std::string> arguments(const Program& program, const std::string& form,
                                                 const std::string& size, std::uint64_t seed);

}  // namespace castor::workloads::children
