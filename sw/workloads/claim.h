#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/spread.h"

namespace castor::workloads {

/// What runs say of a statement about a figure. It holds or fails if it does so at both ends of mean ± deviation;
/// between them, and if one run alone leaves the deviation unknown, the runs say neither.
enum class Truth : std::uint8_t { kFails, kUnclear, kHolds };
[[nodiscard]] Truth above(const Spread& figure, double bound);     ///< > bound
[[nodiscard]] Truth at_least(const Spread& figure, double bound);  ///< >= bound
[[nodiscard]] Truth below(const Spread& figure, double bound);     ///< < bound
[[nodiscard]] Truth at_most(const Spread& figure, double bound);   ///< <= bound
[[nodiscard]] Truth within(const Spread& figure, double low, double high);
/// Of what has no spread, such as an equality that every run must keep.
[[nodiscard]] Truth certain(bool holds);
[[nodiscard]] Truth all_of(const std::vector<Truth>& statements);
[[nodiscard]] Truth any_of(const std::vector<Truth>& statements);
[[nodiscard]] Truth at_least_of(std::size_t count, const std::vector<Truth>& statements);

enum class Verdict : std::uint8_t {
  kReproduced,    ///< by runs that could have come out otherwise
  kConstruction,  ///< the rule holds, and could not but hold: it says nothing of the source
  kShape,         ///< the direction is shown, the size is not
  kNot,           ///< the opposite is shown
  kNotShown,      ///< neither: the effect is within its own spread, or one run has none
  kOpen,          ///< not measured by these runs
};
/// "reproduced", "by construction", "shape only", "not", "not shown", "not measured".
[[nodiscard]] const char* text(Verdict verdict);

/// A claim of a source and what came out.
struct Claim {
  std::string id;
  std::string claim;
  std::string source;  ///< its figure
  std::string rule;    ///< what reproduces it; what is shape only
  std::string ours;    ///< figures with their spread
  Verdict verdict = Verdict::kOpen;
  std::string reason;
  bool invariant = false;  ///< if it does not hold, the experiment has failed
  /// Why the rule holds whatever the source's idea is worth: arithmetic, an invariant, a value set from the source.
  /// Empty: runs decide.
  std::string construction = {};
};

/// Declares a claim that holds by construction, and why.
void by_construction(Claim& claim, const std::string& why);
/// Declares an invariant: a run that breaks it has a bug.
void make_invariant(Claim& claim);

/// The verdict on a claim that was measured. `size`: reproduced if it holds, or by construction where the claim
/// declares that. Else `direction`: shape only if it holds, not if it fails, otherwise not shown. The reason is kept
/// unless the claim is reproduced; of a claim by construction it is why.
void conclude(Claim& claim, Truth size, Truth direction, const std::string& reason);
/// Without a weaker form: reproduced, not, or not shown.
void conclude(Claim& claim, Truth truth, const std::string& reason);

/// Invariants that do not hold, "S6: not equal: spmv".
[[nodiscard]] std::vector<std::string> broken_invariants(const std::vector<Claim>& claims);

/// A figure as claims show it.
[[nodiscard]] std::string number(double value, int digits = 2);
/// "1.57x ±0.12": mean, `unit`, deviation; without a deviation of one run.
[[nodiscard]] std::string number(const Spread& figure, int digits = 2, const std::string& unit = "");

}  // namespace castor::workloads
