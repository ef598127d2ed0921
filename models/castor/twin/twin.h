#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "castor/base/running_call.h"
#include "castor/twin/block.h"
#include "castor/twin/inside.h"

namespace castor::twin {

/// Interface of one block as a clocked machine. The implementation is the cycle model, the RTL, or both in lockstep.
///
/// Use this interface where the implementation is chosen at run time. Code that always uses the model uses Model<Block>
/// or the Engine directly and pays no virtual calls.
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

  /// Returns the outputs of this cycle; registered state does not change. Inputs that are known only later in the cycle
  /// (acknowledges, events) may still be missing in `in`, unless they are kSettle inputs. Valid until the next call.
  virtual const Outputs& settle(const Inputs& in) = 0;
  /// Applies the clock edge that ends this cycle.
  virtual void clock(const Inputs& in) = 0;
  /// Sets the state that follows a reset.
  virtual void reset() = 0;
  /// Returns a lower bound of the number of future idle edges that change no output; 0 is always correct. An idle edge
  /// has events and payloads 0, levels as in the last clock, and time plus 1.
  [[nodiscard]] virtual Cycle quiet() const = 0;
  /// Applies exactly n idle edges; n <= quiet().
  virtual void idle(Cycle n) = 0;
  /// Returns the registers that both model and RTL make visible.
  [[nodiscard]] virtual Probes probes() const = 0;
  /// Returns whether this twin is the cycle model alone, without a comparison with RTL.
  [[nodiscard]] virtual bool is_model() const { return false; }
  /// Whether this twin has probes; a netlist has none.
  [[nodiscard]] virtual bool has_probes() const { return true; }
  /// Returns a register for a debugger, without side effect and without simulated time; empty if this twin cannot.
  [[nodiscard]] virtual std::optional<U32> peek(U16 /*address*/) const { return std::nullopt; }
  /// Selects whether a clock edge whose inputs break an assumption of the RTL's properties throws base::Error. The
  /// check is on by default; a bench that breaks the protocol on purpose switches it off. A cycle model checks nothing.
  virtual void check_assumptions(bool /*on*/) {}
  /// Lets inputs break one assumption from now on, while the others stay checked: for surroundings that are known to do
  /// what the properties exclude. `name` is the one that the error gives, such as u_properties.one_event_per_warp.
  virtual void excuse_assumption(const std::string& /*name*/) {}
  /// Returns the internal signals, for waves; null if this twin does not show them. Lives as long as the twin.
  [[nodiscard]] virtual Inside* inside() { return nullptr; }

 protected:
  /// Throws InputError for illegal parameters.
  explicit Twin(const Params& params) : params_(checked<Block>(params)) {}

 private:
  Params params_;
};

/// The cycle model as a twin. An exception of the engine arrives as a base::Error with the name of the block. A
/// base::CallWatch detects a call of the engine that does not return.
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
  Cycle cycle_ = 0;  ///< number of edges so far
};

}  // namespace castor::twin
