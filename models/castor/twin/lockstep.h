#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/twin/inside_history.h"
#include "castor/twin/mismatch.h"
#include "castor/twin/port_waves.h"
#include "castor/twin/twin.h"

namespace castor::twin {

/// Options for the message and the waves of a mismatch in lockstep.
struct LockstepOptions {
  std::uint64_t seed = 0;  ///< seed of the stimulus, for the message
  std::string replay;      ///< command that repeats the run, for the message
  std::string waves;       ///< the last cycles go to <waves>.model.vcd and <waves>.rtl.vcd; empty = no waves. The RTL's
                           ///< file has internal signals if the twin shows them (Twin::inside)
  bool one_file = false;   ///< writes one file <waves>.vcd instead, with scopes `model` and `rtl.top`
};

/// A twin that runs model and RTL in lockstep. Outputs are compared at every settle, field by field. Probes are
/// compared in every cycle, unless the RTL is a netlist, which has none. Model and RTL are never resynchronised. The
/// first difference throws MismatchError. The outputs returned to callers are the model's.
///
/// `idle(n)` clocks the RTL n times and lets the model skip. In each of these cycles it compares the RTL's outputs with
/// those of the model, which must not change; at the end it compares the probes. So every run that skips idle cycles
/// also tests the skipping.
template <class Block>
class Lockstep final : public Twin<Block> {
 public:
  using typename Twin<Block>::Inputs;
  using typename Twin<Block>::Outputs;
  using typename Twin<Block>::Probes;

  /// Number of cycles that the waves show up to and including the cycle of a mismatch.
  static constexpr std::size_t kHistory = 200;
  /// Number of idle cycles that the waves show after the cycle of a mismatch.
  static constexpr std::size_t kAfter = kCyclesAfterMismatch;

  /// Model and RTL must have equal parameters.
  Lockstep(std::unique_ptr<Twin<Block>> model, std::unique_ptr<Twin<Block>> rtl, LockstepOptions options)
      : Twin<Block>(model->params()),
        model_(std::move(model)),
        rtl_(std::move(rtl)),
        options_(std::move(options)),
        history_(kHistory + kAfter),
        compares_probes_(rtl_->has_probes()) {
    CASTOR_ASSERT(same_params(model_->params(), rtl_->params()));
    if (Inside* const inside = rtl_->inside()) {
      // Two samples per cycle: one at its clock edge and one in its middle.
      inside_ = std::make_unique<InsideHistory>(*inside, 2 * (kHistory + kAfter));
    }
    reset();
  }

  const Outputs& settle(const Inputs& in) override {
    expected_ = &model_->settle(in);
    actual_ = &rtl_->settle(in);
    if (differ_outputs()) fail(in);
    return *expected_;
  }

  void clock(const Inputs& in) override {
    if (expected_ == nullptr) settle(in);
    check_inputs(in);
    if (inside_)
      actual_ = &rtl_->settle(in);  // sets the internal signals for the sample in `remember`, with all
                                    // inputs of the cycle
    remember(in);
    expected_ = nullptr;
    model_->clock(in);
    edge(in);
    compare_probes();
  }

  void reset() override {
    model_->reset();
    rtl_->reset();
    last_ = Inputs{};
    expected_ = nullptr;
    compare_probes();
  }

  void check_assumptions(bool on) override { rtl_->check_assumptions(on); }
  void excuse_assumption(const std::string& name) override { rtl_->excuse_assumption(name); }

  [[nodiscard]] Cycle quiet() const override { return model_->quiet(); }

  void idle(Cycle n) override {
    CASTOR_ASSERT_AT(cycle_, n <= quiet(), "%s: idle(%llu) while only %llu cycles are quiet", Block::kBlock,
                     static_cast<unsigned long long>(n), static_cast<unsigned long long>(quiet()));
    if (n == 0) return;
    Inputs in = last_;
    make_idle<Block>(in, this->params());
    advance_time<Block>(in, this->params(), 1);
    const Outputs constant = model_->settle(in);
    for (Cycle i = 0; i < n; ++i) {
      behind_ = i;
      expected_ = &constant;
      actual_ = &rtl_->settle(in);
      if (differ_outputs()) fail(in);
      remember(in);
      edge(in);
      advance_time<Block>(in, this->params(), 1);
    }
    expected_ = nullptr;
    behind_ = 0;
    model_->idle(n);
    compare_probes();
  }

  /// Returns the probes of the model.
  [[nodiscard]] Probes probes() const override { return model_->probes(); }
  [[nodiscard]] std::optional<U32> peek(U16 address) const override { return model_->peek(address); }
  /// Returns the internal signals of the RTL.
  [[nodiscard]] Inside* inside() override { return inside_.get(); }

  /// Cycles clocked since construction.
  [[nodiscard]] Cycle cycle() const { return cycle_; }

 private:
  /// One cycle of the history for the waves.
  struct Moment {
    Cycle cycle;
    Inputs in;
    Outputs expected, actual;
    Probes model, rtl;
  };

  [[nodiscard]] bool differ_outputs() const {
    bool differ = false;
    Block::each_output([&](const Port&, auto member, auto) { differ |= expected_->*member != actual_->*member; },
                       this->params());
    return differ;
  }

  void compare_probes() {
    model_probes_ = model_->probes();
    if (!compares_probes_) return;
    rtl_probes_ = rtl_->probes();
    bool differ = false;
    Block::each_probe([&](const Port&, auto member, auto) { differ |= model_probes_.*member != rtl_probes_.*member; },
                      this->params());
    if (differ) fail(last_);
  }

