#include "compiler/variables.h"

#include <algorithm>

namespace castor::compiler {

using isa::Instruction;
using isa::Kind;
using isa::Operand;
using isa::Space;
using isa::Variable;

void Variables::scan_parameters() {
  uses_.assign(function_.variables.size(), {});
  const auto touch = [&](std::uint32_t variable, std::size_t position) {
    ParameterUse& use = uses_[variable];
    if (!use.touched) use.first_access = position;
    use.touched = true;
    use.last_access = position;
  };
  for (std::size_t i = 0; i < function_.body.size(); ++i) {
    const Instruction& in = function_.body[i];
    if (in.call) {
      const isa::Call& call = function_.calls[*in.call];
      const auto note = [&](const std::vector<Operand>& operands, bool result) {
        for (unsigned k = 0; k < operands.size(); ++k) {
          if (operands[k].kind != Operand::Kind::kVariable) continue;
          ParameterUse& use = uses_[operands[k].index];
          ++use.calls;
          use.call_position = i;
          use.is_result = result;
          use.position = k;
        }
      };
      note(call.arguments, false);
      note(call.results, true);
      continue;
    }
    const bool access = in.match.row().kind == Kind::kMemory;
    for (const Operand& operand : in.operands) {
      if (operand.kind == Operand::Kind::kVariable) {
        uses_[operand.index].address_taken = true;
      } else if (operand.kind == Operand::Kind::kAddress && operand.elements[0].kind == Operand::Kind::kVariable) {
        const std::uint32_t index = operand.elements[0].index;
        const Variable& variable = function_.variables[index];
        if (variable.space != Space::kParam) continue;
        touch(index, i);
        ParameterUse& use = uses_[index];
        if (!access) {
          use.address_taken = true;
          continue;
        }
        const isa::MemoryOp op = isa::memory_op(in.match);
        const bool wide = variable.size > 4;
        if (op.elements != 1 || operand.offset + operand.elements[0].offset != 0 || (isa::bytes(op.type) > 4) != wide ||
            isa::bytes(op.type) > variable.size)
          use.pieces_only = false;
      }
    }
  }
}

const Convention* Variables::convention_of(const isa::Call& call) const {
  if (call.target.kind == Operand::Kind::kSymbol) {
    const auto found = linked_.index_by_name.find(linked_.module->names[call.target.index]);
    return found == linked_.index_by_name.end() ? nullptr : &linked_.functions[found->second].convention;
  }
  const auto candidates = linked_.candidates(function_, call);
  return candidates.empty() ? nullptr : &linked_.functions[candidates[0]].convention;
}

/// Returns true if struct arguments or results may be accessed directly at their location in the argument area. No
/// other call or branch may lie between the accesses and the call.
bool Variables::direct_in_area(const ParameterUse& use) const {
  if (use.calls != 1) return false;
  if (!use.touched) return true;
  std::size_t begin = use.is_result ? use.call_position : use.first_access;
  const std::size_t end = use.is_result ? use.last_access : use.call_position;
  if (use.is_result ? use.first_access < use.call_position : use.last_access > use.call_position) return false;
  for (std::size_t i = begin; i <= end; ++i) {
    const Instruction& in = function_.body[i];
    if (in.call && i != use.call_position) return false;
    const Kind kind = in.match.row().kind;
    if (kind == Kind::kBranch || kind == Kind::kBranchIndirect) return false;
  }
  return std::none_of(function_.labels.begin(), function_.labels.end(),
                      [&](const isa::Label& label) { return label.position > begin && label.position <= end; });
}

void Variables::place_variables() {
  places_.assign(function_.variables.size(), {});
  const std::size_t own = function_.parameters.size() + function_.results.size();
  std::uint64_t kernel_offset = 0;
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    const Variable& variable = function_.variables[i];
    VariablePlace& place = places_[i];
    switch (variable.space) {
      case Space::kLocal:
        place.kind = VariablePlace::Kind::kFrame;
        place.offset = frame_.allocate(variable.size, variable.align);
        break;
      case Space::kShared: {
        const auto found = linked_.shared_offsets.find(&variable);
        if (found == linked_.shared_offsets.end()) break;
        place.kind = VariablePlace::Kind::kShared;
        place.offset = found->second;
        break;
      }
      case Space::kGlobal:
      case Space::kConst:
        place.kind = VariablePlace::Kind::kDevice;
        place.offset = linked_.address(variable.name, variable.where);
        break;
      case Space::kParam:
        if (code_.kernel && i < own) {
          kernel_offset = align_up(kernel_offset, std::max<std::uint64_t>(variable.align, 1));
          place.kind = VariablePlace::Kind::kKernelParameter;
          place.offset = kernel_offset;
          kernel_offset += variable.size;
        }
        break;
      default:
        break;
    }
  }
  place_call_variables();
  if (!code_.kernel) place_function_parameters();
}

