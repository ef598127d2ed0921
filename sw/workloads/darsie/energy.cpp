#include "workloads/darsie/energy.h"

#include <yaml-cpp/yaml.h>

#include <set>
#include <utility>

#include "castor/base/error.h"

namespace castor::workloads::darsie {
namespace {

using base::InputError;
using base::printable;
using base::SourceLocation;

/// Parser of one energy table.
class Reader {
 public:
  Reader(std::string name, const std::string& text) : name_(std::move(name)) {
    try {
      root_ = YAML::Load(text);
    } catch (const YAML::Exception& error) {
      fail(error.mark, error.msg);
    }
  }

  [[nodiscard]] EnergyTable table() const {
    keys(root_, {"static", "events"}, {});
    EnergyTable out;
    const YAML::Node fixed = root_["static"];
    keys(fixed, {"watts_per_sm", "core_mhz", "source"}, {});
    out.static_watts_per_sm = number(fixed, "watts_per_sm");
    out.core_mhz = number(fixed, "core_mhz");
    out.static_source = word(fixed, "source");
    if (out.core_mhz <= 0) fail(fixed.Mark(), "core_mhz is above 0");
    if (!root_["events"].IsSequence()) fail(root_.Mark(), "'events' is a list");
    std::set<std::string> seen;
    for (const YAML::Node& node : root_["events"]) {
      keys(node, {"event", "pj", "source"}, {"overhead"});
      EventEnergy one{word(node, "event"), number(node, "pj"), node["overhead"] && node["overhead"].as<bool>(false),
                      word(node, "source")};
      if (!seen.insert(one.event).second) fail(node.Mark(), "event '" + printable(one.event) + "' stands twice");
      out.events.push_back(std::move(one));
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw InputError(SourceLocation{name_, mark.line + 1, 0}, what);
  }

  void keys(const YAML::Node& node, const std::set<std::string>& needed, const std::set<std::string>& others) const {
    if (!node.IsMap()) fail(node.Mark(), "no keys with values");
    for (const std::string& key : needed) {
      if (!node[key]) fail(node.Mark(), "key '" + key + "' is missing");
    }
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>("");
      if (needed.count(key) == 0 && others.count(key) == 0) {
        fail(entry.first.Mark(), "unknown key '" + printable(key) + "'");
      }
    }
  }

  [[nodiscard]] std::string word(const YAML::Node& node, const char* key) const {
    const auto text = node[key].as<std::string>("");
    if (text.empty()) fail(node.Mark(), std::string("'") + key + "' is a text");
    return text;
  }

  [[nodiscard]] double number(const YAML::Node& node, const char* key) const {
    const auto value = node[key].as<double>(-1);
    if (!(value >= 0 && value < 1e9)) fail(node.Mark(), std::string("'") + key + "' is a number from 0 to 1e9");
    return value;
  }

  std::string name_;
  YAML::Node root_;
};

}  // namespace

EnergyTable read_energy(const std::string& name, const std::string& text) { return Reader(name, text).table(); }

std::optional<Energy> energy_of(const EnergyTable& table,
                                const std::function<std::optional<double>(const std::string&)>& figure) {
  Energy out;
  for (const EventEnergy& event : table.events) {
    const auto count = figure(event.event);
    if (!count) return std::nullopt;
    out.dynamic += *count * event.picojoules;
    if (event.overhead) out.overhead += *count * event.picojoules;
  }
  const auto cycles = figure("sm_cycles");
  if (!cycles) return std::nullopt;
  out.constant = table.static_watts_per_sm * *cycles / table.core_mhz * 1e6;  // W x us = 1e6 pJ
  return out;
}

}  // namespace castor::workloads::darsie
