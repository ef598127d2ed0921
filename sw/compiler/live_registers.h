#pragma once

#include <cstdint>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/program_flow.h"

namespace castor::compiler {

/// Live registers of a linked program: registers and predicates that a thread may read before it writes them again.
/// Follows calls into their callees, and returns to the call that a path came from. A thread that starts inside a
/// device function may return to any call of it. A guarded write keeps the old value live, because lanes whose guard is
/// false keep it.
///
/// Limits: registers that an instruction reads from inactive lanes of the warp are not followed; PTX leaves such values
/// undefined.
class LiveRegisters {
 public:
  explicit LiveRegisters(const isa::Program& program);

  /// Returns the registers and predicates that are live after a record that is no branch, call or end.
  [[nodiscard]] const RegisterSet& behind(std::uint32_t pc) const { return before_[pc + 1]; }

 private:
  /// Effect of a call of a function on liveness.
  struct Summary {
    RegisterSet read;    ///< may be read in the function before it is written
    RegisterSet passed;  ///< is read, or some path through the function leaves it unchanged
  };
  /// Live registers before each record, and after the last one.
  using Live = std::vector<RegisterSet>;

  void find_functions();
  void find_summaries();
  void find_live();
  /// Computes `live` in one backward pass from the registers that are live at the returns of each function. Returns
  /// whether a set has grown.
  bool sweep(Live& live, const std::vector<RegisterSet>& at_return) const;
  [[nodiscard]] RegisterSet before(std::uint32_t pc, const Live& live, const std::vector<RegisterSet>& at_return) const;
  /// Returns the registers that are live before a call, except those that the call itself reads.
  [[nodiscard]] RegisterSet through_call(std::uint32_t pc, const RegisterSet& behind) const;
  [[nodiscard]] std::vector<std::uint32_t> callees(std::uint32_t pc) const;

  const isa::Program& program_;
  std::vector<std::uint32_t> function_of_;           // per record: index of its function
  std::vector<std::vector<std::uint32_t>> callees_;  // per record: functions that it may call
  std::vector<Summary> summaries_;                   // per function
  Live before_;                                      // result
};

}  // namespace castor::compiler
