#pragma once

#include <string>

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/frame.h"
#include "compiler/ir.h"
#include "compiler/operands.h"
#include "compiler/variables.h"

namespace castor::compiler {

/// Arguments and results of calls as values.
class CallValues {
 public:
  CallValues(const isa::Function& function, const Variables& variables, Operands& operands, Frame& frame,
             Builder& build, Code& code)
      : function_(function), variables_(variables), operands_(operands), frame_(frame), build_(build), code_(code) {}

  /// Returns an argument as a value in a register of class `cls`.
  Value argument_value(const isa::Operand& operand, RegisterClass cls);
  /// Copies the result of a system call to the call's result operand. `name`: of the callee, for messages.
  void give_result(const isa::Call& call, RegisterId result, const std::string& name);

 private:
  const isa::Function& function_;
  const Variables& variables_;
  Operands& operands_;
  Frame& frame_;
  Builder& build_;
  Code& code_;
};

}  // namespace castor::compiler
