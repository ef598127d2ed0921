#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "castor/base/config.h"
#include "castor/gpu/machine.h"
#include "castor/hookup/blocks.h"

namespace castor::platforms {

/// Machine that runs if the user names none.
inline constexpr std::string_view kDefaultMachine = "pascal_titanx";

/// A machine and the configuration from which it can be built again.
struct LoadedMachine {
  gpu::Machine machine;
  /// All keys with value, unit, origin and location, including the keys of each block that a key names. `to_yaml()`
  /// returns the effective configuration.
  base::Config config;
  std::vector<hookup::ChosenBlock> blocks;  ///< enabled blocks, sorted by name
};

/// Returns the names of the machines compiled into the library (platforms/configs/*.yaml), in alphabetical order.
[[nodiscard]] std::vector<std::string> shipped_machines();

/// Loads a machine. `name_or_path` is the name of a shipped machine or the path of a file (anything with a '/' or
/// ending in .yaml, .yml or .json). A .json file is a report, whose configuration is used. Keys of a report that no
/// longer exist are ignored and listed in one line of the log. `extends` in a file names a shipped machine, a base
/// (platforms/configs/base) or a path relative to that file. `overrides` are "key=value", applied last, in order.
/// Throws InputError for an unknown name (the message lists the shipped machines), an unreadable file, a missing block
/// (in a report: a missing block that was enabled), and invalid values or combinations of values.
[[nodiscard]] LoadedMachine load_machine(const std::string& name_or_path,
                                         const std::vector<std::string>& overrides = {});

/// Loads a machine from a text. `file`: name for messages and base of relative `extends`.
[[nodiscard]] LoadedMachine load_machine_text(std::string_view text, const std::string& file,
                                              const std::vector<std::string>& overrides = {});

/// Returns the text of docs/machines.md: all keys with unit, range and meaning, the legend of origins, and the values
/// of the shipped machines.
[[nodiscard]] std::string machines_document();

namespace detail {

/// A machine file that is compiled into the library: name without extension, and text.
struct ShippedFile {
  std::string_view name, text;
  bool is_base;  ///< true if the file is a base, which machines extend, and not a machine
};
/// Returns all shipped files. The list is generated from platforms/configs and platforms/configs/base at build time,
/// each in alphabetical order.
const std::vector<ShippedFile>& shipped_files();
/// Returns the shipped file of that name, or nullptr if there is none.
[[nodiscard]] const ShippedFile* find_shipped(std::string_view name);

}  // namespace detail
}  // namespace castor::platforms
