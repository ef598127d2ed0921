#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "castor/hookup/block_waves.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// How the twin executed the clock edge of a cycle.
enum class Edge : std::uint8_t {
  kSkipped,  ///< not executed: counted as a skipped edge, which is applied later
  kLevels,   ///< executed, without any event
  kEvents,   ///< executed, with events
};

/// A twin that is clocked lazily: the common part of all adapters between a block and a hook of the GPU
/// (docs/gpu/hooks.md, "Hooks"). Outputs and state are the same as for a twin that settles and is clocked in every
/// cycle.
///
///     LazyTwin<arbiter::Block> arbiter(std::move(twin));
///     arbiter.in.request = ...;                // settle of the hook: the inputs known so far
///     if (arbiter.look()) ...;                 // arbiter.out() has changed
///     arbiter.in.grant_ack = ...;              // clock of the hook: all inputs
///     if (arbiter.edge() != Edge::kSkipped) arbiter.make_idle();
///
/// The classes and timings in the block's port lists (castor/twin/ports.h) decide
/// - whether `settle` must be called: not if the twin has settled with the same kSettle inputs since its last executed
///   edge, since all later edges were idle;
/// - whether an edge can be skipped: all events are 0, all levels are those of the last executed edge, and the twin has
///   reported enough quiet edges there (Twin::quiet). Skipped edges are applied in one call (Twin::idle) before the
///   twin is used again.
///
/// Time inputs count up by one per edge, skipped or not. The owner must call `edge` or `idle` for every cycle of the
/// block's clock.
///
/// Limits: waves of a sleeping owner show its last cycle. If waves show internal signals of the twin, no edge is
/// skipped while the owner is awake.
template <class Block>
class LazyTwin {
 public:
  using Twin = twin::Twin<Block>;
  using Params = typename Block::Params;
  using Inputs = typename Block::Inputs;
  using Outputs = typename Block::Outputs;
  using Probes = typename Block::Probes;
  using Cycle = twin::Cycle;

  /// `twin` must be in reset.
  explicit LazyTwin(std::unique_ptr<Twin> twin) : twin_(std::move(twin)) {}

  /// Inputs of this cycle. The owner sets them; an edge does not change them.
  Inputs in;

  [[nodiscard]] const Params& params() const { return twin_->params(); }
  /// Returns the twin after all skipped edges have been applied.
  [[nodiscard]] Twin& twin() {
    catch_up();
    return *twin_;
  }
  /// Returns the probes after the twin's last executed edge. Skipped edges change only the probes that the block names
  /// (twin::runs).
  [[nodiscard]] Probes probes() const { return twin_->probes(); }
  /// Returns the levels of the twin's last executed edge; the other fields are 0.
  [[nodiscard]] const Inputs& held() const { return held_; }

  /// Updates `out` to the outputs of this cycle for `in`. Returns whether the twin had to settle; if not, `out` is
  /// unchanged since the last call.
  bool look() {
    if (fresh_ && !asks_anew()) return false;
    ask();
    return true;
  }
  [[nodiscard]] const Outputs& out() const { return out_; }
  /// Returns the registered outputs of this cycle, which do not depend on its inputs; combinational outputs are those
  /// for the current `in`. The result is not cached. Valid until the twin settles again.
  [[nodiscard]] const Outputs& registered() {
    catch_up();
    fresh_ = false;
    return twin_->settle(in);
  }

  /// Executes or skips the edge that ends this cycle, with `in`. First calls `observe(in, outputs)`, if `look` was
  /// called since the twin's last executed edge.
  template <class Observe>
  Edge edge(Observe&& observe) {
    if (fresh_) {
      // `look` was called, so `observe` gets the outputs for the final inputs of the cycle. The twin settles again if
      // the inputs have changed since.
      if (asks_anew()) {
        ask();
        fresh_ = false;
      }
      observe(in, out_);
    }
    const twin::U64 events = event_bits();
    if (shown_) show_cycle();
    if (events == 0 && rests() && !levels_moved() && !shows_inside_) {
      ++skipped_;
      return Edge::kSkipped;
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
  /// As `edge`, for an owner that reads no further output of this cycle. A cycle model then does not settle again for
  /// the final inputs; RTL and lockstep do.
  Edge edge_of_seen() {
    if (twin_->is_model() && !shown_) fresh_ = false;
    return edge();
  }
  /// Turns `in` into the inputs of an idle cycle: events and payloads 0.
  void make_idle() { twin::make_idle<Block>(in, params()); }

  /// Returns a lower bound of the number of future idle edges that change no output.
  [[nodiscard]] Cycle quiet() const { return quiet_ == base::kForever ? base::kForever : quiet_ - skipped_; }
  /// Whether the next idle edge changes no output.
  [[nodiscard]] bool rests() const { return skipped_ < quiet_; }
  /// Skips exactly n idle edges, n <= quiet().
  void idle(Cycle n) { skipped_ += n; }

  void reset() {
    twin_->reset();
    in = {};
    held_ = {};
    out_ = {};
    fresh_ = false;
    skipped_ = 0;
    quiet_ = twin_->quiet();
    if (shown_) show_state();
  }

  /// Adds the block's ports and probes to waves, as instance <scope>.<block>: inputs and outputs of the last edge, and
  /// the probes after it. Values that change in every cycle are left out: time, and probes that the block names
  /// (twin::runs). Internal signals of the twin (Twin::inside) are instance <scope>.<block>.rtl, sampled after the
  /// edge.
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
  // Visitors of ports. Class and timing of a port are compile-time constants, so each visitor compiles to code without
  // branches over the selected fields.

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

  /// Returns the bits in which two fields differ; the words or elements of a field are OR-ed together.
  template <class T>
  [[nodiscard]] static twin::U64 differing(const T& a, const T& b) {
    if constexpr (twin::is_bits<T>) {
      twin::U64 bits = 0;
      for (unsigned w = 0; w < T::kWords; ++w) bits |= a.word(w) ^ b.word(w);
      return bits;
    } else if constexpr (twin::is_lanes<T>) {
      if constexpr (std::is_integral_v<typename T::Element>) {
        typename T::Element bits = 0;  // element type, so that the compiler compares many elements at once
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
    if (skipped_ == 0) return;
    const Cycle owed = std::exchange(skipped_, 0);
    twin_->idle(owed);
    if (quiet_ != base::kForever) quiet_ -= owed;
  }

  // Updates the values that the waves show, also in cycles without a call of `look`. Does not affect the results of
  // `look`.
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
  Inputs asked_;                              // kSettle inputs for which the twin has computed out_
  Inputs held_;                               // levels of the last executed edge
  bool fresh_ = false;                        // out_ belongs to the state after the last executed edge
  Cycle quiet_ = 0;                           // number of idle edges after the last executed edge that change no output
  Cycle skipped_ = 0;                         // skipped edges, part of quiet_, not yet applied to the twin
  std::unique_ptr<ShownPorts<Block>> shown_;  // values that the waves show; null without waves
  bool shows_inside_ = false;                 // the waves show internal signals of the twin
};

}  // namespace castor::hookup
