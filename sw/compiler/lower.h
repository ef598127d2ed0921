#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "castor/isa/module.h"
#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

struct RuntimeFunction;

/// Lowers one PTX function to the compiler's intermediate representation (ir.h).
class Lowering {
 public:
  Lowering(const Linked& linked, std::uint32_t index);
  [[nodiscard]] Code run();

 private:
  /// Storage of one variable of the function.
  struct VariablePlace {
    enum class Kind : std::uint8_t {
      kNowhere,
      kKernelParameter,  ///< offset in the parameter block
      kPiece,            ///< a virtual register
      kFrame,            ///< offset in the frame
      kArea,             ///< offset in the argument area
      kShared,           ///< offset in the thread block's shared memory
      kDevice,           ///< device address
    };
    Kind kind = Kind::kNowhere;
    std::uint64_t offset = 0;
    RegisterId piece = kNoRegister;
  };
  /// How the body uses a variable in parameter space.
  struct ParameterUse {
    bool address_taken = false;
    bool pieces_only = true;  ///< all accesses read or write the whole value
    bool touched = false;
    std::size_t first_access = 0;
    std::size_t last_access = 0;
    unsigned calls = 0;
    std::size_t call_position = 0;
    bool is_result = false;
    unsigned position = 0;  ///< number of the argument or result in that call
  };
  /// Address of a memory operand: base register, offset, and origin of the offset if it lies in local memory.
  struct Address {
    Value base;
    std::uint64_t offset = 0;
    LocalBase local = LocalBase::kNone;
  };

  // //: Operands and instructions, defined in lower.cpp and move_lowering.cpp.
  void instruction(const isa::Instruction& in);
  void generic(const isa::Instruction& in);
  void move(const isa::Instruction& in);
  void move_predicate(const isa::Instruction& in);
  void move_vector(const isa::Instruction& in);
  void pack(const isa::Instruction& in, unsigned width);
  void unpack(const isa::Instruction& in, unsigned width);
  bool convert_address(const isa::Instruction& in);
  void branch(const isa::Instruction& in);
  Inst start(const isa::Match& match);
  Inst internal(std::string_view spelling);
  void emit(Inst inst);
  /// Returns an operand as a value of `type`, converted to its width.
  Value source(const isa::Operand& operand, isa::Type type);
  /// Returns the selected byte or half-word of a register, extended as `type` says.
  Value part(const isa::Operand& operand, isa::Type type);
  /// Returns an operand of a memory instruction; a register keeps its own width.
  Value data(const isa::Operand& operand, isa::Type type);
  PredicateUse predicate(const isa::Operand& operand);
  RegisterId predicate_destination(const isa::Operand& operand);
  Address address(const isa::Operand& operand, isa::Space space);
  Value symbol_value(const isa::Operand& operand, bool wide);
  Value frame_address(const Value& offset, bool wide);
  void vector(const isa::Operand& operand, isa::Type type, bool destination, Inst& inst, std::vector<Inst>& after);
  RegisterId register_of(const isa::Operand& operand);
  RegisterClass class_of(RegisterId id) const { return code_.registers[id].cls; }
  void copy(RegisterId to, const Value& from);
  /// Writes the low bits of `from` to register `to`, extended from `from_type`.
  void extend(RegisterId to, const Value& from, isa::Type from_type);
  RegisterId carry();
  std::uint32_t new_label();
  void place_label(std::uint32_t label);
  [[noreturn]] void error(const std::string& message, const std::string& hint = {}) const;

  // //: Parameters, calls and returns, defined in call_lowering.cpp.
  void scan_parameters();
  void place_variables();
  void place_function_parameters();
  void place_call_variables();
  const Convention* convention_of(const isa::Call& call) const;
  bool direct_in_area(const ParameterUse& use) const;
  bool parameter_access(const isa::Instruction& in, Inst& inst);
  void call(const isa::Instruction& in);
  void system_call(const isa::Call& call, isa::SystemCall which);
  void give_result(const isa::Call& call, RegisterId result, const std::string& name);
  Value argument_value(const isa::Operand& operand, RegisterClass cls);
  void pass_argument(const isa::Operand& operand, const Place& place, CallSite& site);
  void take_result(const isa::Operand& operand, const Place& place, RegisterId fixed);
  RegisterId from_predicate(const PredicateUse& predicate);
  void to_predicate(RegisterId to, RegisterId word);
  void return_results();
  void enter_frame();
  void leave_frame();
  void move_stack_pointer(const char* spelling);
  std::uint64_t allocate_frame(std::uint64_t size, std::uint64_t align);
  void load_local(RegisterId to, LocalBase base, std::uint64_t offset, unsigned size);
  void store_local(const Value& from, LocalBase base, std::uint64_t offset, unsigned size);
  void copy_local(LocalBase to, std::uint64_t to_offset, LocalBase from, std::uint64_t from_offset, std::uint64_t size);

  // //: Calls of the device runtime, defined in launch_lowering.cpp.
  void runtime_call(const isa::Call& call, const RuntimeFunction& function);
  Value dimension(const isa::Operand& operand, unsigned index);
  Value packed(const Value& low, const Value& high);
  RegisterId emit_runtime_call(isa::RuntimeCall call, const std::vector<Value>& values, RegisterClass cls);
  RegisterId store_result(RegisterId value, const Value& pointer, int error_code);

  const Linked& linked_;
  const LinkedFunction& self_;
  const isa::Function& function_;
  Code code_;
  PredicateUse guard_;
  const isa::SourceLine* where_ = nullptr;
  RegisterId carry_ = kNoRegister;
  std::uint32_t return_label_ = kNoIndex;
  std::vector<VariablePlace> places_;
  std::vector<ParameterUse> uses_;
};

/// Returns a load or store of one element at a known place in local memory.
[[nodiscard]] Inst local_access(bool load, RegisterClass cls, LocalBase base, std::uint64_t offset, unsigned size);
/// Returns an instruction of an internal row of the instruction table.
[[nodiscard]] Inst internal_inst(std::string_view spelling);
/// Returns an instruction that copies one register to another of the same class.
[[nodiscard]] Inst move_inst(RegisterClass cls);

}  // namespace castor::compiler
