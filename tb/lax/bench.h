#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/lax/ports.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/lax/cover_points.h"
#include "tb/lax/sequences.h"

namespace castor::lax {

/// The laxity engine's bench for the twin contract: its own sequences, and its own cover points beside those of the
/// ports (docs/blocks/lax.md, "Verification").
class Bench : public castor::tb::Bench<Block> {
 public:
  explicit Bench(const Params& params) : castor::tb::Bench<Block>(params), points_(params) {
    for (const auto& point : points_.points()) numbers_.push_back(cover().add(point.name));
  }

  static std::vector<castor::tb::SequenceInfo> sequences() {
    std::vector<castor::tb::SequenceInfo> all;
    for (const tb::SequenceInfo& info : tb::sequences()) all.push_back({std::string(info.name), std::string(info.meaning)});
    return all;
  }

  static std::unique_ptr<twin::Sequence<Block>> make(const std::string& name, const Params& params,
                                                     std::uint64_t seed) {
    return std::make_unique<Driver>(tb::make_sequence(name, params, seed));
  }

 private:
  /// The block's sequences count cycles themselves and set every input.
  class Driver final : public twin::Sequence<Block> {
   public:
    explicit Driver(std::unique_ptr<tb::Sequence> sequence) : sequence_(std::move(sequence)) {}
    void drive(Inputs& in) override { sequence_->drive(cycle_++, in); }
    void react(Inputs& in, const Outputs& out) override { sequence_->observe(out, in); }

   private:
    std::unique_ptr<tb::Sequence> sequence_;
    base::Cycle cycle_ = 0;
  };

  tb::CoverPoints points_;
  std::vector<unsigned> numbers_;
};

}  // namespace castor::lax
