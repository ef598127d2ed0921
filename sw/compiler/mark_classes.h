#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/program_flow.h"

namespace castor::compiler {

/// Redundancy class of a value (V, CR or DR; docs/marks.md); for V, also the origin of that class.
struct MarkClass {
  /// Reason why a value is V other than that an operand of its record is V.
  enum class Origin : std::uint8_t {
    kNone,       ///< the class is CR or DR
    kEntry,      ///< the register holds an unknown value from before the function's entry
    kSpecial,    ///< special register that differs between warps
    kWarp,       ///< the operation depends on more than its own lane: other lanes, the warp, a clock
    kAtomic,     ///< old value returned by an atomic
    kOrdered,    ///< volatile or ordered load, or one that bypasses the caches
    kPerThread,  ///< load from local memory, which differs between threads
    kGeneric,    ///< load from an address whose state space is unknown
    kLoad,       ///< result of a load while MarkOptions::loads is off
    kOutside,    ///< result of a barrier or a system call
    kCall,       ///< a called function may have written the register
    kJoin,       ///< paths that diverged at a V branch meet
  };
  isa::Mark value = isa::Mark::kRedundant;
  Origin origin = Origin::kNone;
  std::uint32_t at = 0;      ///< index of the record; for kJoin, the first record after the join
  std::uint32_t branch = 0;  ///< kJoin: record of the branch

  /// Returns the origin as text, such as "join at 17 of branch 12" or "load from local memory at 9".
  [[nodiscard]] std::string why(const isa::Program& program) const;
};

/// Returns the weaker of two classes; `a` if they are equal.
[[nodiscard]] inline MarkClass meet(const MarkClass& a, const MarkClass& b) { return b.value < a.value ? b : a; }

/// Result of the analysis for one record.
struct RecordClass {
  MarkClass result;  ///< class of the registers and predicates that the record writes; for a branch, class of its
                     ///< condition
  /// Operand that makes the result V: register number, or kMaxRegisters + predicate number. kNoIndex if the record
  /// itself is the origin.
  std::uint32_t operand = kNoIndex;
};

/// Returns the classes of all results of a program: the greatest fixed point of the rules of docs/marks.md over its
/// control flow.
[[nodiscard]] std::vector<RecordClass> classify(const isa::Program& program, const ProgramFlow& flow,
                                                const isa::MarkOptions& options);

}  // namespace castor::compiler
