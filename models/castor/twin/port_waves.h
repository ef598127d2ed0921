#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "castor/twin/block.h"
#include "castor/twin/rtl_options.h"
#include "castor/twin/vcd.h"

namespace castor::twin {

/// Waves of a twin as its ports and probes show it, under <scope>.castor_<block>_probe: the names, and the places in
/// time, that the dump of the RTL has. Registered outputs and probes change at the beginning of a cycle, inputs and
/// outputs that depend on them in its middle.
template <class Block>
class PortWaves {
 public:
  using Params = typename Block::Params;

  /// Throws InputError if the file cannot be written.
  PortWaves(const std::string& path, const std::string& scope, const Params& params) : file_(path), params_(params) {
    file_.open_scope(scope);
    file_.open_scope(std::string(Block::kTop) + "_probe");
    const auto add = [this](const char* before, const char* after) {
      return [this, before, after](const Port& port, auto, auto) {
        signals_.push_back(file_.add(before + std::string(port.name) + after, port.shape.width()));
      };
    };
    clock_ = file_.add("clk_i", 1);
    Block::each_input(add("", "_i"), params_);
    Block::each_output(add("", "_o"), params_);
    Block::each_probe(add("probe_", "_o"), params_);
  }

  /// One cycle: what clock saw, what settle answered, and the probes before the edge.
  void cycle(Cycle number, const typename Block::Inputs& in, const typename Block::Outputs& out,
             const typename Block::Probes& probes) {
    sample(number * kCyclePicoseconds, true, in, out, probes);
    sample(number * kCyclePicoseconds + kCyclePicoseconds / 2, false, in, out, probes);
  }

  void close() { file_.close(); }

 private:
  void sample(std::uint64_t time, bool edge, const typename Block::Inputs& in, const typename Block::Outputs& out,
              const typename Block::Probes& probes) {
    file_.at(time);
    const U64 level = edge ? 1 : 0;
    file_.set(clock_, &level);
    auto signal = signals_.begin();
    const auto put = [&](bool now, const auto& field, Shape shape) {
      if (now) file_.set(*signal, pack(field, shape).data());
      ++signal;
    };
    Block::each_input([&](const Port& port, auto member, auto) { put(!edge, in.*member, port.shape); }, params_);
    Block::each_output([&](const Port& port, auto member,
                           auto) { put(edge == (port.timing == Timing::kRegistered), out.*member, port.shape); },
                       params_);
    Block::each_probe([&](const Port& port, auto member, auto) { put(edge, probes.*member, port.shape); }, params_);
  }

  VcdFile file_;
  Params params_;
  unsigned clock_ = 0;
  std::vector<unsigned> signals_;
};

}  // namespace castor::twin
