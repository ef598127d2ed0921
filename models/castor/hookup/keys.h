#pragma once

#include <string>
#include <utility>
#include <vector>

#include "castor/base/config.h"

/// Makes schema rows of a block's keys (BlockType::keys), each with its default. `meaning` is one line for
/// docs/machines.md.
namespace castor::hookup {

/// Returns the row of a whole number from `low` to `high`.
[[nodiscard]] inline base::SchemaRow number_key(std::string key, unsigned standard, const char* unit, unsigned low,
                                                unsigned high, std::string meaning) {
  base::SchemaRow row;
  row.key = std::move(key);
  row.type = base::ValueType::kInteger;
  row.unit = unit;
  row.low = low;
  row.high = high;
  row.standard = std::to_string(standard);
  row.meaning = std::move(meaning);
  return row;
}

/// Returns the row of a flag, 0 or 1.
[[nodiscard]] inline base::SchemaRow flag_key(std::string key, bool standard, std::string meaning) {
  base::SchemaRow row;
  row.key = std::move(key);
  row.type = base::ValueType::kBoolean;
  row.unit = "flag";
  row.standard = standard ? "1" : "0";
  row.meaning = std::move(meaning);
  return row;
}

/// Returns the row of a word out of `choices`; the value is the index of the word.
[[nodiscard]] inline base::SchemaRow choice_key(std::string key, std::string standard, std::vector<std::string> choices,
                                                std::string meaning) {
  base::SchemaRow row;
  row.key = std::move(key);
  row.type = base::ValueType::kChoice;
  row.unit = "name";
  row.choices = std::move(choices);
  row.standard = std::move(standard);
  row.meaning = std::move(meaning);
  return row;
}

/// Returns the row of a file's name; "none" is the default.
[[nodiscard]] inline base::SchemaRow file_key(std::string key, std::string meaning) {
  base::SchemaRow row;
  row.key = std::move(key);
  row.type = base::ValueType::kFile;
  row.unit = "file";
  row.standard = "none";
  row.meaning = std::move(meaning);
  return row;
}

}  // namespace castor::hookup
