#pragma once

#include <memory>
#include <string>

#include "castor/lax/ports.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/lax/cover_points.h"
#include "tb/lax/sequences.h"

namespace castor::lax {

/// The laxity engine's bench for the twin contract: its own sequences, and its own cover points beside those of the
/// ports (docs/blocks/lax.md, "Verification").
class Bench : public castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences> {
 public:
  explicit Bench(const twin::Twin<Block>& machine)
      : ProtocolBench(machine, [&machine](U16 address) { return machine.peek(address); }) {}

  void finish() override {
    ProtocolBench::finish();
    if (!points().impossible().empty()) throw base::Error("lax: " + points().impossible().front());
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
};

}  // namespace castor::lax
