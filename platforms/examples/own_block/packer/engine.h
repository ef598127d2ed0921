#pragma once

#include "packer/ports.h"

namespace blocks::packer {

/// The cycle model. A thread block goes to the SM of the one before it, as long as it fits there and the SM has not had
/// `depth` of them in a row; else to the next SM in circular order that takes it, the same one last. The first goes to
/// the lowest SM. Offers are combinational in `fits` and `depth`; a grant without an offer does nothing.
///
/// Source: our choice. Limits: it knows nothing of what thread blocks share.
class Engine {
 public:
  explicit Engine(const Params& params) : params_(params) {
    params_.check();
    reset();
  }

  const Outputs& settle(const Inputs& in) {
    out_.place_valid = in.fits != 0 ? 1 : 0;
    out_.place_sm = static_cast<U8>(in.fits != 0 ? choose(in) : 0);
    return out_;
  }

  void clock(const Inputs& in) {
    if (in.place_grant == 0 || in.fits == 0) return;
    const unsigned sm = choose(in);
    run_ = static_cast<U8>(!stays(in) ? 1 : run_ == kMost ? kMost : run_ + 1);
    sm_ = static_cast<U8>(sm);
  }

  void reset() {
    out_ = {};
    sm_ = static_cast<U8>(params_.NumSms - 1);
    run_ = 0;
  }

  // Nothing happens by itself.
  [[nodiscard]] twin::Cycle quiet() const { return castor::base::kForever; }
  void idle(twin::Cycle /*n*/) {}

  [[nodiscard]] Probes probes() const { return {sm_, run_}; }

 private:
  static constexpr U8 kMost = 255;

  [[nodiscard]] bool stays(const Inputs& in) const {
    return run_ != 0 && (in.fits >> sm_ & 1) != 0 && (in.depth == 0 || run_ < in.depth);
  }
  /// `fits` is not empty.
  [[nodiscard]] unsigned choose(const Inputs& in) const {
    if (stays(in)) return sm_;
    const U64 behind = in.fits & (~U64{0} << sm_ << 1);
    return static_cast<unsigned>(__builtin_ctzll(behind != 0 ? behind : in.fits));
  }

  Params params_;
  Outputs out_;
  U8 sm_ = 0;
  U8 run_ = 0;
};

}  // namespace blocks::packer
