// Data-flow analysis of redundancy classes (Yeh 2020, section 7.2). docs/marks.md defines the rules for joins, guards
// and memory.

#include "compiler/mark_classes.h"

#include <algorithm>
#include <array>

#include "castor/isa/warp_context.h"

namespace castor::compiler {
namespace {

using isa::Kind;
using isa::Mark;
using isa::Record;
using Origin = MarkClass::Origin;

/// Classes of all registers and predicates at one point of the program.
using State = std::array<MarkClass, kRegisterCells>;

Mark class_of(isa::SpecialRegister reg) {
  using Special = isa::SpecialRegister;
  switch (reg) {
    case Special::kNtidX:
    case Special::kNtidY:
    case Special::kNtidZ:
    case Special::kCtaidX:
    case Special::kCtaidY:
    case Special::kCtaidZ:
    case Special::kNctaidX:
    case Special::kNctaidY:
    case Special::kNctaidZ:
    case Special::kWarpSize:
    case Special::kCooperative:
    case Special::kGridWorkspaceHigh:
    case Special::kGridWorkspaceLow:
    case Special::kParameterBase:
      return Mark::kRedundant;
    case Special::kTidX:
      return Mark::kConditional;
    default:
      return Mark::kVector;
  }
}

/// Data-flow analysis of one program.
class Classifier {
 public:
  Classifier(const isa::Program& program, const ProgramFlow& flow, const isa::MarkOptions& options)
      : program_(program),
        flow_(flow),
        options_(options),
        out_(flow.blocks().size()),
        visited_(out_.size(), false),
        condition_(out_.size()) {}

  std::vector<RecordClass> run() {
    while (sweep()) {
    }
    std::vector<RecordClass> result(program_.code.size());
    for (std::uint32_t b = 0; b < out_.size(); ++b) {
      State state = enter(b);
      for (std::uint32_t pc = flow_.blocks()[b].first; pc < flow_.blocks()[b].last; ++pc) {
        result[pc] = evaluate(pc, state);
        apply(pc, result[pc].result, state);
      }
    }
    return result;
  }

 private:
  /// Evaluates all blocks reached so far. Returns true if a class was lowered or a new block was reached.
  bool sweep() {
    bool changed = false;
    for (std::uint32_t b = 0; b < out_.size(); ++b) {
      const FlowBlock& block = flow_.blocks()[b];
      const bool reached = block.entry || std::any_of(block.predecessors.begin(), block.predecessors.end(),
                                                      [&](std::uint32_t p) { return visited_[p]; });
      if (!reached) continue;
      State state = enter(b);
      MarkClass last;
      for (std::uint32_t pc = block.first; pc < block.last; ++pc) {
        last = evaluate(pc, state).result;
        apply(pc, last, state);
      }
      const bool same = visited_[b] && last.value == condition_[b].value &&
                        std::equal(state.begin(), state.end(), out_[b].begin(),
                                   [](const MarkClass& x, const MarkClass& y) { return x.value == y.value; });
      changed = changed || !same;
      visited_[b] = true;
      condition_[b] = last;
      out_[b] = state;
    }
    return changed;
  }

  /// Returns the state before the first record of a block: the meet of its visited predecessors, lowered where diverged
  /// paths meet.
  [[nodiscard]] State enter(std::uint32_t b) const {
    const FlowBlock& block = flow_.blocks()[b];
    State state;
    if (block.entry) state.fill({Mark::kVector, Origin::kEntry, block.first, 0});
    for (const std::uint32_t p : block.predecessors) {
      if (!visited_[p]) continue;
      for (std::size_t i = 0; i < state.size(); ++i) state[i] = meet(state[i], out_[p][i]);
    }
    if (options_.rule == isa::MarkRule::kSource) return state;
    for (const Join& meeting : flow_.meetings()[b]) {
      if (!visited_[meeting.branch]) continue;
      MarkClass lowered = condition_[meeting.branch];
      if (lowered.value == Mark::kRedundant) continue;
      if (lowered.value == Mark::kVector)
        lowered = {Mark::kVector, Origin::kJoin, block.first, flow_.blocks()[meeting.branch].last - 1};
      for (std::size_t i = 0; i < state.size(); ++i)
        if (meeting.written[i]) state[i] = meet(state[i], lowered);
    }
    return state;
  }

  /// Returns the meet of the classes of all operands of a record, and the operand that determines it.
  [[nodiscard]] RecordClass operands(std::uint32_t pc, const State& state) const {
    const Record& record = program_.code[pc];
    const isa::RegisterUse& use = program_.uses[pc];
    RecordClass result;
    const auto read = [&](std::uint32_t cell) {
      if (state[cell].value >= result.result.value) return;
      result.result = state[cell];
      if (state[cell].value == Mark::kVector) result.operand = cell;
    };
    for (unsigned s = 0; s < 4; ++s)
      for (unsigned i = 0; i < use.src[s]; ++i) read(record.src[s] + i);
    for (unsigned p = 0; p < kPredicateRegisters; ++p)
      if ((use.predicates_read >> p & 1) != 0) read(kMaxRegisters + p);
    return result;
  }

