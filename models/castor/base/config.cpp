#include "castor/base/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "castor/base/words.h"

namespace castor::base {
namespace {

constexpr std::size_t kExtendsDepth = 8;
constexpr std::size_t kMissingShown = 5;

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

/// Returns the shortest readable decimal of `value`: whole numbers with all digits, other numbers with up to 6 digits.
std::string number(double value) {
  char buffer[40];
  const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p63;
  std::snprintf(buffer, sizeof buffer, whole ? "%.0f" : "%g", value);
  return buffer;
}

/// Returns a size in bytes with the largest suffix (KiB, MiB, GiB) of which it is a whole multiple.
std::string bytes(double value) {
  const char* suffix = "";
  for (const char* next : {"KiB", "MiB", "GiB"}) {
    if (value < 1024 || std::fmod(value, 1024) != 0) break;
    value /= 1024;
    suffix = next;
  }
  return number(value) + suffix;
}

std::string_view last_word(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > 200) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

/// Checks one entry of a configuration against the schema's row of its key; error messages give the entry's position in
/// the file.
class Checker {
 public:
  Checker(const ConfigEntry& entry, const SchemaRow& row) : entry_(entry), row_(row) {}

  ConfigValue check() {
    value_.entry = entry_;
    value_.entry.unit = row_.unit;
    value_.type = row_.type;
    check_unit();
    if (entry_.is_list != (row_.type == ValueType::kNames) && !single_name_list()) {
      fail(entry_.is_list ? "is a list" : "is not a list", "expected " + row_.allowed());
    }
    switch (row_.type) {
      case ValueType::kInteger:
        integer();
        break;
      case ValueType::kOptionalInteger:
        value_.none = word() == "none";
        if (!value_.none) integer();
        break;
      case ValueType::kReal:
        real();
        break;
      case ValueType::kBoolean:
        boolean();
        break;
      case ValueType::kChoice:
        choice();
        break;
      case ValueType::kVersion:
        version();
        break;
      case ValueType::kName:
      case ValueType::kNames:
        names();
        break;
      case ValueType::kFile:
        if (word() != "none") value_.names = entry_.words;
        break;
    }
    return value_;
  }

 private:
  [[nodiscard]] const std::string& word() const { return entry_.words.front(); }

  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    const std::string shown = entry_.is_list ? std::string("value") : '"' + printable(word()) + '"';
    throw InputError(entry_.where, "key " + row_.key + ": " + shown + ' ' + what, hint);
  }

  /// Returns whether the entry is a list of names that is written as one word, as a command-line override writes it.
  [[nodiscard]] bool single_name_list() const { return row_.type == ValueType::kNames && !entry_.is_list; }

  void check_unit() const {
    if (entry_.unit.empty() || entry_.unit == row_.unit) return;
    throw InputError(entry_.where, "key " + row_.key + ": unit \"" + printable(entry_.unit) + "\" is wrong",
                     "this key is in " + row_.unit);
  }

