#pragma once

#include <cstdint>
#include <cstdio>

namespace castor::test {

/// Counts of the comparisons of a test suite, for the evidence of a block (docs/guides/flows.md, "Evidence").
struct ComparedRuns {
  unsigned sets = 0, runs = 0;
  std::uint64_t cycles = 0;

  /// Prints the line on standard output from which `castor evidence` reads the result. Prints nothing if nothing ran.
  void print(const char* what) const {
    if (runs == 0) return;
    std::printf("evidence: %s: %u sets, %u runs, %llu cycles\n", what, sets, runs,
                static_cast<unsigned long long>(cycles));
  }
};

}  // namespace castor::test
