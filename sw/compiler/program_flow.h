#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/ir.h"

namespace castor::compiler {

/// Set of general registers and predicates of a program: bit r is register r, bit kMaxRegisters + p is predicate p.
using RegisterSet = std::bitset<kMaxRegisters + kPredicateRegisters>;
inline constexpr std::size_t kRegisterCells = kMaxRegisters + kPredicateRegisters;

/// Basic block of a linked program: records [first, last). Blocks are in the order of the code and do not cross
/// functions.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> successors;  ///< distinct blocks
  std::vector<std::uint32_t> predecessors;
  std::uint32_t post_dominator = kNoIndex;  ///< block where the paths from this block meet; kNoIndex if only at the
                                            ///< function's end
  std::uint32_t loop_depth = 0;
  bool entry = false;  ///< first block of a function
};

/// Join of paths that diverged at the end of block `branch`. Registers written on these paths may differ between warps.
struct Join {
  std::uint32_t branch = 0;  ///< block that ends with the branch
  RegisterSet written;       ///< registers that can be written between the branch and the join
};

/// Control flow of a linked program, all functions. A call continues with the next record and counts as writing all
/// registers that its callees write.
class ProgramFlow {
 public:
  explicit ProgramFlow(const isa::Program& program);

  [[nodiscard]] const std::vector<FlowBlock>& blocks() const { return blocks_; }
  /// Returns, per block, the branches whose paths meet at its first record (the join rule of docs/marks.md).
  [[nodiscard]] const std::vector<std::vector<Join>>& meetings() const { return joins_; }
  /// Returns the registers that a record writes; for a call, the registers that its callees write.
  [[nodiscard]] const RegisterSet& written(std::uint32_t pc) const { return written_[pc]; }
  /// Returns the number of loops around a record.
  [[nodiscard]] std::uint32_t loop_depth(std::uint32_t pc) const { return blocks_[block_of_[pc]].loop_depth; }

 private:
  void cut();
  void connect(std::uint32_t block);
  void find_post_dominators();
  void find_writes();
  [[nodiscard]] RegisterSet writes_of(std::uint32_t pc, const std::vector<RegisterSet>& written_by) const;
  void find_joins(std::uint32_t branch);
  [[nodiscard]] RegisterSet written_in(std::uint32_t block) const;
  /// Returns the registers that any path from the end of block `from` to the end of block `to` may write.
  [[nodiscard]] RegisterSet written_between(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::uint32_t function_at(std::uint32_t pc) const;
  [[nodiscard]] std::vector<std::uint32_t> targets(std::uint32_t pc) const;

  const isa::Program& program_;
  std::vector<FlowBlock> blocks_;
  std::vector<std::uint32_t> block_of_;   // per record: number of its block
  std::vector<RegisterSet> written_;      // per record: registers that it writes
  std::vector<std::vector<Join>> joins_;  // per block: joins at its first record
};

/// Returns the nodes below `roots` at which paths may join. Such a node is not dominated by any other single node:
/// paths from different roots, or diverged paths from the same root, reach it. A root is a join if another root reaches
/// it. `inside`: nodes of the graph. Every node has its edges except `stop`, which has none.
[[nodiscard]] std::vector<std::uint32_t> joins_below(const std::vector<FlowBlock>& blocks,
                                                     const std::vector<std::uint32_t>& roots,
                                                     const std::vector<bool>& inside, std::uint32_t stop);

}  // namespace castor::compiler