  void check_inputs(const Inputs& in) const {
    Block::each_input(
        [&](const Port& port, auto member, auto) {
          CASTOR_ASSERT_AT(cycle_, in_range(in.*member, port.shape), "%s: input %.*s is %s, beyond its %u bits",
                           Block::kBlock, static_cast<int>(port.name.size()), port.name.data(),
                           value_text(in.*member, port.shape).c_str(), port.shape.width());
        },
        this->params());
  }

  /// Applies the clock edge that ends this cycle to the RTL.
  void edge(const Inputs& in) {
    rtl_->clock(in);
    last_ = in;
    ++cycle_;
    if (inside_) inside_->look(cycle_ * kCyclePicoseconds);
  }

  /// Stores this cycle, which is settled, in the history for the waves.
  void remember(const Inputs& in) {
    if (inside_) inside_->look(cycle_ * kCyclePicoseconds + kCyclePicoseconds / 2);
    if (options_.waves.empty()) return;  // no waves are wanted
    history_[next_] = {cycle_, in, *expected_, *actual_, model_probes_, rtl_probes_};
    next_ = (next_ + 1) % history_.size();
    remembered_ = std::min(remembered_ + 1, history_.size());
  }

  /// Describes the first differing field and throws MismatchError.
  [[noreturn]] void fail(Inputs in) {
    Mismatch mismatch;
    mismatch.block = Block::kBlock;
    mismatch.params = params_text(this->params());
    mismatch.cycle = cycle_;
    mismatch.seed = options_.seed;
    mismatch.replay = options_.replay;
    const auto note = [&mismatch](const std::string& field, const auto& expected, const auto& actual, Shape shape) {
      if (!mismatch.field.empty() || expected == actual) return;
      mismatch.field = field;
      mismatch.expected = value_text(expected, shape);
      mismatch.actual = value_text(actual, shape);
    };
    if (expected_ != nullptr) {
      Block::each_output([&](const Port& port, auto member,
                             auto) { note(std::string(port.name), expected_->*member, actual_->*member, port.shape); },
                         this->params());
    } else {
      Block::each_probe(
          [&](const Port& port, auto member, auto) {
            note("probe_" + std::string(port.name), model_probes_.*member, rtl_probes_.*member, port.shape);
          },
          this->params());
      make_idle<Block>(in, this->params());  // probes differ after the edge, so the inputs of the next cycle are not
                                             // known yet
      expected_ = &model_->settle(in);
      actual_ = &rtl_->settle(in);
    }
    remember(in);
    if (!options_.waves.empty()) {
      resume(in);
      try {
        write_history(mismatch);
      } catch (const base::InputError& error) {
        mismatch.waves.clear();
        mismatch.no_waves = error.message();
      }
    }
    throw MismatchError(std::move(mismatch));
  }

  /// Runs a few idle cycles for the waves, to show the consequences of the difference. The run itself is over.
  void resume(Inputs in) {
    try {
      model_->idle(std::exchange(behind_, 0));
      for (std::size_t i = 0; i < kAfter; ++i) {
        model_->clock(in);
        edge(in);
        make_idle<Block>(in, this->params());
        advance_time<Block>(in, this->params(), 1);
        expected_ = &model_->settle(in);
        actual_ = &rtl_->settle(in);
        model_probes_ = model_->probes();
        if (compares_probes_) rtl_probes_ = rtl_->probes();
        remember(in);
      }
    } catch (const base::Error&) {  // an assertion of the RTL failed after the mismatch: the waves end in this cycle
    }
  }

  void write_history(Mismatch& mismatch) const {
    const std::string model_path = options_.waves + ".model.vcd", rtl_path = options_.waves + ".rtl.vcd";
    PortWaves<Block> model(model_path, {{"model"}}, this->params());
    std::unique_ptr<PortWaves<Block>> rtl;
    if (!inside_)
      rtl =
          std::make_unique<PortWaves<Block>>(rtl_path, std::vector<std::vector<std::string>>{{"top"}}, this->params());
    for (std::size_t i = 0; i < remembered_; ++i) {
      const Moment& moment = history_[(next_ + history_.size() - remembered_ + i) % history_.size()];
      if (moment.cycle + kHistory <= mismatch.cycle)
        continue;  // too old: fewer than kAfter cycles followed the
                   // mismatch
      if (mismatch.first > moment.cycle) mismatch.first = moment.cycle;
      model.cycle(moment.cycle, moment.in, moment.expected, moment.model);
      if (rtl) rtl->cycle(moment.cycle, moment.in, moment.actual, moment.rtl);
    }
    model.close();
    if (rtl) rtl->close();
    if (inside_) inside_->write(rtl_path, mismatch.first * kCyclePicoseconds);
    mismatch.waves = {model_path, rtl_path};
    if (!options_.one_file) return;
    mismatch.waves = {options_.waves + ".vcd"};
    merge_vcd({{model_path, "model"}, {rtl_path, "rtl"}}, mismatch.waves[0]);
    std::remove(model_path.c_str());
    std::remove(rtl_path.c_str());
  }

  std::unique_ptr<Twin<Block>> model_, rtl_;
  LockstepOptions options_;
  std::vector<Moment> history_;
  std::unique_ptr<InsideHistory> inside_;  // null if the RTL does not show internal signals
  std::size_t next_ = 0;
  std::size_t remembered_ = 0;
  Cycle behind_ = 0;  // number of idle edges that were applied to the RTL but not yet to the model
  Inputs last_;
  bool compares_probes_;
  Probes model_probes_, rtl_probes_;
  const Outputs* expected_ = nullptr;  // outputs of the last settle of this cycle
  const Outputs* actual_ = nullptr;
  Cycle cycle_ = 0;
};

}  // namespace castor::twin
