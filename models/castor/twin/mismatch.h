#pragma once

#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/time.h"

namespace castor::twin {

/// Idle cycles that waves of a mismatch show behind the cycle that differs.
inline constexpr base::Cycle kCyclesAfterMismatch = 8;

/// Everything about the first difference between model and RTL.
struct Mismatch {
  std::string block;
  std::string params;  ///< "NumQueues 128, ..."
  base::Cycle cycle = 0;
  std::string field;     ///< an output, or "probe_<name>"
  std::string expected;  ///< the model's value
  std::string actual;    ///< the RTL's
  std::uint64_t seed = 0;
  std::string replay;                  ///< command that runs into it again; may be empty
  std::vector<std::string> waves;      ///< files with the cycles before it
  base::Cycle first = base::kForever;  ///< the first cycle in them
  std::string no_waves;                ///< why there are none

  /// One paragraph for a reader.
  [[nodiscard]] std::string text() const;
};

/// Model and RTL differ. Thrown by the call that saw it; the twin must not be used any more.
class MismatchError : public base::Error {
 public:
  explicit MismatchError(Mismatch mismatch) : base::Error(mismatch.text()), mismatch_(std::move(mismatch)) {}
  [[nodiscard]] const Mismatch& mismatch() const { return mismatch_; }

 private:
  Mismatch mismatch_;
};

}  // namespace castor::twin
