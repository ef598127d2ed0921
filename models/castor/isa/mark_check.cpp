#include "castor/isa/mark_check.h"

namespace castor::isa {
namespace {

std::string why_unmarkable_access(const MemoryOp& op) {
  switch (op.kind) {
    case MemoryKind::kStore:
      return "a store";
    case MemoryKind::kAtomic:
      return "an atomic";
    case MemoryKind::kReduction:
      return "a reduction";
    case MemoryKind::kLoad:
      break;
  }
  if (op.space == Space::kLocal) return "a load from local memory";
  if (op.space == Space::kGeneric) return "a load from a generic address";
  if (op.ordering == Ordering::kVolatile || op.cache == CacheOp::kCv) return "a volatile load";
  if (op.ordering != Ordering::kWeak) return "an ordered load";
  return {};
}

std::string why_unmarkable_kind(const Record& record) {
  switch (record.kind) {
    case Kind::kLane:
      return {};
    case Kind::kMemory:
      return why_unmarkable_access(record.memory);
    case Kind::kBranch:
    case Kind::kBranchIndirect:
      return "a branch";
    case Kind::kCall:
    case Kind::kCallIndirect:
    case Kind::kSystemCall:
    case Kind::kRuntimeCall:
      return "a call";
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kTrap:
      return "an exit";
    case Kind::kBarrier:
      return "a barrier";
    case Kind::kFence:
      return "a fence";
    case Kind::kSync:
      return "a synchronisation of thread blocks";
    default:
      return "no operation on registers";
  }
}

class Check {
 public:
  explicit Check(const Program& program) : program_(program) {}

  std::optional<WrongMark> run() {
    if (program_.marks.size() != program_.code.size())
      return WrongMark{0, "there are " + std::to_string(program_.marks.size()) + " marks for " +
                              std::to_string(program_.code.size()) + " records"};
    if (program_.renamed_registers > kMostRenamed || program_.renamed_registers > program_.registers)
      return WrongMark{0, std::to_string(program_.renamed_registers) + " registers are renamed; the kernel has " +
                              std::to_string(program_.registers) + ", and at most " + std::to_string(kMostRenamed) +
                              " can be"};
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      std::string what = wrong_mark(pc);
      if (what.empty()) what = wrong_register(pc);
      if (!what.empty()) return WrongMark{pc, std::move(what)};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool renamed(std::uint32_t reg) const { return reg < program_.renamed_registers; }

  [[nodiscard]] std::string wrong_mark(std::uint32_t pc) const {
    const std::uint8_t mark = program_.marks[pc];
    if (mark == static_cast<std::uint8_t>(Mark::kVector)) return {};
    if (mark > static_cast<std::uint8_t>(Mark::kRedundant)) return "mark " + std::to_string(mark) + " does not exist";
    const Record& record = program_.code[pc];
    const RegisterUse& use = program_.uses[pc];
    if (std::string why = why_unmarkable(record, use); !why.empty()) return why + " carries mark " + mark_name(mark);
    for (unsigned i = 0; i < use.dst; ++i)
      if (!renamed(record.dst + i))
        return "mark " + mark_name(mark) + ", but R" + std::to_string(record.dst + i) +
               " is none of the renamed registers, R0 to R" + std::to_string(program_.renamed_registers - 1);
    return {};
  }

  // Returns why the record may not use renamed registers as it does; empty if it may. A write must never have to merge
  // with an old row, and the machine limits the renamed registers that it looks up at once.
  [[nodiscard]] std::string wrong_register(std::uint32_t pc) const {
    const Record& record = program_.code[pc];
    const RegisterUse& use = program_.uses[pc];
    if (use.dst != 0 && renamed(record.dst) && record.guard != kNoGuard)
      return "renamed register R" + std::to_string(record.dst) + " is written under a guard";
    if (use.dst > kMostRenamedWritten && renamed(record.dst))
      return "renamed register R" + std::to_string(record.dst) + " is written together with " +
             std::to_string(use.dst - 1) + " others";
    const std::bitset<256> registers = registers_read(record, use);
    unsigned read = 0;
    for (std::uint32_t r = 0; r < program_.renamed_registers; ++r) read += registers[r] ? 1 : 0;
    if (read > kMostRenamedRead)
      return std::to_string(read) + " renamed registers are read at once; at most " + std::to_string(kMostRenamedRead) +
             " can be";
    return {};
  }

  const Program& program_;
};

}  // namespace

std::bitset<256> registers_read(const Record& record, const RegisterUse& use) {
  std::bitset<256> registers;
  for (unsigned s = 0; s < 4; ++s)
    for (unsigned i = 0; i < use.src[s]; ++i) registers.set(record.src[s] + i);
  return registers;
}

std::string mark_name(std::uint8_t mark) {
  switch (static_cast<Mark>(mark)) {
    case Mark::kVector:
      return "V";
    case Mark::kConditional:
      return "CR";
    case Mark::kRedundant:
      return "DR";
  }
  return std::to_string(mark);
}

std::string why_unmarkable(const Record& record, const RegisterUse& use) {
  if (std::string why = why_unmarkable_kind(record); !why.empty()) return why;
  if (record.guard != kNoGuard) return "an instruction with a guard";
  if (use.predicates_written != 0) return "an instruction that writes a predicate";
  if (use.dst == 0) return "an instruction without a result";
  if (use.dst > kMostRenamedWritten) return "an instruction that writes " + std::to_string(use.dst) + " registers";
  return {};
}

std::optional<WrongMark> find_wrong_mark(const Program& program) {
  if (program.marks.empty()) return std::nullopt;
  return Check(program).run();
}

}  // namespace castor::isa
