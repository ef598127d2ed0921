#include "tb/common/description.h"

#include <nlohmann/json.hpp>

namespace castor::tb {
namespace {

/// Returns a readable form of a width expression: "NumQueues" from "1 x p.NumQueues", "NumWays x 4" from "p.NumWays x
/// 4".
std::string readable(std::string text) {
  if (text.rfind("1 x ", 0) == 0) text.erase(0, 4);
  for (std::size_t at = text.find("p."); at != std::string::npos; at = text.find("p.", at)) {
    if (at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '_')) {
      text.erase(at, 2);
    } else {
      at += 2;
    }
  }
  for (std::size_t at = text.find("()"); at != std::string::npos; at = text.find("()")) text.erase(at, 2);
  return text;
}

std::string row(const Description::Port& port) {
  const std::string number = std::to_string(port.width);
  const std::string shape = readable(port.shape);
  return "| `" + port.name + "` | " + number + (shape == number ? "" : " (" + shape + ")") + " | " + port.kind + ", " +
         port.timing + " | " + port.meaning + " |\n";
}

nlohmann::ordered_json ports_json(const std::vector<Description::Port>& ports) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Description::Port& port : ports) {
    rows.push_back({{"name", port.name},
                    {"direction", port.direction},
                    {"width", port.width},
                    {"class", port.kind},
                    {"timing", port.timing},
                    {"meaning", port.meaning}});
  }
  return rows;
}

}  // namespace

const char* name(twin::Class kind) {
  switch (kind) {
    case twin::Class::kEvent:
      return "event";
    case twin::Class::kLevel:
      return "level";
    case twin::Class::kPayload:
      return "payload";
    case twin::Class::kTime:
      return "time";
  }
  return "?";
}

const char* name(twin::Timing timing) {
  switch (timing) {
    case twin::Timing::kEdge:
      return "edge";
    case twin::Timing::kSettle:
      return "settle";
    case twin::Timing::kRegistered:
      return "registered";
    case twin::Timing::kCombinational:
      return "combinational";
  }
  return "?";
}

std::string markdown(const Description& description) {
  std::string text = "| parameter | default | range | meaning |\n|---|---|---|---|\n";
  for (const Description::Param& param : description.params) {
    text += "| `" + param.name + "` | " + std::to_string(param.standard) + " | " + std::to_string(param.minimum) +
            " to " + std::to_string(param.maximum) + (param.power_of_two ? ", power of two" : "") + " | " +
            param.meaning + " |\n";
  }
  text +=
      "\nBits at the default parameters. Inputs: *settle* means that an output of the same cycle depends on it, *edge* "
      "that only the clock edge sees it.\n"
      "\n| input | bits | kind | meaning |\n|---|---|---|---|\n"
      "| `clk_i` | 1 | clock | rising edge |\n| `rst_ni` | 1 | reset | synchronous, active low |\n";
  for (const Description::Port& port : description.inputs) text += row(port);
  text += "\n| output | bits | kind | meaning |\n|---|---|---|---|\n";
  for (const Description::Port& port : description.outputs) text += row(port);
  text += "\n| probe | bits | meaning |\n|---|---|---|\n";
  for (const Description::Port& port : description.probes) {
    const std::string number = std::to_string(port.width);
    const std::string shape = readable(port.shape);
    text += "| `" + port.name + "` | " + number + (shape == number ? "" : " (" + shape + ")") + " | " + port.meaning +
            " |\n";
  }
  return text;
}

std::string json(const Description& description) {
  nlohmann::ordered_json params = nlohmann::ordered_json::array();
  for (const Description::Param& param : description.params) {
    params.push_back({{"name", param.name},
                      {"value", param.value},
                      {"default", param.standard},
                      {"minimum", param.minimum},
                      {"maximum", param.maximum},
                      {"power_of_two", param.power_of_two},
                      {"meaning", param.meaning}});
  }
  const nlohmann::ordered_json all{{"block", description.block},
                                   {"top", description.top},
                                   {"meaning", description.meaning},
                                   {"params", params},
                                   {"inputs", ports_json(description.inputs)},
                                   {"outputs", ports_json(description.outputs)},
                                   {"probes", ports_json(description.probes)}};
  return all.dump(2) + "\n";
}

}  // namespace castor::tb