void Variables::place_call_variables() {
  const std::size_t own = function_.parameters.size() + function_.results.size();
  for (std::size_t i = own; i < function_.variables.size(); ++i) {
    const Variable& variable = function_.variables[i];
    if (variable.space != Space::kParam) continue;
    VariablePlace& place = places_[i];
    const ParameterUse& use = uses_[i];
    if (is_scalar(variable) && use.pieces_only && !use.address_taken) {
      place.kind = VariablePlace::Kind::kPiece;
      place.piece = code_.make(class_of_size(variable.size), false);
      continue;
    }
    if (use.calls == 1 && direct_in_area(use)) {
      const isa::Call& call = function_.calls[*function_.body[use.call_position].call];
      if (const Convention* convention = convention_of(call)) {
        const auto& there = use.is_result ? convention->results : convention->arguments;
        if (use.position < there.size() && there[use.position].kind == Place::Kind::kArea &&
            there[use.position].size >= variable.size) {
          place.kind = VariablePlace::Kind::kArea;
          place.offset = there[use.position].offset;
          continue;
        }
      }
    }
    place.kind = VariablePlace::Kind::kFrame;
    place.offset = frame_.allocate(variable.size, std::max<std::uint64_t>(variable.align, 16));
  }
}

void Variables::place_function_parameters() {
  const Convention& convention = self_.convention;
  std::size_t variable_index = 0;
  for (std::size_t i = 0; i < function_.parameters.size(); ++i, ++variable_index) {
    const Variable& variable = function_.parameters[i];
    const Place& from = convention.arguments[i];
    RegisterId fixed = kNoRegister;
    if (from.kind == Place::Kind::kRegister) {
      fixed = code_.make_fixed(from.cls, from.reg);
      code_.entry_registers.push_back(fixed);
    }
    if (variable.space == Space::kReg) {
      const RegisterId to = function_.parameter_registers[i];
      if (build_.class_of(to) == RegisterClass::kPredicate) {
        RegisterId word = fixed;
        if (word == kNoRegister) {
          word = code_.make(RegisterClass::kSingle);
          frame_.load(word, LocalBase::kArea, from.offset, 1);
        }
        build_.to_predicate(to, word);
      } else if (fixed != kNoRegister) {
        build_.copy(to, Value::of(fixed));
      } else {
        frame_.load(to, LocalBase::kArea, from.offset, build_.class_of(to) == RegisterClass::kPair ? 8 : 4);
      }
      continue;
    }
    const ParameterUse& use = uses_[variable_index];
    VariablePlace& place = places_[variable_index];
    const bool piece = is_scalar(variable) && use.pieces_only && !use.address_taken;
    if (!use.touched && !use.address_taken) {
      // The parameter is not read, so it needs no copy.
    } else if (piece && (fixed != kNoRegister || convention.leaves_area())) {
      place.kind = VariablePlace::Kind::kPiece;
      place.piece = code_.make(from.cls, false);
      if (fixed != kNoRegister)
        build_.copy(place.piece, Value::of(fixed));
      else
        frame_.load(place.piece, LocalBase::kArea, from.offset, static_cast<unsigned>(variable.size));
    } else if (fixed == kNoRegister && !convention.leaves_area()) {
      place.kind = VariablePlace::Kind::kArea;
      place.offset = from.offset;
    } else {
      place.kind = VariablePlace::Kind::kFrame;
      place.offset = frame_.allocate(variable.size, std::max<std::uint64_t>(variable.align, 16));
      if (fixed != kNoRegister)
        frame_.store(Value::of(fixed), LocalBase::kFrame, place.offset, static_cast<unsigned>(variable.size));
      else
        frame_.copy(LocalBase::kFrame, place.offset, LocalBase::kArea, from.offset, variable.size);
    }
  }
  for (std::size_t i = 0; i < function_.results.size(); ++i, ++variable_index) {
    const Variable& variable = function_.results[i];
    const Place& to = convention.results[i];
    if (variable.space == Space::kReg) continue;
    const ParameterUse& use = uses_[variable_index];
    VariablePlace& place = places_[variable_index];
    if (is_scalar(variable) && use.pieces_only && !use.address_taken) {
      place.kind = VariablePlace::Kind::kPiece;
      place.piece = code_.make(to.cls, false);
    } else if (to.kind == Place::Kind::kArea && !convention.leaves_area()) {
      place.kind = VariablePlace::Kind::kArea;
      place.offset = to.offset;
    } else {
      place.kind = VariablePlace::Kind::kFrame;
      place.offset = frame_.allocate(variable.size, std::max<std::uint64_t>(variable.align, 16));
    }
  }
}

}  // namespace castor::compiler
