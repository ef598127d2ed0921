#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "castor/base/config.h"
#include "castor/twin/make_twin.h"

namespace castor::hookup {

/// Returns the rows of a block for the schema of a machine: `blocks.<block>.enable`, `.engine` and `.wave_depth`, which
/// every block has, and `keys`, which are written without that prefix.
[[nodiscard]] std::vector<base::SchemaRow> schema_rows(const std::string& block,
                                                       const std::vector<base::SchemaRow>& keys);

/// Values of a block's keys on one machine: `blocks.<block>.<key>` of its configuration, checked against the rows of
/// the block's registration. A query for a key that is not in the registration fails an assertion.
class Settings {
 public:
  /// Copies the values of the block's keys from `config`, whose schema must have the block's rows.
  Settings(const std::string& block, const base::Config& config);
  /// Sets all keys to the defaults of `keys` (BlockType::keys), and the engine to model. Throws InputError for a
  /// default that is not legal.
  Settings(const std::string& block, const std::vector<base::SchemaRow>& keys);

  [[nodiscard]] const std::string& block() const { return block_; }
  /// Returns which kind of twin runs: model, rtl or lockstep.
  [[nodiscard]] twin::Kind engine() const;
  /// Returns the value of a whole number, flag or choice.
  [[nodiscard]] unsigned number(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key) const { return number(key) != 0; }
  [[nodiscard]] double real(const std::string& key) const { return at(key).real; }
  /// Returns the name of a file, or an empty text for none.
  [[nodiscard]] std::string file(const std::string& key) const {
    const base::ConfigValue& value = at(key);
    return value.names.empty() ? std::string() : value.names.front();
  }
  /// Returns the index of the word in the choices of its row.
  template <class Enum = unsigned>
  [[nodiscard]] Enum choice(const std::string& key) const {
    return static_cast<Enum>(number(key));
  }
  /// Returns the value with the file position at which it was written, for error messages.
  [[nodiscard]] const base::ConfigValue& at(const std::string& key) const;

 private:
  std::string block_;
  std::map<std::string, base::ConfigValue> values_;
};

}  // namespace castor::hookup
