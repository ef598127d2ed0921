#pragma once

#include "packer/ports.h"

namespace blocks::packer {

/// The cycle model of the block. A thread block goes to the same SM as the previous one, as long as it fits there and
/// the SM has not received `depth` thread blocks in a row. Otherwise it goes to the next SM in circular order that can
/// take it; the same SM comes last. The first thread block goes to the lowest SM. Offers depend combinationally on
/// `fits` and `depth`; a grant without an offer has no effect.
///
/// Source: our choice. Limits: the block does not know which data thread blocks share.
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

  // The block changes state only on inputs, so it is quiet forever without them.
  [[nodiscard]] twin::Cycle quiet() const { return castor::base::kForever; }
  void idle(twin::Cycle /*n*/) {}

  [[nodiscard]] Probes probes() const { return {sm_, run_}; }

 private:
  static constexpr U8 kMost = 255;

  [[nodiscard]] bool stays(const Inputs& in) const {
    return run_ != 0 && (in.fits >> sm_ & 1) != 0 && (in.depth == 0 || run_ < in.depth);
  }
  /// Returns the SM of the offer. `fits` must not be empty.
  [[nodiscard]] unsigned choose(const Inputs& in) const {
    if (stays(in)) return sm_;
    const U64 behind = in.fits & (~U64{0} << sm_ << 1);
    return static_cast<unsigned>(__builtin_ctzll(behind != 0 ? behind : in.fits));
  }

  Params params_;
  Outputs out_;
  /// SM of the last thread block placed. Updated with each grant; reset to the highest SM.
  U8 sm_ = 0;
  /// Thread blocks placed on `sm_` in a row, saturating at kMost. Set to 1 when the SM changes or when the count for
  /// the same SM starts again; reset to 0.
  U8 run_ = 0;
};

}  // namespace blocks::packer