  void integer() {
    std::string_view text = word();
    std::uint64_t factor = 1;
    if (row_.unit == "bytes") {
      constexpr std::pair<std::string_view, unsigned> kSuffixes[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
      for (const auto& [suffix, shift] : kSuffixes) {
        if (text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix) {
          factor = std::uint64_t{1} << shift;
          text.remove_suffix(suffix.size());
        }
      }
    }
    std::uint64_t parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    const bool digits = end == text.data() + text.size() && error != std::errc::invalid_argument;
    if (!digits) fail("is not a whole number", "allowed: " + row_.allowed());
    const bool overflow =
        error == std::errc::result_out_of_range || parsed > std::numeric_limits<std::uint64_t>::max() / factor;
    value_.integer = overflow ? 0 : parsed * factor;
    value_.real = overflow ? HUGE_VAL : static_cast<double>(value_.integer);
    if (!row_.values.empty()) {
      const bool listed = std::find(row_.values.begin(), row_.values.end(), value_.integer) != row_.values.end();
      if (overflow || !listed) fail("is not allowed", "allowed: " + row_.allowed());
    }
    check_range();
  }

  void real() {
    const std::string& text = word();
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value_.real, std::chars_format::fixed);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value_.real)) {
      fail("is not a decimal number", "allowed: " + row_.allowed());
    }
    check_range();
  }

  void check_range() const {
    if (row_.values.empty() && (value_.real < row_.low || value_.real > row_.high)) {
      fail("is out of range", "allowed: " + row_.allowed());
    }
  }

  void boolean() {
    if (word() == "1" || word() == "true") {
      value_.integer = 1;
    } else if (word() != "0" && word() != "false") {
      fail("is neither 0 nor 1", "allowed: " + row_.allowed());
    }
    value_.real = static_cast<double>(value_.integer);
  }

  void choice() {
    const auto found = std::find(row_.choices.begin(), row_.choices.end(), word());
    if (found == row_.choices.end()) {
      const std::string meant = did_you_mean(word(), row_.choices);
      fail("is unknown", "allowed: " + row_.allowed() + (meant.empty() ? "" : "; " + meant));
    }
    value_.integer = static_cast<std::uint64_t>(found - row_.choices.begin());
  }

  void version() {
    const std::string& text = word();
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.size() != 3 || !digit(text[0]) || text[1] != '.' || !digit(text[2])) {
      fail("is no version", "allowed: " + row_.allowed());
    }
    value_.integer = static_cast<std::uint64_t>((text[0] - '0') * 10 + (text[2] - '0'));
  }

  void names() {
    value_.names = entry_.words;
    if (single_name_list()) {
      value_.names.clear();
      std::string_view rest = word();
      while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        value_.names.emplace_back(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
      }
    }
    for (const std::string& name : value_.names) {
      if (is_name(name)) continue;
      throw InputError(entry_.where, "key " + row_.key + ": \"" + printable(name) + "\" is not a name",
                       "letters, digits, '_', '-' and '.'");
    }
  }

  const ConfigEntry& entry_;
  const SchemaRow& row_;
  ConfigValue value_;
};

ConfigEntry override_entry(const std::string& text) {
  const SourceLocation where{"command line", 0, 0};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(where, "override \"" + printable(text) + "\" has no key", "write key=value, as in sm.warps=32");
  }
  if (equals + 1 == text.size()) {
    throw InputError(where, "override \"" + printable(text) + "\" has no value", "write key=value, as in sm.warps=32");
  }
  return {text.substr(0, equals), {text.substr(equals + 1)}, false, "", "command line", where};
}

/// Returns the value of a key that the document at `where` does not state: the default of the schema.
ConfigValue default_value(const SchemaRow& row, const SourceLocation& where) {
  return Checker({row.key, {row.standard}, false, "", "default", where}, row).check();
}

