#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/spread.h"

namespace castor::workloads {

/// Result of a statement about a figure. The statement holds (or fails) if it holds (or fails) at both ends of mean ±
/// deviation. Otherwise the result is unclear, as it is with a single run, whose deviation is unknown.
enum class Truth : std::uint8_t { kFails, kUnclear, kHolds };
[[nodiscard]] Truth above(const Spread& figure, double bound);     ///< figure > bound
[[nodiscard]] Truth at_least(const Spread& figure, double bound);  ///< figure >= bound
[[nodiscard]] Truth below(const Spread& figure, double bound);     ///< figure < bound
[[nodiscard]] Truth at_most(const Spread& figure, double bound);   ///< figure <= bound
[[nodiscard]] Truth within(const Spread& figure, double low, double high);
/// Result of a statement without spread, such as an equality that every run must satisfy.
[[nodiscard]] Truth certain(bool holds);
/// Holds if all statements hold, fails if one fails, else unclear.
[[nodiscard]] Truth all_of(const std::vector<Truth>& statements);
/// Holds if one statement holds, fails if all fail, else unclear.
[[nodiscard]] Truth any_of(const std::vector<Truth>& statements);
/// Holds if at least `count` statements hold; fails if fewer can hold; else unclear.
[[nodiscard]] Truth at_least_of(std::size_t count, const std::vector<Truth>& statements);

/// The result of a claim.
enum class Verdict : std::uint8_t {
  kReproduced,    ///< the rule holds, and the runs could have contradicted it
  kConstruction,  ///< the rule holds by construction, so it is no evidence for the source
  kShape,         ///< the direction is reproduced, the size is not
  kNot,           ///< the opposite of the claim is shown
  /// neither the claim nor its opposite is shown: the effect is within its spread, or there is only one run
  kNotShown,
  kOpen,  ///< not measured by these runs
};
/// Returns "reproduced", "by construction", "shape only", "not", "not shown" or "not measured".
[[nodiscard]] const char* text(Verdict verdict);

/// A claim of a source and the result of our runs.
struct Claim {
  std::string id;
  std::string claim;
  std::string source;  ///< the source's figure
  std::string rule;    ///< condition for "reproduced" and for "shape only"
  std::string ours;    ///< our figures with their spread
  Verdict verdict = Verdict::kOpen;
  std::string reason;
  bool invariant = false;  ///< true: if the claim does not hold, the experiment has failed
  /// Why the rule holds regardless of the source's idea: arithmetic, an invariant, or a value taken from the source.
  /// Empty if the runs decide.
  std::string construction = {};
};

/// Marks a claim as holding by construction, for the reason `why`.
void by_construction(Claim& claim, const std::string& why);
/// Marks a claim as an invariant: a run that violates it reveals a bug.
void make_invariant(Claim& claim);

/// Sets the verdict of a measured claim. If `size` holds, it is "reproduced", or "by construction" if the claim
/// declares that. Otherwise `direction` decides: "shape only" if it holds, "not" if it fails, else "not shown". The
/// reason is stored unless the claim is reproduced; a claim by construction stores why it holds.
void conclude(Claim& claim, Truth size, Truth direction, const std::string& reason);
/// Sets the verdict of a claim without a weaker form: "reproduced", "not" or "not shown".
void conclude(Claim& claim, Truth truth, const std::string& reason);

/// Returns the invariants that do not hold, as "S6: not equal: spmv".
[[nodiscard]] std::vector<std::string> broken_invariants(const std::vector<Claim>& claims);

/// Formats a figure for a claim's text.
[[nodiscard]] std::string number(double value, int digits = 2);
/// Formats a figure as "1.57x ±0.12": mean, `unit`, deviation. The deviation is omitted if there is only one run.
[[nodiscard]] std::string number(const Spread& figure, int digits = 2, const std::string& unit = "");

}  // namespace castor::workloads
