#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/base/error.h"

namespace castor::base {

/// Configuration files: a flat tree of keys "group.key", written in a small part of YAML.
///
///     machine: my_gpu
///     title: One line for people
///     extends: kepler_k20c
///     sm.warps:   [64, warps, "where the number comes from"]
///     sm.tb_slots: 16
///
/// A value is `[value, unit, origin]`; unit and origin may be left out, then also the brackets. A unit that is given
/// must be the key's own. Groups may be nested mappings as well. Sizes in bytes may end in KiB, MiB or GiB; `none` is
/// the empty optional number; a list of names is `[[a, b], names, origin]`. Anchors, aliases, tags and several
/// documents in one file are refused.

enum class ValueType : std::uint8_t {
  kInteger,          // whole number >= 0
  kOptionalInteger,  // whole number >= 0 or "none"
  kReal,             // decimal number
  kBoolean,          // 0 or 1 (false, true)
  kChoice,           // one word of a list
  kVersion,          // "6.1"
  kName,             // a word of letters, digits, '_', '-' and '.'
  kNames,            // list of such words
  kFile,             // name of a file, or "none"
};

/// One key: what may stand there and what it means.
struct SchemaRow {
  std::string key;
  ValueType type = ValueType::kInteger;
  std::string unit;                   // of numbers; "flag", "name" and the like for the rest
  double low = 0, high = 0;           // both allowed; numbers only
  std::vector<std::uint64_t> values;  // integers: if not empty, the only ones allowed
  std::vector<std::string> choices;   // kChoice: the words
  std::string meaning;                // one line
  std::string standard{};             // value of a file that does not state the key, as an override writes it; empty:
                                      // the key is mandatory. Must be allowed

  /// Allowed values in words: "1 to 64", "32 or 64", "gto, lrr or oldest".
  [[nodiscard]] std::string allowed_values() const;
  /// The same with the unit of numbers: "1 to 64 warps".
  [[nodiscard]] std::string allowed() const;
};

/// The keys that a configuration has, in the order in which documents list them. Those without a default are mandatory.
class Schema {
 public:
  /// Adds a key; its name must be new and its default, if any, allowed (assertions).
  void add(SchemaRow row);
  [[nodiscard]] const std::vector<SchemaRow>& rows() const { return rows_; }
  /// nullptr for an unknown key.
  [[nodiscard]] const SchemaRow* find(const std::string& key) const;
  /// Key that the user most likely meant, empty if none comes near: closest by edit distance, or the only one with the
  /// same last word.
  [[nodiscard]] std::string nearest(const std::string& key) const;

 private:
  std::vector<SchemaRow> rows_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// A value as written.
struct ConfigEntry {
  std::string key;
  std::vector<std::string> words;  // one, unless `is_list`
  bool is_list = false;
  std::string unit, origin;  // empty: not stated
  SourceLocation where;      // of the value
};

/// What one file says, unchecked.
struct ConfigDocument {
  std::string name, title, extends;
  SourceLocation where, extends_where;
  std::vector<ConfigEntry> entries;  // keys are unique
};

/// Gives the document that an `extends` at `where` names, or throws InputError.
using ConfigResolver = std::function<ConfigDocument(const std::string& name, const SourceLocation& where)>;

/// Reads YAML text; `file` is for messages only. Throws InputError for anything that is not a configuration.
[[nodiscard]] ConfigDocument parse_config(std::string_view text, const std::string& file);

/// Reads a file of at most 1 MiB. Throws InputError if it cannot be read or is no configuration.
[[nodiscard]] ConfigDocument read_config(const std::string& path);

/// Replaces `extends` by what it names, at most 8 deep, then applies "key=value" overrides in order (place: command
/// line; origin: "command line"). Throws InputError for circles and malformed overrides.
[[nodiscard]] ConfigDocument merge_config(ConfigDocument document, const ConfigResolver& resolve,
                                          const std::vector<std::string>& overrides);

/// A checked value; which member holds it depends on the type.
struct ConfigValue {
  ConfigEntry entry;
  ValueType type = ValueType::kInteger;
  std::uint64_t integer = 0;  // kInteger, kOptionalInteger, kBoolean, kChoice (index), kVersion (10 x major + minor)
  double real = 0;            // kReal, and every number
  bool none = false;          // kOptionalInteger
  std::vector<std::string> names;  // kName, kFile (one), kNames

  [[nodiscard]] const SourceLocation& where() const { return entry.where; }
};

/// A configuration in which every key of a schema has a value of its type and range.
class Config {
 public:
  /// Checks `document` against `schema` (both are copied). A key that the document does not state takes its default,
  /// origin "default". Throws InputError for the first unknown key, wrong type, wrong unit, value out of range; then
  /// for missing keys that have no default.
  Config(const ConfigDocument& document, const Schema& schema);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  /// The key must be in the schema (assertion).
  [[nodiscard]] const ConfigValue& at(const std::string& key) const;
  /// In the order of the schema.
  [[nodiscard]] const std::vector<ConfigValue>& values() const { return values_; }

  /// The effective configuration as a file without `extends`: all keys with value, unit and origin. Reading it gives
  /// the same values. Holds no date, and no path but the values of keys, so equal configurations give equal text.
  [[nodiscard]] std::string to_yaml() const;
  /// JSON object {"machine", "title", "keys": {key: {"value", "unit", "origin"}}}.
  [[nodiscard]] std::string to_json(int indent = 2) const;

 private:
  std::string name_, title_;
  std::vector<ConfigValue> values_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace castor::base
