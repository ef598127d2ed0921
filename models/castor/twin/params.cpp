#include "castor/twin/params.h"

#include <string>

#include "castor/base/error.h"

namespace castor::twin {

void check_param(std::string_view block, const Param& param, std::uint32_t value) {
  const bool power_of_two = value != 0 && (value & (value - 1)) == 0;
  if (value >= param.minimum && value <= param.maximum && (param.rule == Rule::kAny || power_of_two)) {
    return;
  }
  const std::string kind = param.rule == Rule::kPowerOfTwo ? "a power of two from " : "a value from ";
  throw base::InputError(std::string(block) + ": parameter " + std::string(param.name) + " is " + std::to_string(value),
                         "it takes " + kind + std::to_string(param.minimum) + " to " + std::to_string(param.maximum));
}

}  // namespace castor::twin
