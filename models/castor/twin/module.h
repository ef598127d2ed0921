#pragma once

#include <memory>
#include <systemc>
#include <utility>

#include "castor/twin/pins.h"
#include "castor/twin/twin.h"

namespace castor::twin {

/// A block as a SystemC module with `clk_i`, `rst_ni` (synchronous, active low) and the pins of `Pins`. The module
/// works with any twin of the block. Each block names its own module type in castor/<block>/module.h.
///
/// Timing: the rising edge clocks the twin with the values that the pins had before the edge. One process writes all
/// outputs, one delta cycle after the edge, and again whenever a kSettle input changes. While rst_ni is low at an edge,
/// the block is in reset.
///
/// Errors: a lockstep mismatch, or a failing assertion of the RTL, is reported as SC_ERROR with the id "/castor/twin".
/// By default SystemC throws it from sc_start as sc_core::sc_report.
///
/// Limits: reset needs a clock edge; every edge is clocked, idle edges are not skipped.
template <class BlockT, class Pins>
class Module : public sc_core::sc_module, public Pins {
 public:
  using Block = BlockT;
  using Params = typename Block::Params;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_ni{"rst_ni"};

  /// `twin` is std::make_unique<Model<Block>>(params) or the result of make_twin.
  Module(const sc_core::sc_module_name& name, std::unique_ptr<Twin<Block>> twin)
      : sc_core::sc_module(name), twin_(std::move(twin)) {
    size_lanes();
    using SC_CURRENT_USER_MODULE = Module;
    SC_METHOD(edge);
    sensitive << clk_i.pos();
    dont_initialize();
    SC_METHOD(settle);
    sensitive << settle_;
    Block::each_input(
        [this](const Port& port, auto, auto pin) {
          if (port.timing == Timing::kSettle) watch(pin(pins()));
        },
        twin_->params());
  }

  [[nodiscard]] Twin<Block>& twin() { return *twin_; }
  [[nodiscard]] const Twin<Block>& twin() const { return *twin_; }
  [[nodiscard]] const Params& params() const { return twin_->params(); }

  /// Adds all pins to a trace file; call it before the simulation starts.
  void trace_pins(sc_core::sc_trace_file* file) const {
    const auto add = [this, file](const Port& port, auto, auto pin) {
      trace_pin(file, pin(pins()), std::string(this->name()) + "." + std::string(port.name));
    };
    Block::each_input(add, params());
    Block::each_output(add, params());
  }

 private:
  [[nodiscard]] Pins& pins() { return *this; }
  [[nodiscard]] const Pins& pins() const { return *this; }

  template <class T>
  static void trace_pin(sc_core::sc_trace_file* file, const sc_core::sc_in<T>& pin, const std::string& name) {
    sc_core::sc_trace(file, pin, name);
  }
  template <class T>
  static void trace_pin(sc_core::sc_trace_file* file, const sc_core::sc_out<T>& pin, const std::string& name) {
    sc_core::sc_trace(file, pin, name);
  }
  template <class Pin>
  static void trace_pin(sc_core::sc_trace_file* file, const sc_core::sc_vector<Pin>& lanes, const std::string& name) {
    for (std::size_t i = 0; i < lanes.size(); ++i) trace_pin(file, lanes[i], name + "_" + std::to_string(i));
  }

  void size_lanes() {
    const auto size = [this](const Port& port, auto, auto pin) {
      auto& lanes = pin(pins());
      if constexpr (detail::is_vector<std::decay_t<decltype(lanes)>>) lanes.init(port.shape.elements);
    };
    Block::each_input(size, twin_->params());
    Block::each_output(size, twin_->params());
  }
  template <class Pin>
  void watch(Pin& pin) {
    if constexpr (detail::is_vector<Pin>) {
      for (auto& lane : pin) sensitive << lane;
    } else {
      sensitive << pin;
    }
  }

  void read_inputs() {
    Block::each_input([this](const Port&, auto member, auto pin) { read_pin(pin(pins()), in_.*member); },
                      twin_->params());
  }

  void edge() {
    guarded([this] {
      if (!rst_ni.read()) {
        twin_->reset();
      } else {
        read_inputs();
        twin_->clock(in_);
      }
    });
    settle_.notify(sc_core::SC_ZERO_TIME);
  }

  void settle() {
    guarded([this] {
      read_inputs();
      const auto& out = twin_->settle(in_);
      Block::each_output([this, &out](const Port&, auto member, auto pin) { write_pin(pin(pins()), out.*member); },
                         twin_->params());
    });
  }

  template <class F>
  void guarded(F step) {
    try {
      step();
    } catch (const base::Error& error) {
      SC_REPORT_ERROR("/castor/twin", error.what());
    }
  }

  std::unique_ptr<Twin<Block>> twin_;
  sc_core::sc_event settle_;
  typename Block::Inputs in_;
};

}  // namespace castor::twin
