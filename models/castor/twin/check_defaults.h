#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "castor/base/error.h"
#include "castor/twin/params.h"

namespace castor::twin {

/// Compares the defaults of a SystemVerilog module, by name, with the defaults in a block's list of parameters. Throws
/// InputError with the first parameter whose defaults differ.
template <class Params>
void check_defaults(const std::string& module, const std::map<std::string, std::uint32_t>& rtl) {
  Params::each([&](const Param& param, auto /*member*/) {
    const std::string name(param.name);
    const auto found = rtl.find(name);
    if (found == rtl.end() || found->second == param.standard) return;
    throw base::InputError(module + ": parameter " + name + " is " + std::to_string(found->second) +
                               " by default in the RTL and " + std::to_string(param.standard) +
                               " by default in the block's list of parameters",
                           "the two must agree");
  });
}

}  // namespace castor::twin