  /// Returns the reason why the result of a record is V independently of its operands, or kNone.
  [[nodiscard]] Origin own_origin(std::uint32_t pc) const {
    const Record& record = program_.code[pc];
    switch (record.kind) {
      case Kind::kLane:
        if (program_.uses[pc].result == isa::ResultOf::kOperands) return Origin::kNone;
        if (program_.uses[pc].result != isa::ResultOf::kSpecialRegister) return Origin::kWarp;
        return class_of(static_cast<isa::SpecialRegister>(record.imm)) == Mark::kVector ? Origin::kSpecial
                                                                                        : Origin::kNone;
      case Kind::kMemory:
        return memory_origin(record.memory);
      case Kind::kBarrier:
      case Kind::kSystemCall:
      case Kind::kRuntimeCall:
        return Origin::kOutside;
      case Kind::kCall:
      case Kind::kCallIndirect:
        return Origin::kCall;
      default:
        return Origin::kNone;
    }
  }

  [[nodiscard]] Origin memory_origin(const isa::MemoryOp& op) const {
    if (op.kind != isa::MemoryKind::kLoad) return Origin::kAtomic;
    if (op.ordering != isa::Ordering::kWeak || op.cache == isa::CacheOp::kCv) return Origin::kOrdered;
    if (op.space == isa::Space::kLocal) return Origin::kPerThread;
    if (op.space == isa::Space::kGeneric) return Origin::kGeneric;
    return options_.loads ? Origin::kNone : Origin::kLoad;
  }

  [[nodiscard]] RecordClass evaluate(std::uint32_t pc, const State& state) const {
    const Record& record = program_.code[pc];
    if (const Origin origin = own_origin(pc); origin != Origin::kNone)
      return {{Mark::kVector, origin, pc, 0}, kNoIndex};
    RecordClass found = operands(pc, state);
    const bool special = record.kind == Kind::kLane && program_.uses[pc].result == isa::ResultOf::kSpecialRegister;
    if (special && class_of(static_cast<isa::SpecialRegister>(record.imm)) < found.result.value)
      found.result.value = class_of(static_cast<isa::SpecialRegister>(record.imm));
    if (record.guard == isa::kNoGuard) return found;
    // Lanes whose guard is false keep the old value.
    const RegisterSet& written = flow_.written(pc);
    for (std::uint32_t i = 0; i < kRegisterCells; ++i) {
      if (!written[i] || state[i].value >= found.result.value) continue;
      found.result = state[i];
      if (state[i].value == Mark::kVector) found.operand = i;
    }
    return found;
  }

  void apply(std::uint32_t pc, const MarkClass& result, State& state) const {
    const RegisterSet& written = flow_.written(pc);
    if (written.none()) return;
    for (std::size_t i = 0; i < kRegisterCells; ++i)
      if (written[i]) state[i] = result;
  }

  const isa::Program& program_;
  const ProgramFlow& flow_;
  isa::MarkOptions options_;
  std::vector<State> out_;            // per block: state after its last record
  std::vector<bool> visited_;         // per block: already evaluated
  std::vector<MarkClass> condition_;  // per block: class of its last record's condition
};

}  // namespace

std::string MarkClass::why(const isa::Program& program) const {
  const std::string there = " at " + std::to_string(at);
  switch (origin) {
    case Origin::kNone:
      return "";
    case Origin::kEntry:
      return at == 0 ? "not written since the start" : "not written since the function's entry" + there;
    case Origin::kSpecial:
      return "special register" + there + ": " + program.spellings[at];
    case Origin::kWarp:
      return "an operation that reads other lanes" + there;
    case Origin::kAtomic:
      return "an atomic" + there;
    case Origin::kOrdered:
      return "a volatile or ordered load" + there;
    case Origin::kPerThread:
      return "a load from local memory" + there;
    case Origin::kGeneric:
      return "a load from a generic address" + there;
    case Origin::kLoad:
      return "a load" + there + ", loads are not marked";
    case Origin::kOutside:
      return "a barrier or system call" + there;
    case Origin::kCall:
      return "a call" + there;
    case Origin::kJoin:
      return "paths of branch " + std::to_string(branch) + " meet" + there;
  }
  return "";
}

std::vector<RecordClass> classify(const isa::Program& program, const ProgramFlow& flow,
                                  const isa::MarkOptions& options) {
  return Classifier(program, flow, options).run();
}

}  // namespace castor::compiler
