#pragma once

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/call_values.h"
#include "compiler/frame.h"
#include "compiler/ir.h"
#include "compiler/launch_lowering.h"
#include "compiler/link.h"
#include "compiler/operands.h"
#include "compiler/variables.h"

namespace castor::compiler {

/// Lowers calls of functions, system calls and calls of the device runtime, and returns the function's own results.
class CallLowering {
 public:
  CallLowering(const Linked& linked, const LinkedFunction& self, const Variables& variables, Operands& operands,
               Frame& frame, Builder& build, Code& code)
      : linked_(linked),
        self_(self),
        function_(*self.function),
        variables_(variables),
        operands_(operands),
        frame_(frame),
        build_(build),
        code_(code),
        values_(function_, variables, operands, frame, build, code),
        launches_(function_, variables, values_, frame, build, code) {}

  void call(const isa::Instruction& in);
  /// Moves the function's results to where its caller finds them.
  void return_results();

 private:
  void system_call(const isa::Call& call, isa::SystemCall which);
  void pass_argument(const isa::Operand& operand, const Place& place, CallSite& site);
  void take_result(const isa::Operand& operand, const Place& place, RegisterId fixed);

  const Linked& linked_;
  const LinkedFunction& self_;
  const isa::Function& function_;
  const Variables& variables_;
  Operands& operands_;
  Frame& frame_;
  Builder& build_;
  Code& code_;
  CallValues values_;
  LaunchLowering launches_;
};

}  // namespace castor::compiler
