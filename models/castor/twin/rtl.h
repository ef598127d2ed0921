#pragma once

#include <verilated.h>
#include <verilated_cov.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "castor/base/error.h"
#include "castor/twin/dump_names.h"
#include "castor/twin/rtl_options.h"
#include "castor/twin/twin.h"
#if VM_TRACE
#include "castor/twin/rtl_trace.h"
#endif

/// Verilated RTL behind the interface of twins. This header needs Verilator's runtime headers; only RTL objects include
/// it. All other code loads an RTL object (rtl_object.h).
namespace castor::twin {

/// Whether the verilated class was built with tracing of internal signals.
inline constexpr bool kRtlHasWaves = VM_TRACE != 0;

namespace detail {

/// Returns whether Verilator gives a port of that width a pin of this type.
template <class Pin>
constexpr bool is_pin_for(unsigned width) {
  constexpr unsigned kRoom = 8 * sizeof(Pin);
  constexpr unsigned kBelow = kRoom <= 8 ? 0 : kRoom <= 64 ? kRoom / 2 : kRoom - 32;
  return width > kBelow && width <= kRoom;
}

/// Copies a field to a pin: an integer up to 64 bits, VlWide above.
template <class Pin, class T>
void drive(Pin& pin, const T& field, Shape shape) {
  if constexpr (std::is_integral_v<Pin>) {
    if constexpr (is_lanes<T>) {
      pin = static_cast<Pin>(pack(field, shape)[0]);
    } else if constexpr (is_bits<T>) {
      pin = static_cast<Pin>(field.word(0));
    } else {
      pin = static_cast<Pin>(number(field));
    }
  } else {
    constexpr unsigned kPinWords = sizeof(Pin) / sizeof(EData);
    const auto copy = [&pin](auto word) {
      for (unsigned w = 0; w < kPinWords; ++w) pin[w] = static_cast<EData>(word(w / 2) >> (w % 2 * 32));
    };
    if constexpr (is_bits<T>) {
      copy([&field](unsigned w) { return w < T::kWords ? field.word(w) : U64{0}; });
    } else {
      const Packed<T> words = pack(field, shape);
      copy([&words](unsigned w) { return w < words.size() ? words[w] : U64{0}; });
    }
  }
}

/// Copies a pin to a field.
template <class Pin, class T>
void sample(const Pin& pin, T& field, Shape shape) {
  if constexpr (std::is_integral_v<Pin>) {
    if constexpr (is_lanes<T>) {
      Packed<T> words{};
      words[0] = pin;
      field = unpack<T>(words, shape);
    } else if constexpr (is_bits<T>) {
      field.set_word(0, pin);
    } else {
      field = static_cast<T>(pin);
    }
  } else {
    constexpr unsigned kPinWords = sizeof(Pin) / sizeof(EData);
    Packed<T> words{};
    for (unsigned w = 0; w < kPinWords && w / 2 < words.size(); ++w) words[w / 2] |= U64{pin[w]} << (w % 2 * 32);
    field = unpack<T>(words, shape);
  }
}

/// Verilog names of the assumptions that broke in this thread's last evaluation of RTL.
inline thread_local std::vector<std::string> broken_assumptions;

inline void note_broken_assumption(const char* name) { broken_assumptions.emplace_back(name); }

/// Returns the name as `castor prove` prints it: relative to the block, whose instance in the probe wrapper is u_dut.
[[nodiscard]] inline std::string name_in_block(const std::string& name) {
  constexpr std::string_view kBlock = ".u_dut.";
  const std::size_t at = name.find(kBlock);
  return at == std::string::npos ? name : name.substr(at + kBlock.size());
}

template <class Block, class Top, class = void>
inline constexpr bool has_skip = false;
template <class Block, class Top>
inline constexpr bool has_skip<
    Block, Top,
    std::void_t<decltype(skip_idle(std::declval<Top&>(), Cycle{}, std::declval<const typename Block::Probes&>(),
                                   std::declval<const typename Block::Params&>()))>> = true;

}  // namespace detail

/// Twin whose implementation is RTL at one parameter set. `Top` is the class that Verilator makes of
/// castor_<block>_probe. `Top` may also be the block itself or its netlist; these have no probes, which then read as 0.
///
/// `quiet` is computed from probes if the block defines `quiet` for probes, else it is 0. `idle(n)` clocks n times,
/// unless the block's namespace has a function `skip_idle(top, n, probes, params)` for this top (tb/<block>/skip.h).
/// That function sets the registers to their values after the first m of n idle edges and returns m; the other edges
/// are clocked. Power-up values, and values that the RTL leaves undefined, are random by the seed. A failing assertion
/// of the RTL throws base::Error from the call in which it fails. A broken assumption of the RTL's properties also
/// throws, with its name, while assumptions are checked (Twin::check_assumptions) unless it is excused.
template <class Block, class Top>
class Rtl final : public Twin<Block> {
 public:
  using typename Twin<Block>::Inputs;
  using typename Twin<Block>::Outputs;
  using typename Twin<Block>::Params;
  using typename Twin<Block>::Probes;

