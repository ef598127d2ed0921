#include "ptx/parser.h"

#include "castor/base/error.h"
#include "ptx/module_reader.h"

namespace castor::ptx {

isa::Module parse(std::string_view text, const std::string& file) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.size() > (std::size_t{1} << 30U))
    throw base::InputError(base::SourceLocation{file}, "PTX text of more than 1 GiB");
  return ModuleReader(text, file).read();
}

}  // namespace castor::ptx
