#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "castor/base/rng.h"
#include "castor/twin/block.h"

/// Stimulus of a twin in a test bench: the interface of sequences, and a random sequence made from the description of
/// the ports alone.
namespace castor::twin {

/// Source of inputs for a twin, cycle by cycle.
///
/// Before each cycle the bench turns the inputs of the last cycle into those of an idle cycle: events and payloads 0,
/// levels unchanged, time plus 1. The sequence then adds events and changes. `drive` is called before settle, `react`
/// between settle and clock. `react` may add events that depend on the outputs of the same cycle (grants,
/// acknowledges), but must not change a kSettle input. A sequence may depend on its seed and on outputs only.
template <class Block>
class Sequence {
 public:
  using Params = typename Block::Params;
  using Inputs = typename Block::Inputs;
  using Outputs = typename Block::Outputs;

  virtual ~Sequence() = default;
  Sequence() = default;
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  /// Sets the initial levels, and the time before the first cycle.
  virtual void begin(Inputs& /*in*/) {}
  virtual void drive(Inputs& in) = 0;
  virtual void react(Inputs& /*in*/, const Outputs& /*out*/) {}
  /// Returns the number of cycles from now on in which this sequence stays idle; the bench may skip up to this number.
  [[nodiscard]] virtual Cycle rest() { return 0; }
  /// Tells the sequence that the bench has skipped n idle cycles.
  virtual void skip(Cycle /*n*/) {}
  /// Returns whether the inputs since the last `begin` obey the protocol of the block. If so, the assumptions of the
  /// RTL's properties are checked.
  [[nodiscard]] virtual bool keeps_contract() const { return keeps_contract_; }
  void set_keeps_contract(bool keeps) { keeps_contract_ = keeps; }
  /// Returns whether this sequence has ended. Called before each cycle; if true, the bench resets the twin and calls
  /// `begin` again.
  [[nodiscard]] virtual bool over() { return false; }

 private:
  bool keeps_contract_ = false;
};

/// Parameters of RandomSequence. Rates are in 1/256 per cycle.
struct RandomKnobs {
  unsigned longest_phase = 400;  ///< longest phase in cycles; each phase has its own rates of events and levels
  unsigned idle_phases = 64;     ///< idle phases among 256 phases
  unsigned stray_grants = 2;     ///< rate of grants without an offer
  unsigned late_events = 128;    ///< rate of cycles in which events arrive only after settle
  std::uint64_t start_time = 0;  ///< initial value of time inputs
};

/// Random but legal stimulus, made from the classes and names of the ports:
/// - an event `x_valid` or `x_req` is held, with its payload, until its output `x_ready` or `x_ack` is 1;
/// - an event `x_grant` answers its output `x_valid` in the same cycle (and now and then comes without `x_valid`);
/// - payloads `x_*` of an event x are random while x is 1; levels change now and then.
/// The rates change from phase to phase, from no events at all to an event in every cycle.
///
/// Limits: the sequence knows no other protocol; a block whose events must come in some order needs its own sequence.
template <class Block>
class RandomSequence final : public Sequence<Block> {
 public:
  using typename Sequence<Block>::Params;
  using typename Sequence<Block>::Inputs;
  using typename Sequence<Block>::Outputs;

  RandomSequence(const Params& params, std::uint64_t seed, const RandomKnobs& knobs = {})
      : params_(params), knobs_(knobs), random_(seed) {
    classify();
    new_phase();
  }

  void begin(Inputs& in) override {
    Block::each_input(
        [&](const Port& port, auto member, auto) {
          using Field = std::decay_t<decltype(in.*member)>;
          if constexpr (std::is_integral_v<Field>) {
            if (port.kind == Class::kTime) in.*member = static_cast<Field>(knobs_.start_time & mask(port.shape.bits));
          }
        },
        params_);
  }

  void drive(Inputs& in) override {
    if (left_ == 0) new_phase();
    --left_;
    if (idle()) return;
    std::size_t i = 0;
    Block::each_input(
        [&](const Port& port, auto member, auto) {
          drive_field(inputs_[i], port, in.*member, held_.*member);
          ++i;
        },
        params_);
    full_ = in;
    late_ = chance(knobs_.late_events);
    if (late_) {
      Block::each_input(
          [&](const Port& port, auto member, auto) {
            if (port.timing == Timing::kEdge && port.kind == Class::kEvent) in.*member = {};
          },
          params_);
    }
  }

  void react(Inputs& in, const Outputs& out) override {
    if (late_) in = full_;
    late_ = false;
    read_events(out);
    waiting_ = 0;
    std::size_t i = 0;
    Block::each_input(
        [&](const Port&, auto member, auto) {
          Input& input = inputs_[i++];
          if (input.role == Role::kGrant) {
            set_event(in.*member, outputs_[input.partner] ? !idle_phase_ && chance(event_rate_ + 16U)
                                                          : !idle_phase_ && chance(knobs_.stray_grants));
          }
          if (input.role == Role::kHeld) {
            input.waiting = is_set(in.*member) && !outputs_[input.partner];
            if (input.waiting) ++waiting_;
          }
        },
        params_);
    held_ = in;
  }

  [[nodiscard]] Cycle rest() override { return idle() ? left_ : 0; }
  void skip(Cycle n) override { left_ -= n; }

 private:
  enum class Role : std::uint8_t {
    kTime,
    kLevel,
    kFree,     // an event without a ready or acknowledge
    kHeld,     // an event that is held until its partner is 1
    kGrant,    // a grant that answers its partner
    kPayload,  // payload of input `partner`
  };
  struct Input {
    Role role = Role::kLevel;
    std::size_t partner = 0;
    bool waiting = false;
    bool set = false;  // the event is 1 in this cycle
  };

