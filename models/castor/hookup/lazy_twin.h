#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "castor/hookup/block_waves.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// What the twin had of the edge of a cycle.
enum class Edge : std::uint8_t {
  kOwed,    ///< nothing: the edge is owed to it
  kLevels,  ///< the edge, without any event
  kEvents,  ///< the edge, with events
};

/// A twin that is clocked lazily: the part that every adapter between a block and a hook of the GPU has in common
/// (docs/gpu/hooks.md, "Hooks"). Nobody can tell it from the twin clocked and asked in every cycle.
///
///     LazyTwin<arbiter::Block> arbiter(std::move(twin));
///     arbiter.in.request = ...;                // settle of the hook: what is known of the cycle's inputs
///     if (arbiter.look()) ...;                 // arbiter.out() is new
///     arbiter.in.grant_ack = ...;              // clock of the hook: all of them
///     if (arbiter.edge() != Edge::kOwed) arbiter.make_idle();
///
/// By the lists of ports of the block (castor/twin/ports.h) it decides
/// - whether the twin has to be asked: not if it was asked since its last edge with the same kSettle inputs, and only
///   idle edges are owed to it since;
/// - whether an edge can be owed: all events are 0, all levels are those of the twin's last edge, and the twin said
/// then
///   that so many idle edges change no output (Twin::quiet). What is owed is paid in one piece (Twin::idle) before the
///   twin is needed again.
///
/// Time inputs count by one per edge, owed or not: the owner has an edge, or a part of `idle`, in every cycle of the
/// block's clock.
///
/// Limits: waves of an owner that sleeps show its last cycle. With waves of what is inside the twin no edge is owed
/// while the owner is awake.
template <class Block>
class LazyTwin {
 public:
  using Twin = twin::Twin<Block>;
  using Params = typename Block::Params;
  using Inputs = typename Block::Inputs;
  using Outputs = typename Block::Outputs;
  using Probes = typename Block::Probes;
  using Cycle = twin::Cycle;

  /// `twin` is in reset.
  explicit LazyTwin(std::unique_ptr<Twin> twin) : twin_(std::move(twin)) {}

  /// Inputs of this cycle. The owner sets them; an edge leaves them as they are.
  Inputs in;

  [[nodiscard]] const Params& params() const { return twin_->params(); }
  /// The twin, up to date.
  [[nodiscard]] Twin& twin() {
    catch_up();
    return *twin_;
  }
  /// Probes behind the twin's last edge. Edges that are owed move only those that the block names (twin::runs).
  [[nodiscard]] Probes probes() const { return twin_->probes(); }
  /// Levels of the twin's last edge, the other fields 0.
  [[nodiscard]] const Inputs& held() const { return held_; }

  /// Sees to it that `out` is what the block shows in this cycle, with `in`. Whether it was asked for: if not, `out` is
  /// as it was at the last look.
  bool look() {
    if (fresh_ && !asks_anew()) return false;
    ask();
    return true;
  }
  [[nodiscard]] const Outputs& out() const { return out_; }
  /// Registered outputs of this cycle, whatever its inputs are going to be; the others are those of `in` as it is, and
  /// nothing is remembered of them. Valid until the twin is asked again.
  [[nodiscard]] const Outputs& registered() {
    catch_up();
    fresh_ = false;
    return twin_->settle(in);
  }

  /// The edge that ends this cycle, with `in`. Before it `observe(in, outputs)` sees what the block sees and shows,
  /// unless nobody looked since the twin's last edge.
  template <class Observe>
  Edge edge(Observe&& observe) {
    if (fresh_) {
      // The outputs of a cycle are those of the inputs with which it ends. The owner has not looked at these.
      if (asks_anew()) {
        ask();
        fresh_ = false;
      }
      observe(in, out_);
    }
    const twin::U64 events = event_bits();
    if (shown_) show_cycle();
    if (events == 0 && rests() && !levels_moved() && !shows_inside_) {
      ++owed_;
      return Edge::kOwed;
    }
    catch_up();
    twin_->clock(in);
    hold();
    fresh_ = false;
    quiet_ = twin_->quiet();
    if (shown_) shown_->probes = twin_->probes();
    return events != 0 ? Edge::kEvents : Edge::kLevels;
  }
  Edge edge() {
    return edge([](const Inputs&, const Outputs&) {});
  }
  /// The same for an owner that has seen what it wants to see of the cycle: a cycle model is not asked for the outputs
  /// of the inputs with which the cycle ends; RTL and lockstep are.
  Edge edge_of_seen() {
    if (twin_->is_model() && !shown_) fresh_ = false;
    return edge();
  }
  /// Makes of `in` the inputs of an idle cycle: events and payloads 0.
  void make_idle() { twin::make_idle<Block>(in, params()); }

  /// Coming idle edges that change no output; a lower bound.
  [[nodiscard]] Cycle quiet() const { return quiet_ == base::kForever ? base::kForever : quiet_ - owed_; }
  /// Whether there are any.
  [[nodiscard]] bool rests() const { return owed_ < quiet_; }
  /// Exactly n idle edges, n <= quiet().
  void idle(Cycle n) { owed_ += n; }

