#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::darsie {

/// A CUDA program of sw/kernels as the comparison runs it, after one of the applications of the source (Yeh 2020, table
/// 7.1).
struct Program {
  /// An option of the program: its value for seed 1, and what each further seed adds.
  struct Option {
    const char* name;
    unsigned small, large, step;
  };
  std::string name;         ///< the source's word, "MM"; with a shape "CONVTEX/16x16"
  const char* program;      ///< of sw/kernels
  const char* description;  ///< a few words
  const char* shape;        ///< of its thread blocks, "32x32"
  bool two_dimensional;     ///< its thread blocks are
  unsigned warps;           ///< of a thread block
  bool barriers;            ///< its thread blocks meet at barriers
  /// Keys of the machine for every system but `uncapped`: registers, so that rows are left, and registers renamed.
  std::vector<std::string> keys;
  std::vector<Option> options;
  /// Kernel whose name has this in it is no part of the figures; "" for none.
  const char* left_out = "";
  bool variant = false;  ///< not in the comparison unless named, and in no mean
};

/// Those of one dimension first, each group in the source's order; then variants.
[[nodiscard]] const std::vector<Program>& programs();
/// nullptr if there is none.
[[nodiscard]] const Program* find_program(const std::string& name);
/// Their names, variants left out.
[[nodiscard]] std::vector<std::string> program_names(bool two_dimensional);
/// Two kernels in blocks of 256 threads of six shapes: names of variants.
[[nodiscard]] std::vector<std::string> shape_names();
/// Command line of an input. `size`: "small" or "large".
[[nodiscard]] std::vector<std::string> arguments(const Program& program, const std::string& size, std::uint64_t seed);

}  // namespace castor::workloads::darsie
