#pragma once

#include "castor/base/rng.h"
#include "tb/darsie/script.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie::tb {

/// Sequence that plays stimulus texts one after another, with pauses between them.
class Scripts final : public Sequence {
 public:
  /// `scripts` must outlive the sequence; each script is a list of cycles in the format of `play`.
  Scripts(const Params& params, std::uint64_t seed, const std::vector<std::vector<const char*>>& scripts)
      : params_(params), random_(seed ^ 0x736372697074ULL), scripts_(scripts) {}
  void drive(Inputs& in) override;

 private:
  Params params_;
  base::Xoshiro256 random_;
  const std::vector<std::vector<const char*>>& scripts_;
  std::size_t script_ = 0, row_ = 0, pause_ = 0;
};

/// Returns the sequence that plays the golden traces.
[[nodiscard]] std::unique_ptr<Sequence> golden_script(const Params& params, std::uint64_t seed);
/// Returns the sequence that plays situations which the front end reaches only by chance. Events: stores in the cycle
/// of a skip, wait or election, leaves of stopped or waiting warps, tied votes, two meetings that complete
/// simultaneously. States: a pair with one free row, a row that stays stale during another election, a warp with three
/// pending versions of one register.
[[nodiscard]] std::unique_ptr<Sequence> corner_script(const Params& params, std::uint64_t seed);
/// Returns the texts of corner_script.
[[nodiscard]] const std::vector<std::vector<const char*>>& corners();

}  // namespace castor::darsie::tb