  static std::string_view before_underscore(std::string_view name) { return name.substr(0, name.rfind('_')); }
  static std::string_view behind_underscore(std::string_view name) {
    const std::size_t at = name.rfind('_');
    return at == std::string_view::npos ? std::string_view{} : name.substr(at + 1);
  }

  void classify() {
    std::vector<std::string_view> ins, outs;
    Block::each_output([&](const Port& port, auto, auto) { outs.push_back(port.name); }, params_);
    Block::each_input([&](const Port& port, auto, auto) { ins.push_back(port.name); }, params_);
    outputs_.resize(outs.size());
    const auto find = [](const std::vector<std::string_view>& names, std::string_view stem, std::string_view end) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (before_underscore(names[i]) == stem && behind_underscore(names[i]) == end) return i;
      }
      return names.size();
    };
    Block::each_input(
        [&](const Port& port, auto, auto) {
          Input input;
          const std::string_view stem = before_underscore(port.name), end = behind_underscore(port.name);
          if (port.kind == Class::kTime) {
            input.role = Role::kTime;
          } else if (port.kind == Class::kEvent) {
            const bool grant = end == "grant";
            input.partner =
                grant ? find(outs, stem, "valid") : std::min(find(outs, stem, "ready"), find(outs, stem, "ack"));
            input.role = input.partner == outs.size() ? Role::kFree : grant ? Role::kGrant : Role::kHeld;
          } else if (port.kind == Class::kPayload) {
            input.partner = std::min(find(ins, stem, "valid"), find(ins, stem, "req"));
            if (input.partner < ins.size()) input.role = Role::kPayload;
          }
          inputs_.push_back(input);
        },
        params_);
  }

  void new_phase() {
    left_ = 1 + random_.below(knobs_.longest_phase);
    idle_phase_ = chance(knobs_.idle_phases);
    static constexpr unsigned kRates[] = {4, 32, 96, 200, 256};
    event_rate_ = kRates[random_.below(5)];
    level_rate_ = kRates[random_.below(4)];
    high_rate_ = kRates[random_.below(5)];
  }

  [[nodiscard]] bool idle() const { return idle_phase_ && waiting_ == 0; }
  [[nodiscard]] bool chance(unsigned in_256) { return random_.below(256) < in_256; }

  template <class T>
  static void set_event(T& field, bool value) {
    if constexpr (std::is_integral_v<T>) field = value ? 1 : 0;
  }
  template <class T>
  static bool is_set(const T& field) {
    if constexpr (std::is_integral_v<T>) return field != 0;
    return false;
  }

  template <class T>
  void drive_field(Input& input, const Port& port, T& field, const T& held) {
    switch (input.role) {
      case Role::kTime:
      case Role::kGrant:
        return;
      case Role::kLevel:
        if (chance(level_rate_)) field = level<T>(port.shape);
        return;
      case Role::kFree:
      case Role::kHeld:
        input.set = input.waiting || (!idle_phase_ && chance(event_rate_));
        if constexpr (std::is_integral_v<T>) {
          field = input.waiting ? held : input.set ? event<T>(port.shape) : T{0};
        }
        return;
      case Role::kPayload:
        // Uses this cycle's event if the event precedes its payload in the list, otherwise the event of the last cycle.
        // Both are legal.
        field = inputs_[input.partner].waiting ? held : value<T>(port.shape);
        return;
    }
  }

  /// Returns 1 for a single event; for a vector of events, a random vector with at least one event.
  template <class T>
  T event(Shape shape) {
    const U64 bits = random_() & mask(shape.bits);
    return static_cast<T>(shape.bits == 1 || bits == 0 ? 1 : bits);
  }

  template <class T>
  T level(Shape shape) {
    Packed<T> words{};
    const unsigned rate = shape.width() == 1 ? high_rate_
                          : chance(64)       ? 256 * static_cast<unsigned>(random_.below(2))
                                             : high_rate_;
    for (unsigned bit = 0; bit < shape.width() && bit < kMaxBits<T>; ++bit) {
      if (chance(rate)) words[bit / 64] |= U64{1} << (bit % 64);
    }
    return unpack<T>(words, shape);
  }

  /// Returns a random value: often a small number, sometimes all ones or a single bit, else any value.
  template <class T>
  T value(Shape shape) {
    const U64 how = random_.below(8);
    Packed<T> words{};
    for (unsigned w = 0; w * 64 < shape.width() && w < words.size(); ++w) {
      U64 word = random_();
      if (how < 4) word &= w == 0 ? 15U : 0U;
      if (how == 4) word = ~U64{0};
      if (how == 5) word = U64{1} << (word % 64);
      words[w] = word & mask(shape.width() - w * 64);
    }
    return unpack<T>(words, shape);
  }

  void read_events(const Outputs& out) {
    std::size_t i = 0;
    Block::each_output([&](const Port&, auto member, auto) { outputs_[i++] = is_set(out.*member); }, params_);
  }

  Params params_;
  RandomKnobs knobs_;
  base::Xoshiro256 random_;
  std::vector<Input> inputs_;
  std::vector<bool> outputs_;  // one-bit outputs of this cycle
  Inputs held_, full_;
  std::size_t waiting_ = 0;
  Cycle left_ = 0;
  unsigned event_rate_ = 0, level_rate_ = 0, high_rate_ = 0;
  bool idle_phase_ = false;
  bool late_ = false;
};

}  // namespace castor::twin
