#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::saws {

/// A CUDA program of sw/kernels that the comparison runs.
struct Program {
  /// A numeric option of the program: its value for seed 1, and the increment for each further seed. The increment
  /// exists because the data do not change the time of many programs.
  struct Option {
    const char* name;
    unsigned small, large, step;
  };
  const char* name;
  bool barriers;            ///< whether its thread blocks use barriers
  const char* in_source;    ///< the source's name of the program; "" if the source does not name it
  const char* description;  ///< short description for the tables
  std::vector<Option> options;
};

/// Returns all programs, those with barriers first.
[[nodiscard]] const std::vector<Program>& programs();
/// Returns the program of that name, or nullptr if there is none.
[[nodiscard]] const Program* find_program(const std::string& name);
/// Returns the names of the programs with or without barriers.
[[nodiscard]] std::vector<std::string> program_names(bool barriers);
/// Returns the command line of an input. `size`: "small" or "large".
[[nodiscard]] std::vector<std::string> arguments(const Program& program, const std::string& size, std::uint64_t seed);

}  // namespace castor::workloads::saws
