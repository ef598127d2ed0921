#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::darsie {

/// A CUDA program of sw/kernels as the comparison runs it, modelled after an application of Yeh 2020, table 7.1.
struct Program {
  /// A numeric option of the program: its value for seed 1, and the increment for each further seed.
  struct Option {
    const char* name;
    unsigned small, large, step;
  };
  /// name of the program in the source, such as "MM"; variants add the shape, "CONVTEX/16x16"
  std::string name;
  const char* program;      ///< name of the program in sw/kernels
  const char* description;  ///< short description for the tables
  const char* shape;        ///< shape of its thread blocks, "32x32"
  bool two_dimensional;     ///< whether its thread blocks are two-dimensional
  unsigned warps;           ///< warps per thread block
  bool barriers;            ///< whether its thread blocks use barriers
  /// Machine keys for every system except `uncapped`: a limit of registers per thread, so that register rows are left,
  /// and the number of renamed registers.
  std::vector<std::string> keys;
  std::vector<Option> options;
  /// Kernels whose name contains this text are excluded from the figures; "" excludes none.
  const char* left_out = "";
  bool variant = false;  ///< true: excluded from means, and run only if named
};

/// Returns all programs: one-dimensional ones first, each group in the source's order, then variants.
[[nodiscard]] const std::vector<Program>& programs();
/// Returns the program of that name, or nullptr if there is none.
[[nodiscard]] const Program* find_program(const std::string& name);
/// Returns the names of the programs with one- or two-dimensional thread blocks, without variants.
[[nodiscard]] std::vector<std::string> program_names(bool two_dimensional);
/// Returns the names of the variants: two kernels in blocks of 256 threads of six shapes.
[[nodiscard]] std::vector<std::string> shape_names();
/// Returns the command line of an input. `size`: "small" or "large".
[[nodiscard]] std::vector<std::string> arguments(const Program& program, const std::string& size, std::uint64_t seed);

}  // namespace castor::workloads::darsie
