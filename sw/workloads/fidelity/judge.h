#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/fidelity/published.h"

/// The rule of docs/results/fidelity.md, "Rule".
namespace castor::workloads::fidelity {

inline constexpr double kBar = 0.15;        ///< a row is within it of the published value
inline constexpr double kFar = 0.5;         ///< a row beyond it needs the name of a missing feature
inline constexpr double kRowsWithin = 0.8;  ///< share of a chip's rows that are to be within the bar

enum class Judgement : std::uint8_t { kNoValue, kNotMeasured, kWithin, kBeyond, kFar };

/// One row of a machine beside what was published.
struct Compared {
  const Row* row = nullptr;
  const Value* value = nullptr;  ///< nullptr: none was published
  double ours = 0;               ///< in the row's unit, by the chip's clock
  double deviation = 0;          ///< of the published value, or of the nearer end of an interval; 0 inside it
  Judgement judgement = Judgement::kNoValue;
  const Reason* reason = nullptr;
};

/// All rows in their order. `figures`: what the benchmarks printed on the machine, by row, per tick of the machine.
/// Refers to `published` and `chip`.
[[nodiscard]] std::vector<Compared> compare(const Published& published, const Chip& chip,
                                            const std::map<std::string, double>& figures);

struct Count {
  unsigned rows = 0, within = 0;
};

/// Rows with a published value that were measured.
struct Counts {
  Count all, set, follows, predicted, read, quoted;
  unsigned far = 0;
  [[nodiscard]] bool enough() const { return all.within >= kRowsWithin * all.rows; }
};
[[nodiscard]] Counts count(const std::vector<Compared>& rows);

/// Rows beyond the bar without a reason, and far ones without the name of what is missing: "machine: row: ...".
[[nodiscard]] std::vector<std::string> without_reason(const Chip& chip, const std::vector<Compared>& rows);
/// Reasons that stand for a row within the bar.
[[nodiscard]] std::vector<std::string> needless_reasons(const Chip& chip, const std::vector<Compared>& rows);

}  // namespace castor::workloads::fidelity