  void reset() {
    twin_->reset();
    in = {};
    held_ = {};
    out_ = {};
    fresh_ = false;
    owed_ = 0;
    quiet_ = twin_->quiet();
    if (shown_) show_state();
  }

  /// Adds the block's ports and probes to waves, as instance <scope>.<block>: inputs and outputs of the last edge, and
  /// the probes behind it. Without what counts in every cycle: time, and probes that the block names (twin::runs). What
  /// the twin shows of its inside (Twin::inside) is instance <scope>.<block>.rtl, behind the edge.
  void add_waves(gpu::Waves& waves, const std::string& scope) {
    const std::string instance = scope + "." + Block::kBlock;
    if (!waves.traced(instance)) return;
    shown_ = std::make_unique<ShownPorts<Block>>();
    show_state();
    add_block_waves(waves, instance, *shown_, params());
    if (twin::Inside* const inside = twin_->inside()) {
      shows_inside_ = waves.add_dump(instance + ".rtl", inside->declarations(),
                                     [inside]() -> const std::string& { return inside->changes(); });
    }
  }

 private:
  // Visitors of ports: a port's class and timing are constants of its line, so these become straight code over the
  // fields concerned.

  [[nodiscard]] twin::U64 event_bits() const {
    twin::U64 bits = 0;
    Block::each_input(
        [&](const twin::Port& port, auto member, auto) {
          if (port.kind == twin::Class::kEvent) bits |= differing(in.*member, std::decay_t<decltype(in.*member)>{});
        },
        params());
    return bits;
  }
  [[nodiscard]] bool levels_moved() const {
    twin::U64 bits = 0;
    Block::each_input(
        [&](const twin::Port& port, auto member, auto) {
          if (port.kind == twin::Class::kLevel) bits |= differing(in.*member, held_.*member);
        },
        params());
    return bits != 0;
  }
  void hold() {
    Block::each_input(
        [&](const twin::Port& port, auto member, auto) {
          if (port.kind == twin::Class::kLevel) held_.*member = in.*member;
        },
        params());
  }
  [[nodiscard]] bool asks_anew() const {
    twin::U64 bits = 0;
    Block::each_input(
        [&](const twin::Port& port, auto member, auto) {
          if (port.timing == twin::Timing::kSettle) bits |= differing(in.*member, asked_.*member);
        },
        params());
    return bits != 0;
  }
  void ask() {
    catch_up();
    out_ = twin_->settle(in);
    Block::each_input(
        [&](const twin::Port& port, auto member, auto) {
          if (port.timing == twin::Timing::kSettle) asked_.*member = in.*member;
        },
        params());
    fresh_ = true;
  }

  /// Bits in which two fields differ, those of several words or elements over each other.
  template <class T>
  [[nodiscard]] static twin::U64 differing(const T& a, const T& b) {
    if constexpr (twin::is_bits<T>) {
      twin::U64 bits = 0;
      for (unsigned w = 0; w < T::kWords; ++w) bits |= a.word(w) ^ b.word(w);
      return bits;
    } else if constexpr (twin::is_lanes<T>) {
      if constexpr (std::is_integral_v<typename T::Element>) {
        typename T::Element bits = 0;  // of their own width, so that many are compared at once
        for (unsigned i = 0; i < T::kElements; ++i) bits = static_cast<typename T::Element>(bits | (a[i] ^ b[i]));
        return bits;
      } else {
        twin::U64 bits = 0;
        for (unsigned i = 0; i < T::kElements; ++i) bits |= differing(a[i], b[i]);
        return bits;
      }
    } else {
      return static_cast<twin::U64>(a) ^ static_cast<twin::U64>(b);
    }
  }

  void catch_up() {
    if (owed_ == 0) return;
    const Cycle owed = std::exchange(owed_, 0);
    twin_->idle(owed);
    if (quiet_ != base::kForever) quiet_ -= owed;
  }

  // Waves show what the block shows, also where nobody looks. Whoever looks is told nothing of that.
  void show_cycle() {
    shown_->in = in;
    if (fresh_) {
      shown_->out = out_;
    } else {
      catch_up();
      shown_->out = twin_->settle(in);
    }
  }
  void show_state() {
    show_cycle();
    shown_->probes = twin_->probes();
  }

  std::unique_ptr<Twin> twin_;
  Outputs out_;
  Inputs asked_;                              // kSettle inputs for which the twin showed out_
  Inputs held_;                               // levels of the twin's last edge
  bool fresh_ = false;                        // out_ is of the state behind that edge
  Cycle quiet_ = 0;                           // idle edges behind it that change no output
  Cycle owed_ = 0;                            // of them those that the twin has not had
  std::unique_ptr<ShownPorts<Block>> shown_;  // with waves only
  bool shows_inside_ = false;                 // in them
};

}  // namespace castor::hookup
