#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/ir.h"

namespace castor::compiler {

/// General registers and predicates of a program: bit r is register r, bit kMaxRegisters + p is predicate p.
using RegisterSet = std::bitset<kMaxRegisters + kPredicateRegisters>;
inline constexpr std::size_t kRegisterCells = kMaxRegisters + kPredicateRegisters;

/// Straight code of a linked program: records [first, last). Blocks are in the order of the code and do not cross
/// functions.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> successors;  ///< distinct blocks
  std::vector<std::uint32_t> predecessors;
  std::uint32_t post_dominator = kNoIndex;  ///< as Block::post_dominator
  std::uint32_t loop_depth = 0;
  bool entry = false;  ///< first block of a function
};

/// Paths that part at the end of `branch` and meet at a block: what was written on the way may differ there.
struct Meeting {
  std::uint32_t branch = 0;  ///< block that ends with the branch
  RegisterSet written;       ///< by anything that can run between the branch and the meeting
};

/// Control flow of a linked program, all functions. A call goes on behind itself and writes what its callees write.
class ProgramFlow {
 public:
  explicit ProgramFlow(const isa::Program& program);

  [[nodiscard]] const std::vector<FlowBlock>& blocks() const { return blocks_; }
  /// Per block: the branches of which paths meet at its first record (the join rule of docs/marks.md).
  [[nodiscard]] const std::vector<std::vector<Meeting>>& meetings() const { return meetings_; }
  /// What a record writes; a call: what its callees write.
  [[nodiscard]] const RegisterSet& written(std::uint32_t pc) const { return written_[pc]; }
  /// Loops around a record.
  [[nodiscard]] std::uint32_t loop_depth(std::uint32_t pc) const { return blocks_[block_of_[pc]].loop_depth; }

 private:
  void cut();
  void connect(std::uint32_t block);
  void find_post_dominators();
  void find_writes();
  [[nodiscard]] RegisterSet writes_of(std::uint32_t pc, const std::vector<RegisterSet>& written_by) const;
  void find_meetings(std::uint32_t branch);
  [[nodiscard]] RegisterSet written_in(std::uint32_t block) const;
  /// By anything on a way from the end of block `from` to the end of block `to`.
  [[nodiscard]] RegisterSet written_between(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::uint32_t function_at(std::uint32_t pc) const;
  [[nodiscard]] std::vector<std::uint32_t> targets(std::uint32_t pc) const;

  const isa::Program& program_;
  std::vector<FlowBlock> blocks_;
  std::vector<std::uint32_t> block_of_;         // per record
  std::vector<RegisterSet> written_;            // per record
  std::vector<std::vector<Meeting>> meetings_;  // per block
};

/// Nodes of a graph below `roots` that no single other node dominates: paths from different roots, or parted ones of
/// the same root, can come to them. A root is one if another root comes to it. `inside`: nodes of the graph; edges
/// leave every node of it but `stop`.
[[nodiscard]] std::vector<std::uint32_t> joins_below(const std::vector<FlowBlock>& blocks,
                                                     const std::vector<std::uint32_t>& roots,
                                                     const std::vector<bool>& inside, std::uint32_t stop);

}  // namespace castor::compiler
