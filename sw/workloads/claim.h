#pragma once

#include <cstdint>
#include <string>

namespace castor::workloads {

enum class Verdict : std::uint8_t {
  kReproduced,
  kShape,  ///< the direction holds, the size does not
  kNot,
  kOpen,  ///< not measured by these runs
};
/// "reproduced", "shape only", "not", "not measured".
[[nodiscard]] const char* text(Verdict verdict);

/// A claim of a source and what came out.
struct Claim {
  std::string id;
  std::string claim;
  std::string source;  ///< its figure
  std::string ours;
  Verdict verdict = Verdict::kOpen;
  std::string reason;
};

}  // namespace castor::workloads
