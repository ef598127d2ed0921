#include "castor/hookup/settings.h"

#include "castor/base/error.h"
#include "castor/hookup/keys.h"

namespace castor::hookup {

std::vector<base::SchemaRow> schema_rows(const std::string& block, const std::vector<base::SchemaRow>& keys) {
  std::vector<base::SchemaRow> rows{flag_key("enable", false, "the block is part of the machine"),
                                    choice_key("engine", "model", {"model", "rtl", "lockstep"},
                                               "twin of the block that runs: model, RTL, or both in lockstep"),
                                    number_key("wave_depth", 0, "levels", 0, twin::kWholeDepth,
                                               "levels of RTL modules whose internal signals the waves show, starting "
                                               "with the block's own module; 0: ports and probes only")};
  rows.insert(rows.end(), keys.begin(), keys.end());
  for (base::SchemaRow& row : rows) row.key.insert(0, "blocks." + block + ".");
  return rows;
}

Settings::Settings(const std::string& block, const base::Config& config) : block_(block) {
  const std::string prefix = "blocks." + block + ".";
  for (const base::ConfigValue& value : config.values()) {
    if (value.entry.key.compare(0, prefix.size(), prefix) == 0) {
      values_.emplace(value.entry.key.substr(prefix.size()), value);
    }
  }
}

Settings::Settings(const std::string& block, const std::vector<base::SchemaRow>& keys)
    : Settings(block, [&] {
        base::Schema schema;
        for (base::SchemaRow& row : schema_rows(block, keys)) schema.add(std::move(row));
        return base::Config({}, schema);
      }()) {}

const base::ConfigValue& Settings::at(const std::string& key) const {
  const auto found = values_.find(key);
  CASTOR_ASSERT(found != values_.end(), "block %s has no key %s", block_.c_str(), key.c_str());
  return found->second;
}

unsigned Settings::number(const std::string& key) const { return static_cast<unsigned>(at(key).integer); }

twin::Kind Settings::engine() const { return twin::parse_kind(at("engine").entry.words.at(0)); }

}  // namespace castor::hookup
