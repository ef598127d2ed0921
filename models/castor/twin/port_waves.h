#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "castor/twin/block.h"
#include "castor/twin/rtl_options.h"
#include "castor/twin/vcd.h"

namespace castor::twin {

/// Writes waves of a twin's ports and probes under <scope>.castor_<block>_probe. Names of signals and times of changes
/// are the same as in the RTL's dump. Registered outputs and probes change at the beginning of a cycle; inputs, and
/// outputs that depend on them, change in its middle.
template <class Block>
class PortWaves {
 public:
  using Params = typename Block::Params;
  using Scope = std::vector<std::string>;

  /// Declares the signals in each of `scopes` (paths from the outside in), with the same values. Throws InputError if
  /// the file cannot be written.
  PortWaves(const std::string& path, const std::vector<Scope>& scopes, const Params& params)
      : file_(path), params_(params) {
    for (const Scope& scope : scopes) {
      for (const std::string& name : scope) file_.open_scope(name);
      file_.open_scope(std::string(Block::kTop) + "_probe");
      declare(signals_.empty());
      for (std::size_t i = 0; i <= scope.size(); ++i) file_.close_scope();
    }
  }

  /// Writes one cycle: the inputs of `clock`, the outputs of `settle`, and the probes before the edge.
  void cycle(Cycle number, const typename Block::Inputs& in, const typename Block::Outputs& out,
             const typename Block::Probes& probes) {
    sample(number * kCyclePicoseconds, true, in, out, probes);
    sample(number * kCyclePicoseconds + kCyclePicoseconds / 2, false, in, out, probes);
    in_ = in;
    out_ = out;
    probes_ = probes;
    known_ = true;
  }

  void close() { file_.close(); }

 private:
  /// Declares all signals. If `first` is false, declares the existing signals once more in the current scope.
  void declare(bool first) {
    std::size_t index = 0;
    const auto add = [&](const std::string& name, unsigned width, base::ValueNames names) {
      if (first) {
        signals_.push_back(file_.add(name, width, names));
      } else {
        file_.add_again(name, signals_[index++]);
      }
    };
    const auto port = [&add](const auto& fields, const char* before, const char* after) {
      return [&add, &fields, before, after](const Port& port, auto member, auto) {
        add(before + std::string(port.name) + after, port.shape.width(), value_names(fields.*member));
      };
    };
    add("clk_i", 1, {});
    Block::each_input(port(in_, "", "_i"), params_);
    Block::each_output(port(out_, "", "_o"), params_);
    Block::each_probe(port(probes_, "probe_", "_o"), params_);
  }

  void sample(std::uint64_t time, bool edge, const typename Block::Inputs& in, const typename Block::Outputs& out,
              const typename Block::Probes& probes) {
    file_.at(time);
    auto signal = signals_.begin();
    const U64 level = edge ? 1 : 0;
    file_.set(*signal++, &level);
    const auto put = [&](bool now, const auto& field, const auto& last, Shape shape) {
      if (now && !(known_ && field == last)) file_.set(*signal, pack(field, shape).data());
      ++signal;
    };
    Block::each_input([&](const Port& port, auto member, auto) { put(!edge, in.*member, in_.*member, port.shape); },
                      params_);
    Block::each_output(
        [&](const Port& port, auto member, auto) {
          put(edge == (port.timing == Timing::kRegistered), out.*member, out_.*member, port.shape);
        },
        params_);
    Block::each_probe(
        [&](const Port& port, auto member, auto) { put(edge, probes.*member, probes_.*member, port.shape); }, params_);
  }

  VcdFile file_;
  Params params_;
  std::vector<unsigned> signals_;  // order: clk_i, inputs, outputs, probes
  typename Block::Inputs in_;      // inputs of the previous cycle
  typename Block::Outputs out_;
  typename Block::Probes probes_;
  bool known_ = false;
};

}  // namespace castor::twin
