#include "castor/isa/program.h"

#include <algorithm>

#include "castor/base/words.h"

namespace castor::isa {

std::string Program::describe(std::uint32_t pc) const {
  std::string text = "kernel '" + base::readable_name(kernel) + "'";
  // Names the function whose code holds the record, if it is not the kernel itself.
  const auto next = std::upper_bound(functions.begin(), functions.end(), pc,
                                     [](std::uint32_t at, const ProgramFunction& f) { return at < f.first; });
  if (next != functions.begin()) {
    const ProgramFunction& function = *(next - 1);
    if (function.name != kernel) text += ", function '" + base::readable_name(function.name) + "'";
  }
  if (pc < lines.size() && lines[pc].line != 0) {
    const SourceLine& where = lines[pc];
    text += " (" + module + ":" + std::to_string(where.line);
    if (where.source_file != 0 && where.source_file <= source_files.size())
      text += ", from " + source_files[where.source_file - 1] + ":" + std::to_string(where.source_line);
    text += ")";
  }
  return text;
}

}  // namespace castor::isa
