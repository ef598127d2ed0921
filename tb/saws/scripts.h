#pragma once

#include <vector>

#include "castor/base/rng.h"
#include "tb/saws/sequences.h"

namespace castor::saws::tb {

/// Sequence of random inputs without any protocol, in phases of different density. It ignores all outputs. It remembers
/// only the warps of the CTAs that it placed, so that some placements are legal.
class Chaos final : public Sequence {
 public:
  Chaos(const Params& params, std::uint64_t seed) : params_(params), random_(seed ^ 0x6368616F73ULL) {}
  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;

 private:
  void new_phase();
  void operate(Inputs& in);
  [[nodiscard]] U64 warps();
  [[nodiscard]] bool chance(unsigned in_256) { return random_.below(256) < in_256; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  Params params_;
  base::Xoshiro256 random_;
  std::vector<U64> placed_ = std::vector<U64>(32);
  unsigned left_ = 0, start_ = 0, operation_ = 0, event_ = 0, exit_ = 0, unblock_ = 0, ready_ = 0, ack_ = 0;
};

/// Sequence that repeats the worked example of two schedulers (docs/blocks/saws.md, "Worked examples"), alternately
/// without and with toggling. At parameter sets with fewer warps or CTAs, events of missing warps and CTAs are omitted.
class Example final : public Sequence {
 public:
  Example(const Params& params, std::uint64_t seed) : params_(params), random_(seed) {}
  void drive(Inputs& in) override;

 private:
  Params params_;
  base::Xoshiro256 random_;
  unsigned cycle_ = 0;
  unsigned pause_ = 0;  // remaining cycles between two repetitions
  bool toggling_ = false;
};

}  // namespace castor::saws::tb
