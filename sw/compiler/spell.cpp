#include <cstdio>

#include "compiler/emit.h"
#include "compiler/runtime_calls.h"

namespace castor::compiler {
namespace {

using isa::Kind;
using isa::OperandShape;

/// Returns the PTX name of a special register; the table has the order of isa::SpecialRegister.
const char* special_name(std::uint64_t reg) {
  static const char* const kNames[] = {"%tid.x",
                                       "%tid.y",
                                       "%tid.z",
                                       "%ntid.x",
                                       "%ntid.y",
                                       "%ntid.z",
                                       "%ctaid.x",
                                       "%ctaid.y",
                                       "%ctaid.z",
                                       "%nctaid.x",
                                       "%nctaid.y",
                                       "%nctaid.z",
                                       "%laneid",
                                       "%warpid",
                                       "%nwarpid",
                                       "%smid",
                                       "%nsmid",
                                       "%gridid",
                                       "%lanemask_eq",
                                       "%lanemask_le",
                                       "%lanemask_lt",
                                       "%lanemask_ge",
                                       "%lanemask_gt",
                                       "%clock",
                                       "%clock_hi",
                                       "%clock64",
                                       "%globaltimer",
                                       "%globaltimer_lo",
                                       "%globaltimer_hi",
                                       "%total_smem_size",
                                       "%dynamic_smem_size",
                                       "WARP_SZ",
                                       "%envreg0",
                                       "%envreg1",
                                       "%envreg2",
                                       "parameters"};
  static_assert(sizeof kNames / sizeof kNames[0] == static_cast<std::size_t>(isa::SpecialRegister::kCount));
  return kNames[reg];
}

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Writes the disassembly of one instruction. Consumes its operands one by one, in the order of the instruction table's
/// row.
class Speller {
 public:
  Speller(const Linked& linked, const Code& code, const Inst& inst, const isa::Record& record)
      : linked_(linked), code_(code), inst_(inst), record_(record) {}

  std::string run() {
    std::string text;
    if (inst_.guard.valid())
      text += std::string("@") + (inst_.guard.negated ? "!" : "") + predicate(inst_.guard.reg) + ' ';
    const std::string name = inst_.match.valid() ? inst_.match.spelling() : std::string();
    switch (inst_.kind) {
      case Kind::kBranch:
        return text + name + ' ' + std::to_string(record_.branch.target);
      case Kind::kBranchIndirect:
        return text + name + ' ' + value(inst_.src[0]) + ", table " + std::to_string(record_.imm);
      case Kind::kCall:
        return text + name + ' ' + linked_.functions[code_.calls[inst_.call].callees[0]].function->name;
      case Kind::kCallIndirect:
        return text + name + ' ' + value(inst_.src[0]);
      case Kind::kSystemCall:
        return text + system_call();
      case Kind::kRuntimeCall:
        return text + runtime_call();
      default:
        break;
    }
    if (name.rfind("$special", 0) == 0)
      return text + "mov" + name.substr(8) + ' ' + value(inst_.dst) + ", " + special_name(inst_.imm);
    text += name.rfind("$move", 0) == 0 ? "mov" + name.substr(5) : name;
    bool first = true;
    const auto add = [&](const std::string& operand) {
      if (operand.empty()) return;
      text += first ? " " : ", ";
      text += operand;
      first = false;
    };
    if (!inst_.match.valid()) return text;
    for (const isa::OperandSpec& spec : inst_.match.row().specs) {
      std::string operand = one(spec);
      if (spec.second_predicate && inst_.pdst[written_] != kNoRegister)
        operand += '|' + predicate(inst_.pdst[written_]);
      if (spec.second_predicate) ++written_;
      add(operand);
    }
    return text;
  }

 private:
  std::string one(const isa::OperandSpec& spec) {
    const bool is_predicate =
        spec.shape == OperandShape::kPredicate || (spec.type_label.empty() && spec.type == isa::Type::kPred);
    if (is_predicate) {
      if (spec.destination) {
        const RegisterId id = inst_.pdst[written_++];
        return id == kNoRegister ? "_" : predicate(id);
      }
      const PredicateUse& use = inst_.psrc[read_++];
      return use.valid() ? (use.negated ? "!" : "") + predicate(use.reg) : std::string();
    }
    if (spec.shape == OperandShape::kImmediate) return hex(inst_.imm >> (32 * immediates_++) & 0xffffffffu);
    if (spec.shape == OperandShape::kAddress) {
      const Value& base = inst_.src[sources_++];
      if (base.none()) return '[' + hex(record_.imm) + ']';
      if (record_.imm == 0) return '[' + value(base) + ']';
      const auto offset = static_cast<std::int64_t>(record_.imm);
      return '[' + value(base) +
             (offset < 0 ? "-" + hex(static_cast<std::uint64_t>(-offset)) : "+" + hex(record_.imm)) + ']';
    }
    if (spec.destination) return inst_.vector == VectorOperand::kDestination ? vector() : value(inst_.dst);
    if (inst_.vector == VectorOperand::kSource1 && sources_ == 1) {
      ++sources_;
      return vector();
    }
    return sources_ < inst_.src.size() ? value(inst_.src[sources_++]) : std::string();
  }

  [[nodiscard]] std::string predicate(RegisterId id) const {
    return 'P' + std::to_string(static_cast<int>(code_.physical[id]));
  }
  [[nodiscard]] std::string general(RegisterId id) const {
    const int base = code_.physical[id];
    std::string text = 'R' + std::to_string(base);
    if (code_.registers[id].cls == RegisterClass::kPair) text += ":R" + std::to_string(base + 1);
    return text;
  }
  [[nodiscard]] std::string value(const Value& v) const {
    if (v.none()) return {};
    return v.is_constant() ? hex(v.bits) : general(v.reg);
  }
  [[nodiscard]] std::string vector() const {
    std::string text = "{";
    for (unsigned i = 0; i < inst_.element_count; ++i) text += (i == 0 ? "" : ", ") + general(inst_.elements[i]);
    return text + '}';
  }
  [[nodiscard]] std::string system_call() const {
    static constexpr const char* kNames[] = {"vprintf",          "malloc", "free", "__assertfail", "__cxa_pure_virtual",
                                             "__castor_register"};
    std::string text = std::string("call ") + kNames[std::min(inst_.imm, std::size(kNames) - 1)];
    if (inst_.dst.is_register()) text += ' ' + value(inst_.dst);
    for (const Value& v : inst_.src)
      if (!v.none()) text += ", " + value(v);
    return text;
  }

  [[nodiscard]] std::string runtime_call() const {
    std::string text = "call " + std::string(name_of(static_cast<isa::RuntimeCall>(inst_.imm)));
    const char* before = " ";
    if (inst_.dst.is_register()) {
      text += before + value(inst_.dst);
      before = ", ";
    }
    for (const Value& v : inst_.src) {
      if (v.none()) continue;
      text += before + value(v);
      before = ", ";
    }
    return text;
  }

  const Linked& linked_;
  const Code& code_;
  const Inst& inst_;
  const isa::Record& record_;
  unsigned written_ = 0;
  unsigned read_ = 0;
  unsigned sources_ = 0;
  unsigned immediates_ = 0;
};

}  // namespace

std::string spell(const Linked& linked, const Code& code, const Inst& inst, const isa::Record& record) {
  return Speller(linked, code, inst, record).run();
}

}  // namespace castor::compiler