  /// `params` must be the parameters with which the class was verilated; `named` lists internal signals whose values
  /// have names. Throws base::Error if a port does not fit its field, and InputError if the waves of `options` cannot
  /// be written.
  Rtl(const Params& params, const RtlOptions& options, [[maybe_unused]] std::vector<NamedSignal> named = {})
      : Twin<Block>(params), context_(prepared(options)), top_(context_.get(), ""), options_(options) {
    check_widths();
#if VM_TRACE
    if (options_.waves()) {
      context_->traceEverOn(true);
      add_port_names(named, params);
      trace_ = std::make_unique<RtlTrace>(top_, Block::kTop, options_.wave_depth, named);
      open_wave();
    }
#endif
    reset();
  }
  ~Rtl() override {
    // Dumps the last cycle, which was settled but not clocked.
    if (tracing() && low_) dump(cycle_ * kCyclePicoseconds + kCyclePicoseconds / 2);
    wave_.close();
    ::Verilated::threadContextp(context_.get());  // the destructor of the top unregisters itself from this context
    top_.final();
    if (!options_.coverage.empty()) context_->coveragep()->write(options_.coverage.c_str());
  }

  const Outputs& settle(const Inputs& in) override {
    low(in);
    Block::each_output(
        [this](const Port& port, auto member, auto pin) { detail::sample(pin(top_), out_.*member, port.shape); },
        this->params());
    return out_;
  }

  void clock(const Inputs& in) override {
    if (tracing() || !low_) low(in);
    if (tracing()) dump(cycle_ * kCyclePicoseconds + kCyclePicoseconds / 2);
    high(in);
    ++cycle_;
    last_ = in;
    if (tracing()) dump(cycle_ * kCyclePicoseconds);
  }

  void reset() override {
    last_ = Inputs{};
    top_.rst_ni = 0;
    for (unsigned i = 0; i < kResetCycles; ++i) {
      low(last_);
      high(last_);
    }
    top_.rst_ni = 1;
  }

  void check_assumptions(bool on) override { checks_assumptions_ = on; }
  void excuse_assumption(const std::string& name) override { excused_.push_back(name); }

  [[nodiscard]] Cycle quiet() const override {
    if constexpr (detail::has_quiet<Block>) {
      return Block::quiet(probes(), last_, this->params());
    } else {
      return 0;
    }
  }

  void idle(Cycle n) override {
    Inputs in = last_;
    make_idle<Block>(in, this->params());
    if constexpr (detail::has_skip<Block, Top>) {
      const Cycle skipped = skip_idle(top_, n, probes(), this->params());
      CASTOR_ASSERT_AT(cycle_, skipped <= n, "%s: skips more cycles than requested", Block::kBlock);
      advance_time<Block>(in, this->params(), skipped);
      n -= skipped;
      cycle_ += skipped;
      last_ = in;
      low(in);  // updates the logic that depends on registers just written
    }
    for (; n > 0; --n) {
      advance_time<Block>(in, this->params(), 1);
      low(in);
      clock(in);
    }
  }

  [[nodiscard]] Probes probes() const override {
    Probes probes;
    Block::each_probe(
        [this, &probes](const Port& port, auto member, auto pin) {
          if constexpr (std::is_invocable_v<decltype(pin), const Top&>) {
            detail::sample(pin(top_), probes.*member, port.shape);
          }
        },
        this->params());
    return probes;
  }

  [[nodiscard]] bool has_probes() const override {
    bool any = false;
    std::string_view missing;
    Block::each_probe(
        [&any, &missing](const Port& port, auto, auto pin) {
          if constexpr (std::is_invocable_v<decltype(pin), const Top&>) {
            any = true;
          } else if (missing.empty()) {
            missing = port.name;
          }
        },
        this->params());
    if (any && !missing.empty()) {
      throw base::Error(std::string(Block::kBlock) + ": the RTL's top has probes, but none of the name " +
                        std::string(missing));
    }
    return any;
  }

  [[nodiscard]] Inside* inside() override { return options_.inside ? trace_.get() : nullptr; }

 private:
  static constexpr unsigned kResetCycles = 3;

  static std::unique_ptr<VerilatedContext> prepared(const RtlOptions& options) {
    auto context = std::make_unique<VerilatedContext>();
    context->randReset(2);
    context->randSeed(static_cast<int>(std::max<U64>(1, options.seed & 0x7fffffffU)));
    context->fatalOnError(false);
    context->threads(1);
    return context;
  }

