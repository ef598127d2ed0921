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

/// The verdict on a claim that was measured: reproduced if `good`, else shape only or not, with the reason.
void conclude(Claim& claim, bool good, bool shape, const std::string& reason);

/// A figure as claims show it.
[[nodiscard]] std::string number(double value, int digits = 2);

}  // namespace castor::workloads
