#pragma once

#include <string>
#include <utility>
#include <vector>

#include "castor/base/config.h"

/// Rows of a block's keys (BlockType::keys), each with its default. `meaning` is one line for docs/machines.md.
namespace castor::hookup {

/// A whole number from `low` to `high`.
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

/// 0 or 1.
[[nodiscard]] inline base::SchemaRow flag_key(std::string key, bool standard, std::string meaning) {
  base::SchemaRow row;
  row.key = std::move(key);
  row.type = base::ValueType::kBoolean;
  row.unit = "flag";
  row.standard = standard ? "1" : "0";
  row.meaning = std::move(meaning);
  return row;
}

/// One word of `choices`, of which the value is the place.
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

}  // namespace castor::hookup
