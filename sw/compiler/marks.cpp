#include "compiler/marks.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/isa/mark_check.h"
#include "compiler/mark_classes.h"
#include "compiler/program_flow.h"
#include "compiler/renaming.h"

namespace castor::compiler {
namespace {

using isa::Mark;

std::string operand_name(std::uint32_t cell) {
  return cell < kMaxRegisters ? "R" + std::to_string(cell) : "P" + std::to_string(cell - kMaxRegisters);
}

/// Returns the reason why the result of a record is V.
std::string why_vector(const isa::Program& program, const std::vector<std::uint16_t>& number,
                       const RecordClass& found) {
  const std::string why = found.result.why(program);
  if (found.operand == kNoIndex) return why;
  const std::uint32_t cell = found.operand < number.size() ? number[found.operand] : found.operand;
  return operand_name(cell) + ": " + why;
}

/// Returns the reason why a record of class CR or DR, and of a markable kind, is not marked.
std::string why_not_renamed(const isa::Program& program, std::uint32_t pc, const std::vector<std::uint32_t>& barred) {
  const isa::Record& record = program.code[pc];
  for (unsigned i = 0; i < program.uses[pc].dst; ++i) {
    const std::uint32_t reg = record.dst + i;
    if (barred[reg] == kNoIndex) continue;
    const bool guarded = program.code[barred[reg]].guard != isa::kNoGuard;
    return "R" + std::to_string(reg) +
           " is not renamed: " + (guarded ? "written under a guard" : "written together with other registers") +
           " at " + std::to_string(barred[reg]);
  }
  return "R" + std::to_string(record.dst) +
         " is not renamed: other registers are written more often, or one instruction reads it together "
         "with too many renamed ones, or it is grouped with a register that cannot be renamed";
}

}  // namespace

MarkReport mark(isa::Program& program, const isa::MarkOptions& options) {
  CASTOR_ASSERT(options.rule != isa::MarkRule::kOff);
  const ProgramFlow flow(program);
  const std::vector<RecordClass> classes = classify(program, flow, options);
  const auto n = static_cast<std::uint32_t>(program.code.size());
  std::vector<bool> candidate(n, false);
  for (std::uint32_t pc = 0; pc < n; ++pc)
    candidate[pc] =
        classes[pc].result.value != Mark::kVector && isa::why_unmarkable(program.code[pc], program.uses[pc]).empty();
  Renaming renaming = choose_renaming(program, flow, candidate, options);
  renumber(program, renaming);
  const std::vector<std::uint32_t> barred = barred_registers(program);

  MarkReport report;
  std::vector<std::uint8_t> marks(n, 0);
  for (std::uint32_t pc = 0; pc < n; ++pc) {
    const Mark found = classes[pc].result.value;
    report.classes.push_back(found);
    std::string why = isa::why_unmarkable(program.code[pc], program.uses[pc]);
    const std::uint32_t end = program.code[pc].dst + program.uses[pc].dst;
    if (!why.empty()) {
      const bool branches =
          program.code[pc].kind == isa::Kind::kBranch || program.code[pc].kind == isa::Kind::kBranchIndirect;
      const bool writes = program.uses[pc].dst != 0 || program.uses[pc].predicates_written != 0;
      // If the record itself is the origin of V, the reason is already stated.
      const bool by_operand = classes[pc].operand != kNoIndex || program.code[pc].kind == isa::Kind::kLane;
      if (found == Mark::kVector && (branches || writes) && by_operand)
        why += "; " + why_vector(program, renaming.number, classes[pc]);
    } else if (found == Mark::kVector) {
      why = why_vector(program, renaming.number, classes[pc]);
    } else if (end > renaming.renamed) {
      why = why_not_renamed(program, pc, barred);
    } else {
      marks[pc] = static_cast<std::uint8_t>(found);
      ++report.marked;
    }
    report.reasons.push_back(std::move(why));
  }
  if (report.marked != 0) {
    program.marks = std::move(marks);
    program.renamed_registers = renaming.renamed;
  }
  return report;
}

}  // namespace castor::compiler