  void check_widths() {
    const auto check = [](const Port& port, auto& field, auto& pin) {
      using Field = std::decay_t<decltype(field)>;
      using Pin = std::decay_t<decltype(pin)>;
      if (fits<Field>(port.shape) && detail::is_pin_for<Pin>(port.shape.width())) return;
      throw base::Error(std::string(Block::kBlock) + ": port " + std::string(port.name) + " is " +
                        std::to_string(port.shape.width()) + " bits wide in its description, its C++ type holds " +
                        std::to_string(kMaxBits<Field>) + " and the RTL's pin " + std::to_string(8 * sizeof(Pin)));
    };
    Inputs in;
    Probes probes;
    Block::each_input([&](const Port& port, auto member, auto pin) { check(port, in.*member, pin(top_)); },
                      this->params());
    Block::each_output([&](const Port& port, auto member, auto pin) { check(port, out_.*member, pin(top_)); },
                       this->params());
    Block::each_probe(
        [&](const Port& port, auto member, auto pin) {
          if constexpr (std::is_invocable_v<decltype(pin), Top&>) check(port, probes.*member, pin(top_));
        },
        this->params());
  }

  void drive(const Inputs& in) {
    Block::each_input(
        [this, &in](const Port& port, auto member, auto pin) { detail::drive(pin(top_), in.*member, port.shape); },
        this->params());
  }
  void low(const Inputs& in) {
    drive(in);
    top_.clk_i = 0;
    evaluate();
    low_ = true;
  }
  void high(const Inputs& in) {
    drive(in);
    top_.clk_i = 1;
    evaluate();
    low_ = false;
  }
  void evaluate() {
    ::Verilated::threadContextp(context_.get());  // a failing assertion is noted in this context
    top_.eval();
    if (!detail::broken_assumptions.empty()) check_broken(std::exchange(detail::broken_assumptions, {}));
    if (context_->gotError()) {
      context_->gotError(false);
      throw base::Error(std::string(Block::kBlock) + ": an assertion of the RTL failed in cycle " +
                        std::to_string(cycle_) + "; its message is in the output above");
    }
  }

  // Throws for the first of the broken assumptions that is not excused. During reset, all are ignored: tables have no
  // reset, and values written to them have no effect.
  void check_broken(const std::vector<std::string>& broken) const {
    if (!checks_assumptions_ || top_.rst_ni == 0) return;
    for (const std::string& whole : broken) {
      const std::string name = detail::name_in_block(whole);
      if (std::find(excused_.begin(), excused_.end(), name) == excused_.end()) {
        throw base::Error(std::string(Block::kBlock) + ": the inputs of cycle " + std::to_string(cycle_) +
                          " break the assumption " + name + " of the RTL's properties");
      }
    }
  }

  /// Adds the names of ports and probes that are enumerations.
  static void add_port_names(std::vector<NamedSignal>& named, const Params& params) {
    const auto add = [&named](const std::string& signal, auto field) {
      using Field = decltype(field);
      if constexpr (detail::has_names<Field>) {
        NamedSignal one{std::string(Block::kTop) + "_probe." + signal, {}};
        for (const char* const name : enum_names(Field{})) one.names.emplace_back(one.names.size(), name);
        named.push_back(std::move(one));
      }
    };
    Inputs in;
    Outputs out;
    Probes probes;
    Block::each_input([&](const Port& port, auto member, auto) { add(std::string(port.name) + "_i", in.*member); },
                      params);
    Block::each_output([&](const Port& port, auto member, auto) { add(std::string(port.name) + "_o", out.*member); },
                       params);
    Block::each_probe(
        [&](const Port& port, auto member, auto) { add("probe_" + std::string(port.name) + "_o", probes.*member); },
        params);
  }
  void open_wave() {
    if (options_.wave.empty()) return;
    wave_.open(options_.wave);
    if (!wave_) throw base::InputError("cannot write the waves '" + options_.wave + "'");
    wave_ << "$timescale 1ps $end\n" << trace_->declarations() << "$enddefinitions $end\n";
  }
  [[nodiscard]] bool tracing() const {
    return wave_.is_open() && cycle_ >= options_.wave_from && cycle_ < options_.wave_to;
  }
  void dump(std::uint64_t time) { wave_ << '#' << time << '\n' << trace_->changes(); }

  std::unique_ptr<VerilatedContext> context_;
  Top top_;
  RtlOptions options_;
  std::unique_ptr<Inside> trace_;  // null without waves
  std::ofstream wave_;
  Outputs out_;
  Inputs last_;
  Cycle cycle_ = 0;
  bool low_ = false;
  bool checks_assumptions_ = true;
  std::vector<std::string> excused_;
};

}  // namespace castor::twin
