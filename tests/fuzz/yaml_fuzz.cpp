#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "castor/base/error.h"
#include "castor/gpu/machine_table.h"
#include "platforms/machines.h"

/// Loads arbitrary bytes as a machine file. The result must be a machine or an InputError. A machine that loads must
/// load again from its effective configuration, with the same values.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using castor::base::InputError;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    // Only what the library carries may be extended: a fuzzer must not read files.
    const castor::base::ConfigDocument document = castor::base::parse_config(text, "fuzz.yaml");
    if (document.extends.find('/') != std::string::npos || document.extends.find(".y") != std::string::npos) return 0;
    const castor::platforms::LoadedMachine loaded = castor::platforms::load_machine_text(text, "fuzz.yaml");
    const std::string record = loaded.config.to_yaml();
    if (castor::platforms::load_machine_text(record, "fuzz.yaml").config.to_yaml() != record) std::abort();
    (void)loaded.config.to_json();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();  // one line, always
  }
  return 0;
}
