#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/twin/block.h"

/// Lists of a block's ports and parameters as data, for documents and for the comparison with the RTL.
namespace castor::tb {

struct Description {
  struct Port {
    std::string name;  ///< name of the RTL pin, with the suffix _i or _o and, for probes, the prefix probe_
    std::string direction;
    unsigned width = 0;
    std::string shape;  ///< width as the port list writes it: "NumQueues", "3 x 4"
    std::string kind;
    std::string timing;
    std::string meaning;
  };
  struct Param {
    std::string name;
    std::uint32_t value = 0;  ///< value in the described parameter set
    std::uint32_t standard = 0, minimum = 0, maximum = 0;
    bool power_of_two = false;
    std::string meaning;
  };

  std::string block, top, meaning;
  std::vector<Param> params;
  std::vector<Port> inputs, outputs, probes;
};

[[nodiscard]] const char* name(twin::Class kind);
[[nodiscard]] const char* name(twin::Timing timing);

/// Returns the Markdown tables of parameters, ports and probes.
[[nodiscard]] std::string markdown(const Description& description);
/// Returns the whole description as JSON.
[[nodiscard]] std::string json(const Description& description);

/// Returns the description of a block at these parameters.
template <class Block>
[[nodiscard]] Description describe(const typename Block::Params& params) {
  Description description;
  description.block = Block::kBlock;
  description.top = Block::kTop;
  description.meaning = Block::kMeaning;
  Block::Params::each([&](const twin::Param& param, auto member) {
    description.params.push_back({std::string(param.name), params.*member, param.standard, param.minimum, param.maximum,
                                  param.rule == twin::Rule::kPowerOfTwo, std::string(param.meaning)});
  });
  const auto add = [](std::vector<Description::Port>& ports, const char* before, const char* after,
                      const char* direction) {
    return [&ports, before, after, direction](const twin::Port& port, auto, auto) {
      ports.push_back({before + std::string(port.name) + after, direction, port.shape.width(), std::string(port.width),
                       name(port.kind), name(port.timing), std::string(port.meaning)});
    };
  };
  Block::each_input(add(description.inputs, "", "_i", "input"), params);
  Block::each_output(add(description.outputs, "", "_o", "output"), params);
  Block::each_probe(add(description.probes, "probe_", "_o", "output"), params);
  return description;
}

}  // namespace castor::tb
