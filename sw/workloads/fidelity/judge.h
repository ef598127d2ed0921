#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/fidelity/published.h"

/// Comparison of a machine with published values, by the rule of docs/results/fidelity.md, "Rule".
namespace castor::workloads::fidelity {

inline constexpr double kBar = 0.15;  ///< largest deviation from the published value with which a row is within the bar
inline constexpr double kFar = 0.5;   ///< a larger deviation needs a reason that names a missing feature
inline constexpr double kRowsWithin = 0.8;  ///< required share of a chip's rows within the bar

enum class Judgement : std::uint8_t { kNoValue, kNotMeasured, kWithin, kBeyond, kFar };

/// One row: our figure beside the published value.
struct Compared {
  const Row* row = nullptr;
  const Value* value = nullptr;  ///< nullptr: no value was published
  double ours = 0;               ///< in the row's unit, by the chip's clock
  /// Relative to the published value, or to the nearer end of an interval; 0 inside the interval
  double deviation = 0;
  Judgement judgement = Judgement::kNoValue;
  const Reason* reason = nullptr;
};

/// Returns all rows in their order; the result refers to `published` and `chip`. `figures`: figures that the benchmarks
/// printed on the machine, by row, in ticks of the machine.
[[nodiscard]] std::vector<Compared> compare(const Published& published, const Chip& chip,
                                            const std::map<std::string, double>& figures);

/// Number of rows, and number of rows within the bar.
struct Count {
  unsigned rows = 0, within = 0;
};

/// Counts of rows that have a published value and were measured.
struct Counts {
  Count all, set, follows, predicted, read, quoted;
  unsigned far = 0;
  [[nodiscard]] bool enough() const { return all.within >= kRowsWithin * all.rows; }
};
/// Counts the rows that have a published value and were measured.
[[nodiscard]] Counts count(const std::vector<Compared>& rows);

/// Returns the rows beyond the bar without a reason, and the far rows whose reason names no missing feature: "machine:
/// row: ...".
[[nodiscard]] std::vector<std::string> without_reason(const Chip& chip, const std::vector<Compared>& rows);
/// Returns reasons that are not needed, because their rows are within the bar.
[[nodiscard]] std::vector<std::string> needless_reasons(const Chip& chip, const std::vector<Compared>& rows);

}  // namespace castor::workloads::fidelity
