#pragma once

#include <vector>

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/call_values.h"
#include "compiler/frame.h"
#include "compiler/ir.h"
#include "compiler/variables.h"

namespace castor::compiler {

struct RuntimeFunction;

/// Lowers calls of CUDA's device runtime (docs/decisions/device-launch.md).
class LaunchLowering {
 public:
  LaunchLowering(const isa::Function& function, const Variables& variables, CallValues& values, Frame& frame,
                 Builder& build, Code& code)
      : function_(function), variables_(variables), values_(values), frame_(frame), build_(build), code_(code) {}

  void runtime_call(const isa::Call& call, const RuntimeFunction& function);

 private:
  Value dimension(const isa::Operand& operand, unsigned index);
  Value packed(const Value& low, const Value& high);
  RegisterId emit_runtime_call(isa::RuntimeCall call, const std::vector<Value>& values, RegisterClass cls);
  RegisterId store_result(RegisterId value, const Value& pointer, int error_code);

  const isa::Function& function_;
  const Variables& variables_;
  CallValues& values_;
  Frame& frame_;
  Builder& build_;
  Code& code_;
};

}  // namespace castor::compiler
