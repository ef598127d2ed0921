#include "platforms/cli/kernels.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::platforms::cli {
std::string find_kernel(const std::vector<std::string>& names, const std::string& wanted, const std::string& file) {
  std::vector<std::string> found, readable, known;
  for (const std::string& name : names) {
    const std::string whole = base::demangled(name);
    const std::string function = base::function_name(whole);
    if (name == wanted || whole == wanted) return name;
    // Several modules of a program may contain the same kernel.
    if (function == wanted && std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
    readable.push_back(base::readable_name(name));
    known.insert(known.end(), {name, whole, function});
  }
  if (found.size() == 1) return found.front();
  const std::string what = "kernel '" + base::printable(wanted, 200) + "' in " + file;
  if (found.size() > 1) {
    for (std::string& name : found) name = base::readable_name(name);
    throw base::InputError(
        std::to_string(found.size()) + " kernels are called '" + base::printable(wanted, 200) + "' in " + file,
        "name one with its parameters: " + base::joined(found, ", "));
  }
  throw base::InputError("no " + what, base::did_you_mean(wanted, known, " ") +
                                           (names.empty() ? "it has none" : "it has " + base::joined(readable, ", ")));
}

}  // namespace castor::platforms::cli
