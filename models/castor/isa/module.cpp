#include "castor/isa/module.h"

namespace castor::isa {

const Function* Module::find_function(std::string_view name) const {
  for (const Function& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

const Variable* Module::find_variable(std::string_view name) const {
  for (const Variable& variable : variables)
    if (variable.name == name) return &variable;
  return nullptr;
}

}  // namespace castor::isa
