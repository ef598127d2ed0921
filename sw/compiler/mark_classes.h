#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/program_flow.h"

namespace castor::compiler {

/// Class of a value, and for V where that began.
struct MarkClass {
  /// What makes a value V that is computed from nothing that is.
  enum class Origin : std::uint8_t {
    kNone,       ///< the class is CR or DR
    kEntry,      ///< holds whatever it held when the function was entered
    kSpecial,    ///< special register that differs from warp to warp
    kWarp,       ///< the operation looks beyond its lane: at other lanes, the warp, a clock
    kAtomic,     ///< old value of an atomic
    kOrdered,    ///< volatile or ordered load, or one that bypasses the caches
    kPerThread,  ///< load from local memory
    kGeneric,    ///< load from an address of which the space is not known
    kLoad,       ///< a load, and MarkOptions::loads is off
    kOutside,    ///< result of a barrier or a system call
    kCall,       ///< a function may have written it
    kJoin,       ///< paths that parted at a V branch meet
  };
  isa::Mark value = isa::Mark::kRedundant;
  Origin origin = Origin::kNone;
  std::uint32_t at = 0;      ///< record; of a join: the first behind it
  std::uint32_t branch = 0;  ///< kJoin: record of the branch

  /// "join at 17 of branch 12", "load from local memory at 9"
  [[nodiscard]] std::string why(const isa::Program& program) const;
};

/// The weaker of two classes; the first of equal ones.
[[nodiscard]] inline MarkClass meet(const MarkClass& a, const MarkClass& b) { return b.value < a.value ? b : a; }

/// What the analysis knows of one record.
struct RecordClass {
  MarkClass result;  ///< of the registers and predicates that it writes; of a branch: of its condition
  /// The operand from which a V result has its class: register number, kMaxRegisters + predicate number, or kNoIndex if
  /// the record itself is the origin.
  std::uint32_t operand = kNoIndex;
};

/// Classes of all results of a program: the greatest fixpoint of the rules of docs/marks.md over its control flow.
[[nodiscard]] std::vector<RecordClass> classify(const isa::Program& program, const ProgramFlow& flow,
                                                const isa::MarkOptions& options);

}  // namespace castor::compiler
