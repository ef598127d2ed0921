#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "castor/base/config.h"
#include "castor/gpu/machine.h"
#include "castor/hookup/blocks.h"

namespace castor::platforms {

/// Machine that runs when the user names none.
inline constexpr std::string_view kDefaultMachine = "pascal_titanx";

/// A machine and the record from which it can be built again.
struct LoadedMachine {
  gpu::Machine machine;
  /// All keys with value, unit, origin and place; of blocks those of each block that a key names. `to_yaml()` is the
  /// effective configuration.
  base::Config config;
  std::vector<hookup::ChosenBlock> blocks;  ///< those that are enabled, by name
};

/// Names of the machines compiled into the library (platforms/configs/*.yaml), in alphabetical order.
[[nodiscard]] std::vector<std::string> shipped_machines();

/// Builds the machine that `name_or_path` names: the name of a shipped machine, or the path of a file (anything with a
/// '/' or ending in .yaml, .yml or .json; .json is a report, whose configuration is taken: keys of a report that
/// machines do not have any more are left out, and a line of the log names them all). `extends` in a file names a
/// shipped machine, a base of theirs (platforms/configs/base) or a path relative to that file. `overrides` are
/// "key=value", applied last, in order. Throws InputError for an unknown name (lists the shipped ones), an unreadable
/// file, a block that is not there (in a report: that was enabled), and everything that is wrong with a value or
/// between values.
[[nodiscard]] LoadedMachine load_machine(const std::string& name_or_path,
                                         const std::vector<std::string>& overrides = {});

/// Same, from text; `file` is for messages and relative `extends`.
[[nodiscard]] LoadedMachine load_machine_text(std::string_view text, const std::string& file,
                                              const std::vector<std::string>& overrides = {});

/// docs/machines.md: all keys with unit, range and meaning, the legend of origins, and the values of the shipped
/// machines.
[[nodiscard]] std::string machines_document();

namespace detail {

struct ShippedFile {
  std::string_view name, text;
  bool is_base;  ///< no machine: what several of them extend
};
/// Generated from platforms/configs and platforms/configs/base at build time, each in alphabetical order.
const std::vector<ShippedFile>& shipped_files();
/// nullptr for a name that no file has.
[[nodiscard]] const ShippedFile* find_shipped(std::string_view name);

}  // namespace detail
}  // namespace castor::platforms
