#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "../common/ptx_invariants.h"
#include "castor/base/error.h"
#include "ptx/parser.h"

/// Parses arbitrary bytes as PTX. The parser must return a module with valid indices or throw an InputError whose
/// message is one line and names the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const castor::isa::Module module = castor::ptx::parse(text, "fuzz.ptx");
    const std::string broken = castor::ptx::test::broken_invariant(module);
    if (!broken.empty()) {
      std::fprintf(stderr, "broken: %s\n", broken.c_str());
      std::abort();
    }
  } catch (const castor::base::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    if (error.where().file != "fuzz.ptx" || error.where().line < 1 || error.where().column < 1) std::abort();
  }
  return 0;
}
