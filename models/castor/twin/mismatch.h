#pragma once

#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/time.h"

namespace castor::twin {

/// Number of idle cycles after the first difference that the waves of a mismatch show.
inline constexpr base::Cycle kCyclesAfterMismatch = 8;

/// The first difference between model and RTL, with all data of its message.
struct Mismatch {
  std::string block;
  std::string params;  ///< parameters of the block: "NumQueues 128, ..."
  base::Cycle cycle = 0;
  std::string field;     ///< name of an output, or "probe_<name>"
  std::string expected;  ///< value in the model
  std::string actual;    ///< value in the RTL
  std::uint64_t seed = 0;
  std::string replay;                  ///< command that reproduces the mismatch; may be empty
  std::vector<std::string> waves;      ///< wave files with the cycles before the mismatch
  base::Cycle first = base::kForever;  ///< first cycle in the wave files
  std::string no_waves;                ///< reason why no waves were written; empty if waves were written

  /// Returns the mismatch as one paragraph of text.
  [[nodiscard]] std::string text() const;
};

/// Thrown by the call that finds a difference between model and RTL. The twin must not be used afterwards.
class MismatchError : public base::Error {
 public:
  explicit MismatchError(Mismatch mismatch) : base::Error(mismatch.text()), mismatch_(std::move(mismatch)) {}
  [[nodiscard]] const Mismatch& mismatch() const { return mismatch_; }

 private:
  Mismatch mismatch_;
};

}  // namespace castor::twin
