#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "castor/base/config.h"
#include "castor/twin/make_twin.h"

namespace castor::hookup {

/// Rows of a block for the schema of a machine: `blocks.<block>.enable`, `.engine` and `.wave_depth`, which every block
/// has, and `keys`, which are written without that prefix.
[[nodiscard]] std::vector<base::SchemaRow> schema_rows(const std::string& block,
                                                       const std::vector<base::SchemaRow>& keys);

/// Values of a block's keys on one machine: `blocks.<block>.<key>` of its configuration, checked against the rows that
/// the block's registration gives. A key that the registration does not have is an assertion.
class Settings {
 public:
  /// Takes what `config` says of the block; its schema must hold the block's rows.
  Settings(const std::string& block, const base::Config& config);
  /// The defaults of `keys` (BlockType::keys), engine model. Errors: InputError for a default that is not legal.
  Settings(const std::string& block, const std::vector<base::SchemaRow>& keys);

  [[nodiscard]] const std::string& block() const { return block_; }
  /// Which twin runs.
  [[nodiscard]] twin::Kind engine() const;
  /// Whole numbers and flags.
  [[nodiscard]] unsigned number(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key) const { return number(key) != 0; }
  [[nodiscard]] double real(const std::string& key) const { return at(key).real; }
  /// Place of the word in the list of its row.
  template <class Enum = unsigned>
  [[nodiscard]] Enum choice(const std::string& key) const {
    return static_cast<Enum>(number(key));
  }
  /// With the place where it was written, for errors.
  [[nodiscard]] const base::ConfigValue& at(const std::string& key) const;

 private:
  std::string block_;
  std::map<std::string, base::ConfigValue> values_;
};

}  // namespace castor::hookup
