#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "castor/base/running_call.h"
#include "castor/twin/block.h"
#include "castor/twin/inside.h"

namespace castor::twin {

/// One block as a clocked machine, whatever is behind it: the cycle model, the RTL, or both in lockstep.
///
/// This is the interface where the twin is chosen at run time. Who knows at compile time that it wants the model uses
/// Model<Block>, or the Engine itself, and pays nothing.
template <class BlockT>
class Twin {
 public:
  using Block = BlockT;
  using Params = typename Block::Params;
  using Inputs = typename Block::Inputs;
  using Outputs = typename Block::Outputs;
  using Probes = typename Block::Probes;

  virtual ~Twin() = default;
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  [[nodiscard]] const Params& params() const { return params_; }

  /// Outputs of this cycle; registered state stays as it is. `in` may still lack what is known later in the cycle
  /// (acknowledges, events), as long as it is no kSettle input that moves. Valid until the next call.
  virtual const Outputs& settle(const Inputs& in) = 0;
  /// The edge that ends this cycle.
  virtual void clock(const Inputs& in) = 0;
  /// The state after reset has been held.
  virtual void reset() = 0;
  /// Coming idle edges that surely change no output; a lower bound, 0 is always right. An idle edge has events and
  /// payloads 0, levels as in the last clock, and time one further.
  [[nodiscard]] virtual Cycle quiet() const = 0;
  /// Exactly n idle edges; n <= quiet().
  virtual void idle(Cycle n) = 0;
  /// Registers that both twins show.
  [[nodiscard]] virtual Probes probes() const = 0;
  /// It is the cycle model and nothing else: nobody compares what it shows.
  [[nodiscard]] virtual bool is_model() const { return false; }
  /// Whether it has them all; a netlist has none.
  [[nodiscard]] virtual bool has_probes() const { return true; }
  /// A register as a debugger sees it: without side effect and without time. Nothing if this twin cannot look.
  [[nodiscard]] virtual std::optional<U32> peek(U16 /*address*/) const { return std::nullopt; }
  /// Whether an edge whose inputs break an assumption of the RTL's properties throws base::Error. It does unless a
  /// bench that breaks the rules on purpose says otherwise; a cycle model checks none.
  virtual void check_assumptions(bool /*on*/) {}
  /// What is inside, for waves; null: this twin does not show it. Lives as long as the twin.
  [[nodiscard]] virtual Inside* inside() { return nullptr; }

 protected:
  /// Throws InputError for illegal parameters.
  explicit Twin(const Params& params) : params_(checked<Block>(params)) {}

 private:
  Params params_;
};

/// The cycle model behind the interface. What its engine throws arrives as a base::Error with the name of the block,
/// and a base::CallWatch sees a call that does not end.
template <class Block>
class Model final : public Twin<Block> {
 public:
  using typename Twin<Block>::Inputs;
  using typename Twin<Block>::Outputs;
  using typename Twin<Block>::Probes;
  using Engine = typename Block::Engine;

  explicit Model(const typename Block::Params& params) : Twin<Block>(params), engine_(params) {}

  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] const Engine& engine() const { return engine_; }

  const Outputs& settle(const Inputs& in) override {
    static constexpr base::CallSite kSite{Block::kBlock, "settle"};
    return base::call_named(kSite, cycle_, [&]() -> const Outputs& { return engine_.settle(in); });
  }
  void clock(const Inputs& in) override {
    static constexpr base::CallSite kSite{Block::kBlock, "clock"};
    base::call_named(kSite, cycle_++, [&] { engine_.clock(in); });
  }
  void reset() override {
    static constexpr base::CallSite kSite{Block::kBlock, "reset"};
    base::call_named(kSite, cycle_, [&] { engine_.reset(); });
  }
  [[nodiscard]] Cycle quiet() const override {
    static constexpr base::CallSite kSite{Block::kBlock, "quiet"};
    return base::call_named(kSite, cycle_, [&] { return engine_.quiet(); });
  }
  void idle(Cycle n) override {
    static constexpr base::CallSite kSite{Block::kBlock, "idle"};
    base::call_named(kSite, cycle_, [&] { engine_.idle(n); });
    cycle_ += n;
  }
  [[nodiscard]] bool is_model() const override { return true; }
  [[nodiscard]] Probes probes() const override {
    static constexpr base::CallSite kSite{Block::kBlock, "probes"};
    return base::call_named(kSite, cycle_, [&] { return engine_.probes(); });
  }
  [[nodiscard]] std::optional<U32> peek([[maybe_unused]] U16 address) const override {
    if constexpr (detail::has_peek<Engine>) {
      return engine_.peek(address);
    } else {
      return std::nullopt;
    }
  }

 private:
  Engine engine_;
  Cycle cycle_ = 0;  ///< edges so far
};

}  // namespace castor::twin