bool default_is_allowed(const SchemaRow& row) {
  try {
    (void)default_value(row, {});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void put(std::vector<ConfigEntry>& entries, std::unordered_map<std::string, std::size_t>& index, ConfigEntry entry) {
  const auto [place, added] = index.emplace(entry.key, entries.size());
  if (added) {
    entries.push_back(std::move(entry));
  } else {
    entries[place->second] = std::move(entry);
  }
}

}  // namespace

std::string SchemaRow::allowed_values() const {
  const auto show = [this](double value) { return unit == "bytes" ? bytes(value) : number(value); };
  switch (type) {
    case ValueType::kInteger:
    case ValueType::kOptionalInteger:
    case ValueType::kReal: {
      std::string range = show(low) + " to " + show(high);
      if (!values.empty()) {
        std::vector<std::string> words;
        for (const std::uint64_t value : values) words.push_back(std::to_string(value));
        range = join(words);
      }
      return type == ValueType::kOptionalInteger ? "none, " + range : range;
    }
    case ValueType::kBoolean:
      return "0 or 1";
    case ValueType::kChoice:
      return join(choices);
    case ValueType::kVersion:
      return "a version such as 6.1";
    case ValueType::kName:
      return "a name";
    case ValueType::kNames:
      return "a list of names such as [[a, b], names]";
    case ValueType::kFile:
      return "a file, or none";
  }
  return {};
}

std::string SchemaRow::allowed() const {
  const bool is_number = type == ValueType::kInteger || type == ValueType::kOptionalInteger || type == ValueType::kReal;
  return is_number ? allowed_values() + ' ' + unit : allowed_values();
}

void Schema::add(SchemaRow row) {
  const bool added = index_.emplace(row.key, rows_.size()).second;
  CASTOR_ASSERT(added, "the schema contains key %s twice", row.key.c_str());
  CASTOR_ASSERT(row.standard.empty() || default_is_allowed(row), "key %s: its default %s is not allowed",
                row.key.c_str(), row.standard.c_str());
  rows_.push_back(std::move(row));
}

const SchemaRow* Schema::find(const std::string& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &rows_[found->second];
}

std::string Schema::nearest(const std::string& key) const {
  std::vector<std::string> keys;
  std::string same_last_word;
  bool unique = false;
  for (const SchemaRow& row : rows_) {
    keys.push_back(row.key);
    if (last_word(row.key) == last_word(key)) {
      unique = same_last_word.empty();
      same_last_word = row.key;
    }
  }
  const std::string near = closest_word(key, keys);
  return near.empty() && unique ? same_last_word : near;
}

ConfigDocument merge_config(ConfigDocument document, const ConfigResolver& resolve,
                            const std::vector<std::string>& overrides) {
  std::vector<ConfigDocument> chain;
  chain.push_back(std::move(document));
  while (!chain.back().extends.empty()) {
    const ConfigDocument& last = chain.back();
    for (const ConfigDocument& earlier : chain) {
      if (earlier.name == last.extends) {
        throw InputError(last.extends_where, "machine " + printable(last.extends) + " extends itself",
                         "break the circle of extends");
      }
    }
    if (chain.size() == kExtendsDepth) {
      throw InputError(last.extends_where, "more than " + std::to_string(kExtendsDepth) + " machines extend each other",
                       "extend a machine that is nearer to the root of this chain");
    }
    chain.push_back(resolve(last.extends, last.extends_where));
  }

  ConfigDocument merged;
  merged.name = chain.front().name;
  merged.where = chain.front().where;
  std::unordered_map<std::string, std::size_t> index;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    if (!link->title.empty()) merged.title = link->title;
    for (ConfigEntry& entry : link->entries) put(merged.entries, index, std::move(entry));
  }
  for (const std::string& text : overrides) put(merged.entries, index, override_entry(text));
  return merged;
}

Config::Config(const ConfigDocument& document, const Schema& schema) : name_(document.name), title_(document.title) {
  std::unordered_map<std::string, ConfigValue> checked;
  for (const ConfigEntry& entry : document.entries) {
    const SchemaRow* row = schema.find(entry.key);
    if (row == nullptr) {
      const std::string near = schema.nearest(entry.key);
      throw InputError(entry.where, "unknown key \"" + printable(entry.key) + '"',
                       near.empty() ? "docs/machines.md lists all keys" : "did you mean " + near + "?");
    }
    checked.emplace(entry.key, Checker(entry, *row).check());
  }

  std::string missing;
  std::size_t count = 0;
  for (const SchemaRow& row : schema.rows()) {
    const auto found = checked.find(row.key);
    if (found != checked.end()) {
      index_.emplace(row.key, values_.size());
      values_.push_back(std::move(found->second));
    } else if (!row.standard.empty()) {
      index_.emplace(row.key, values_.size());
      values_.push_back(default_value(row, document.where));
    } else if (++count <= kMissingShown) {
      missing += (missing.empty() ? "" : ", ") + row.key + " [" + row.allowed() + ']';
    }
  }
  if (count > 0) {
    if (count > kMissingShown) missing += " and " + std::to_string(count - kMissingShown) + " more";
    throw InputError(document.where, (count == 1 ? "missing key " : "missing keys ") + missing,
                     "a machine states every key; begin with \"extends: <machine>\" to change only some");
  }
}

const ConfigValue& Config::at(const std::string& key) const {
  const auto found = index_.find(key);
  CASTOR_ASSERT(found != index_.end(), "key %s is not in the schema", key.c_str());
  return values_[found->second];
}

}  // namespace castor::base
