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
/// A value is `[value, unit, origin]`. Unit and origin may be left out; without both, the brackets may be left out too.
/// A stated unit must be the unit of the key in the schema. Groups may be nested mappings as well. Sizes in bytes may
/// end in KiB, MiB or GiB. `none` is the empty optional number. A list of names is `[[a, b], names, origin]`. Anchors,
/// aliases, tags and several documents in one file are refused.

/// Type of the value of a key.
enum class ValueType : std::uint8_t {
  kInteger,          // whole number >= 0
  kOptionalInteger,  // whole number >= 0 or "none"
  kReal,             // decimal number
  kBoolean,          // 0 or 1 (false, true)
  kChoice,           // one word of a list
  kVersion,          // "6.1"
  kName,             // a word of letters, digits, '_', '-' and '.'
  kNames,            // list of words, each as kName
  kFile,             // name of a file, or "none"
};

/// One key of a schema: its legal values, unit, default and meaning.
struct SchemaRow {
  std::string key;
  ValueType type = ValueType::kInteger;
  std::string unit;                   // unit of a number; "flag", "name" and the like for other types
  double low = 0, high = 0;           // smallest and largest legal value; numbers only
  std::vector<std::uint64_t> values;  // integers: the only legal values, if not empty
  std::vector<std::string> choices;   // kChoice: the legal words
  std::string meaning;                // one line
  std::string standard{};             // default, written as an override writes it; empty: the key is mandatory. Must be
                                      // a legal value

  /// Returns the legal values in words: "1 to 64", "32 or 64", "gto, lrr or oldest".
  [[nodiscard]] std::string allowed_values() const;
  /// Returns the legal values with the unit of numbers: "1 to 64 warps".
  [[nodiscard]] std::string allowed() const;
};

/// The keys of a configuration, in the order in which documents list them. A key without a default is mandatory.
class Schema {
 public:
  /// Adds a key; asserts that its name is new and that its default, if any, is legal.
  void add(SchemaRow row);
  [[nodiscard]] const std::vector<SchemaRow>& rows() const { return rows_; }
  /// Returns the row of a key, or nullptr for an unknown key.
  [[nodiscard]] const SchemaRow* find(const std::string& key) const;
  /// Returns the key that the user most likely meant: the closest by edit distance, or the only one with the same last
  /// word. Empty if no key is close.
  [[nodiscard]] std::string nearest(const std::string& key) const;

 private:
  std::vector<SchemaRow> rows_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// One key with its value, as a configuration file or an override writes them.
struct ConfigEntry {
  std::string key;
  std::vector<std::string> words;  // words of the value; exactly one word unless `is_list`
  bool is_list = false;
  std::string unit, origin;  // empty if the file does not state them
  SourceLocation where;      // position of the value in the file
};

/// Content of one configuration file, not yet checked against a schema.
struct ConfigDocument {
  std::string name, title, extends;
  SourceLocation where, extends_where;
  std::vector<ConfigEntry> entries;  // keys are unique
};

/// Function that returns the document named by an `extends` at position `where`, or throws InputError.
using ConfigResolver = std::function<ConfigDocument(const std::string& name, const SourceLocation& where)>;

/// Parses YAML text; `file` is the name in messages. Throws InputError if the text is no configuration.
[[nodiscard]] ConfigDocument parse_config(std::string_view text, const std::string& file);

/// Reads a configuration file of at most 1 MiB. Throws InputError if it cannot be read or is no configuration.
[[nodiscard]] ConfigDocument read_config(const std::string& path);

/// Replaces `extends` by the entries of the named document, at most 8 levels deep. Then applies "key=value" overrides
/// in order (place and origin: "command line"). Throws InputError for circular `extends` and malformed overrides.
[[nodiscard]] ConfigDocument merge_config(ConfigDocument document, const ConfigResolver& resolve,
                                          const std::vector<std::string>& overrides);

/// A checked value of a configuration; `type` decides which member holds it.
struct ConfigValue {
  ConfigEntry entry;
  ValueType type = ValueType::kInteger;
  std::uint64_t integer = 0;  // value of kInteger, kOptionalInteger, kBoolean, kChoice (index), kVersion (10 x major +
                              // minor)
  double real = 0;            // value of kReal, and of every other number
  bool none = false;          // kOptionalInteger: the value is "none"
  std::vector<std::string> names;  // value of kName and kFile (one word), kNames

  [[nodiscard]] const SourceLocation& where() const { return entry.where; }
};

/// A configuration in which every key of a schema has a value of its type and range.
class Config {
 public:
  /// Checks `document` against `schema`; both are copied. A key that the document does not state takes its default,
  /// with origin "default". Throws InputError for the first unknown key, wrong type, wrong unit or value out of range;
  /// then for missing keys without a default.
  Config(const ConfigDocument& document, const Schema& schema);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  /// Returns the value of a key, which must be in the schema (assertion).
  [[nodiscard]] const ConfigValue& at(const std::string& key) const;
  /// Returns all values in the order of the schema.
  [[nodiscard]] const std::vector<ConfigValue>& values() const { return values_; }

  /// Returns the effective configuration as a file without `extends`: all keys with value, unit and origin. Reading
  /// this file gives the same values. The text contains no date and no path except as values of keys, so equal
  /// configurations give equal text.
  [[nodiscard]] std::string to_yaml() const;
  /// Returns a JSON object {"machine", "title", "keys": {key: {"value", "unit", "origin"}}}.
  [[nodiscard]] std::string to_json(int indent = 2) const;

 private:
  std::string name_, title_;
  std::vector<ConfigValue> values_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace castor::base
