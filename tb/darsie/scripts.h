#pragma once

#include "castor/base/rng.h"
#include "tb/darsie/script.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie::tb {

/// Plays texts of stimulus one after another, with pauses between them.
class Scripts final : public Sequence {
 public:
  /// `scripts` must live as long: lists of cycles, each as `play` takes it.
  Scripts(const Params& params, std::uint64_t seed, const std::vector<std::vector<const char*>>& scripts)
      : params_(params), random_(seed ^ 0x736372697074ULL), scripts_(scripts) {}
  void drive(Inputs& in) override;

 private:
  Params params_;
  base::Xoshiro256 random_;
  const std::vector<std::vector<const char*>>& scripts_;
  std::size_t script_ = 0, row_ = 0, pause_ = 0;
};

/// The golden traces.
[[nodiscard]] std::unique_ptr<Sequence> golden_script(const Params& params, std::uint64_t seed);
/// What the front end does only by chance: stores in the cycle of a skip, a latch, an election; pairs with one free
/// row; leaves of warps that are stopped or wait; votes that tie; two meetings complete at once; a row that stays stale
/// while another is elected; a warp that lags behind three versions of one register.
[[nodiscard]] std::unique_ptr<Sequence> corner_script(const Params& params, std::uint64_t seed);
/// Texts of corner_script.
[[nodiscard]] const std::vector<std::vector<const char*>>& corners();

}  // namespace castor::darsie::tb
