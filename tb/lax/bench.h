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
  explicit Bench(const twin::Twin<Block>& machine)
      : castor::tb::Bench<Block>(machine),
        points_(machine.params(), [&machine](U16 address) { return machine.peek(address); }) {
    for (const auto& point : points_.points()) numbers_.push_back(cover().add(point.name));
  }

  void watch(const Inputs& in, const Outputs& out, const Probes& probes) override {
    castor::tb::Bench<Block>::watch(in, out, probes);
    points_.sample(in, out, probes);
  }
  void finish() override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) cover().set_hits(numbers_[i], points_.points()[i].hits);
    if (!points_.impossible().empty()) throw base::Error("lax: " + points_.impossible().front());
  }

  static std::vector<castor::tb::SequenceInfo> sequences() {
    std::vector<castor::tb::SequenceInfo> all;
    for (const tb::SequenceInfo& info : tb::sequences())
      all.push_back({std::string(info.name), std::string(info.meaning)});
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
    [[nodiscard]] base::Cycle rest() override { return sequence_->rest(cycle_); }
    void skip(base::Cycle n) override { cycle_ += n; }

   private:
    std::unique_ptr<tb::Sequence> sequence_;
    base::Cycle cycle_ = 0;
  };

  tb::CoverPoints points_;
  std::vector<unsigned> numbers_;
};

}  // namespace castor::lax
