#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::children {

/// A program of sw/kernels/dynamic with one of its inputs, as the comparison runs it: one row of Wang 2016, table 2.
struct Program {
  /// A numeric option of the program, with its value for each size of the input.
  struct Option {
    const char* name;
    unsigned small, large;
  };
  std::string name;                ///< "bfs_citation"
  const char* program;             ///< name of the program in sw/kernels
  const char* description;         ///< short description for the tables
  const char* in_source;           ///< input that the source uses
  std::vector<const char*> words;  ///< arguments after the form: type of input
  std::vector<Option> options;
};

/// Returns all programs in the order of the source's table.
[[nodiscard]] const std::vector<Program>& programs();
/// Returns the program of that name, or nullptr if there is none.
[[nodiscard]] const Program* find_program(const std::string& name);
[[nodiscard]] std::vector<std::string> program_names();
/// Returns the command line of an input. `form`: "flat" or "cdp"; `size`: "small" or "large".
[[nodiscard]] std::vector<std::string> arguments(const Program& program, const std::string& form,
                                                 const std::string& size, std::uint64_t seed);

}  // namespace castor::workloads::children
