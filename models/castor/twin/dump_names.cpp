#include "castor/twin/dump_names.h"

#include <algorithm>
#include <sstream>

#include "castor/base/dump_text.h"
#include "castor/base/error.h"

namespace castor::twin {
namespace {

/// Returns the binary digits of `value` without leading zeros.
std::string digits(std::uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + value % 2));
    value /= 2;
  } while (value != 0);
  return text;
}

std::string_view without_zeros(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
}

/// Returns identifier number `index` among the identifiers of `length` characters.
std::string long_identifier(std::size_t index, std::size_t length) {
  std::string text = base::identifier(index);
  CASTOR_ASSERT(text.size() <= length);
  text.resize(length, '!');
  return text;
}

constexpr const char* kTop = "top";

std::string scope_line(const std::string& name) { return "$scope module " + name + " $end"; }

struct Declaration {
  std::string line;        // the line as written to the dump
  std::string path;        // hierarchical path of a variable
  std::string identifier;  // identifier of a variable
  std::string name;        // name of a variable
};

std::vector<Declaration> declarations_of(std::string_view header) {
  std::vector<Declaration> found;
  std::vector<std::string> scopes;
  std::istringstream lines{std::string(header)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string command, kind, width;
    words >> command;
    if (command != "$scope" && command != "$upscope" && command != "$var") continue;
    Declaration one;
    one.line = line.substr(line.find('$'));
    if (command == "$scope") {
      std::string name;
      words >> kind >> name;
      scopes.push_back(name);
      one.line = scope_line(name);
    } else if (command == "$upscope") {
      if (!scopes.empty()) scopes.pop_back();
    } else if (!scopes.empty()) {
      words >> kind >> width >> one.identifier >> one.name;
      for (std::size_t i = scopes.front() == kTop ? 1 : 0; i < scopes.size(); ++i) one.path += scopes[i] + ".";
      one.path += one.name;
    }
    found.push_back(std::move(one));
  }
  if (!found.empty() && found.front().line != scope_line(kTop)) {
    found.insert(found.begin(), {scope_line(kTop), {}, {}, {}});
    found.push_back({"$upscope $end", {}, {}, {}});
  }
  return found;
}

}  // namespace

DumpNames::DumpNames(const std::vector<NamedSignal>& signals) {
  for (const NamedSignal& signal : signals) {
    Names& names = signals_[signal.path];
    for (const auto& [value, name] : signal.names) names.emplace(digits(value), name);
  }
}

std::string DumpNames::declare(std::string_view header) {
  const std::vector<Declaration> declarations = declarations_of(header);
  std::size_t longest = 0;
  for (const Declaration& one : declarations) longest = std::max(longest, one.identifier.size());
  shown_.clear();
  std::string text;
  for (const Declaration& one : declarations) {
    text += one.line + "\n";
    const auto signal = one.name.empty() ? signals_.end() : signals_.find(one.path);
    if (signal == signals_.end()) continue;
    // Signals that are always equal share one identifier in the dump. Their name variables share one identifier, too.
    const auto shown =
        shown_.emplace(one.identifier, Shown{long_identifier(shown_.size(), longest + 1), &signal->second}).first;
    text += base::name_variable(one.name, shown->second.identifier);
  }
  return text;
}

void DumpNames::translate(std::string_view text, std::string& out) const {
  base::each_change(text, [this, &out](std::string_view line, std::size_t at) {
    if (at == std::string_view::npos) return;
    out.append(line).append("\n");
    const auto shown = shown_.find(line.substr(at));
    if (shown == shown_.end()) return;
    const std::string_view value = without_zeros(line[0] == 'b' ? line.substr(1, at - 2) : line.substr(0, 1));
    const auto name = shown->second.names->find(std::string(value));
    out.append("s").append(name != shown->second.names->end() ? std::string_view(name->second) : value);
    out.append(" ").append(shown->second.identifier).append("\n");
  });
}

}  // namespace castor::twin
