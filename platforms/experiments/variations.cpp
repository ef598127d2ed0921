#include "platforms/experiments/variations.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::platforms::experiments {

std::vector<std::string> read_variations(const std::string& vary) {
  std::vector<std::string> out;
  const std::size_t equals = vary.find('=');
  if (!vary.empty() && (equals == std::string::npos || equals + 1 == vary.size())) {
    throw base::InputError("--vary '" + base::printable(vary) + "' has no values",
                           "write key=value,value, such as sm.tb_slots=8,32");
  }
  for (std::size_t at = equals + 1; !vary.empty() && at <= vary.size();) {
    const std::size_t comma = std::min(vary.find(',', at), vary.size());
    out.push_back(vary.substr(0, equals + 1) + vary.substr(at, comma - at));
    at = comma + 1;
  }
  if (out.empty()) out.emplace_back();
  return out;
}

std::vector<std::string> with_variation(std::vector<std::string> settings, const std::string& variation) {
  if (!variation.empty()) settings.push_back(variation);
  return settings;
}

void check_arguments(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.find('=') != std::string::npos && argument[0] != '=' && argument[0] != '-') continue;
    throw base::InputError("--argument '" + base::printable(argument) + "' is no argument of a program",
                           "write name=value, such as width=416");
  }
}

}  // namespace castor::platforms::experiments
