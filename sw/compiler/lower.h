#pragma once

#include <cstdint>

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/call_lowering.h"
#include "compiler/frame.h"
#include "compiler/ir.h"
#include "compiler/link.h"
#include "compiler/move_lowering.h"
#include "compiler/operands.h"
#include "compiler/variables.h"

namespace castor::compiler {

/// Lowers one PTX function to the compiler's intermediate representation (ir.h). The order of the steps and the
/// instructions that are neither moves nor calls are its own.
class Lowering {
 public:
  Lowering(const Linked& linked, std::uint32_t index);
  // The parts refer to one another.
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  [[nodiscard]] Code run();

 private:
  void instruction(const isa::Instruction& in);
  void generic(const isa::Instruction& in);
  void branch(const isa::Instruction& in);
  bool parameter_access(const isa::Instruction& in, Inst& inst);

  const Linked& linked_;
  const isa::Function& function_;
  Code code_;
  std::uint32_t return_label_ = kNoIndex;
  Builder build_;
  Frame frame_;
  Variables variables_;
  Operands operands_;
  MoveLowering moves_;
  CallLowering calls_;
};

}  // namespace castor::compiler
