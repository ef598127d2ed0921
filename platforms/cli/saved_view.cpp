#include "platforms/cli/saved_view.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/installation.h"
#include "castor/base/output_file.h"

namespace castor::platforms::cli {
namespace {

namespace fs = std::filesystem;

/// A variable of a waveform dump, named as in a saved view: "model.castor_saws_probe", "err_o", "[2:0]".
struct Variable {
  std::string scope, name, bits;
  [[nodiscard]] std::string path() const { return scope + "." + name + bits; }
};

std::vector<Variable> declared(const std::string& wave) {
  std::ifstream file(wave);
  std::vector<std::string> scopes;
  std::vector<Variable> out;
  for (std::string line; std::getline(file, line) && line.rfind("$enddefinitions", 0) != 0;) {
    std::istringstream text(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.size() > 2 && words[0] == "$scope") scopes.push_back(words[2]);
    if (!words.empty() && words[0] == "$upscope" && !scopes.empty()) scopes.pop_back();
    if (words.size() < 6 || words[0] != "$var") continue;
    Variable& one = out.emplace_back();
    for (const std::string& scope : scopes) one.scope += (one.scope.empty() ? "" : ".") + scope;
    one.name = words[4];
    if (words[5] != "$end") one.bits = words[5];
  }
  return out;
}

/// Returns the block of a scope "model.castor_<block>_probe" or "rtl.top.castor_<block>_probe"; empty for other scopes.
std::string block_of(const std::string& scope) {
  static const std::string kBegin = "castor_", kEnd = "_probe";
  const std::size_t dot = scope.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string side = scope.substr(0, dot), name = scope.substr(dot + 1);
  const bool good = (side == "model" || side == "rtl.top") && name.size() > kBegin.size() + kEnd.size() &&
                    name.rfind(kBegin, 0) == 0 && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  return good ? name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()) : "";
}

bool is_rtl(const Variable& variable) { return variable.scope.rfind("rtl.", 0) == 0; }
bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Returns the hand-made view of a block; empty if there is none, or if it names a signal that the dump lacks.
std::string made_by_hand(const std::string& block, const std::set<std::string>& paths) {
  std::ifstream file(fs::path(base::data_folder()) / "waveforms" / (block + ".gtkw"));
  std::string text, line;
  while (std::getline(file, line)) {
    const bool signal = line.rfind("model.", 0) == 0 || line.rfind("rtl.", 0) == 0;
    if (signal && paths.count(line) == 0) return "";
    text += line + "\n";
  }
  return text;
}

/// Returns the lines that show a variable, with GTKWave's trace flags: numbers right-aligned, single bits in binary,
/// names as text, all other values in hexadecimal.
std::string shown(const Variable& variable) {
  const char* const flags = ends_with(variable.name, "_name") ? "@20\n" : variable.bits.empty() ? "@28\n" : "@22\n";
  return flags + std::string(is_rtl(variable) ? "[color] 3\n" : "") + variable.path() + "\n";
}

std::string made(const std::string& block, const std::vector<Variable>& variables) {
  std::string out = "[*] Block " + block +
                    ": ports and probes, model and RTL side by side (the RTL's are the coloured ones).\n"
                    "[size] 1600 1000\n[pos] -1 -1\n*-14.000000 -1\n[sst_expanded] 0\n";
  const auto named = [&](const Variable& one) {
    return std::any_of(variables.begin(), variables.end(), [&](const Variable& other) {
      return other.scope == one.scope && other.name == one.name + "_name";
    });
  };
  const auto group = [&](const std::string& title, auto belongs) {
    std::string text;
    std::set<std::string> done;
    for (const Variable& one : variables) {
      if (!belongs(one.name) || one.name == "clk_i" || named(one) || !done.insert(one.name).second) continue;
      for (const Variable& side : variables) {
        // An input has the same value in model and RTL, so it is shown only once.
        if (side.name == one.name && !(ends_with(one.name, "_i") && is_rtl(side) && !is_rtl(one))) text += shown(side);
      }
    }
    if (!text.empty()) out += "@800200\n-" + title + "\n" + text + "@1000200\n-" + title + "\n";
  };
  const auto probe = [](const std::string& name) { return name.rfind("probe_", 0) == 0; };
  const auto input = [](const std::string& name) { return ends_with(name, "_i") || ends_with(name, "_i_name"); };
  group("inputs", [&](const std::string& name) { return !probe(name) && input(name); });
  group("outputs", [&](const std::string& name) { return !probe(name) && !input(name); });
  group("probes", probe);
  return out;
}

}  // namespace

std::string write_saved_view(const std::string& wave) {
  std::string block;
  std::vector<Variable> variables;
  std::set<std::string> paths;
  for (const Variable& one : declared(wave)) {
    paths.insert(one.path());
    const std::string own = block_of(one.scope);
    if (own.empty() || (!block.empty() && own != block)) continue;
    block = own;
    variables.push_back(one);
  }
  if (variables.empty()) {
    throw base::InputError("'" + base::printable(wave, std::string::npos) + "' has no block with ports and probes",
                           "castor cosim BLOCK --wave FILE writes such waves");
  }
  const std::string by_hand = made_by_hand(block, paths);
  fs::path path = wave;
  if (path.extension() == ".vcd") path.replace_extension();
  path += ".gtkw";
  base::write_file(path, by_hand.empty() ? made(block, variables) : by_hand);
  return path.string();
}

}  // namespace castor::platforms::cli
