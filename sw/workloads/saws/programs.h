#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::saws {

/// A CUDA program of sw/kernels that the comparison runs.
struct Program {
  /// An option of the program: its value for seed 1, and what each further seed adds, since with many programs the data
  /// do not change the time.
  struct Option {
    const char* name;
    unsigned small, large, step;
  };
  const char* name;
  bool barriers;            ///< its thread blocks meet at barriers
  const char* in_source;    ///< what the source calls it; "" if it does not name it
  const char* description;  ///< a few words
  std::vector<Option> options;
};

/// Those with barriers first.
[[nodiscard]] const std::vector<Program>& programs();
/// nullptr if there is none.
[[nodiscard]] const Program* find_program(const std::string& name);
/// Their names.
[[nodiscard]] std::vector<std::string> program_names(bool barriers);
/// Command line of an input. `size`: "small" or "large".
[[nodiscard]] std::vector<std::string> arguments(const Program& program, const std::string& size, std::uint64_t seed);

}  // namespace castor::workloads::saws
