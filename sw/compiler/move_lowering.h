#pragma once

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/ir.h"
#include "compiler/operands.h"

namespace castor::compiler {

/// Lowers moves: copies, packing and unpacking, addresses of state spaces.
class MoveLowering {
 public:
  MoveLowering(Operands& operands, Builder& build, Code& code) : operands_(operands), build_(build), code_(code) {}

  void move(const isa::Instruction& in);
  /// Lowers a conversion between addresses of state spaces. Returns false if it is an instruction like others.
  bool convert_address(const isa::Instruction& in);

 private:
  void move_predicate(const isa::Instruction& in);
  void move_vector(const isa::Instruction& in);
  void pack(const isa::Instruction& in, unsigned width);
  void unpack(const isa::Instruction& in, unsigned width);

  Operands& operands_;
  Builder& build_;
  Code& code_;
};

}  // namespace castor::compiler
