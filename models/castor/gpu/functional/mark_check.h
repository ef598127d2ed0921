#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/gpu/launch_record.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu::functional {

/// Counts of the check of redundancy marks.
struct MarkCounts {
  std::uint64_t compared = 0;  ///< compared executions: of a marked record, by two warps
  std::uint64_t racy = 0;      ///< loads from one address that gave two warps different bytes
};

/// Checks the redundancy marks of a program by brute force, for one thread block (docs/marks.md, "Checking marks").
///
/// Warps form a group if all their lanes are active and they have taken the same side of every branch since the last
/// barrier of the whole block. Warps of a group must compute equal rows at every marked record, and equal addresses at
/// every marked load.
///
/// A warp leaves its group where it would leave the majority of a fetch filter (Yeh 2020, section 7.3.5): at a branch
/// that diverges, an indirect branch or call, a return to a caller, or any barrier that does not cover the whole block.
/// It joins again at the barrier of the whole block if all its lanes are together. The bytes of loads are not compared,
/// since races are legal; a warp that loads other bytes from the same address leaves its group.
///
/// Limits: results of warps outside the group are not checked.
class MarkCheck {
 public:
  /// Starts a block of `warps` warps of `lanes` lanes; the last warp may have fewer threads.
  void start(const Launch& launch, unsigned warps, unsigned lanes);

  /// Records control flow and load addresses; to be called before a warp executes a record. `mask`: lanes that execute;
  /// `active`: lanes of the current stack entry.
  void before(unsigned warp, std::uint32_t pc, const isa::SimtStack& stack, const isa::RegisterView& view,
              isa::LaneMask mask, isa::LaneMask active);
  /// Compares the results; to be called after a lane operation or memory access. Returns a description of the error if
  /// the record's mark is wrong.
  [[nodiscard]] std::optional<std::string> after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view,
                                                 isa::LaneMask mask);
  /// Records that a warp arrives at barrier `id`. `whole_block`: the barrier covers the whole block.
  void arrive(unsigned warp, unsigned id, bool whole_block);
  /// Ends barrier `id`. Returns true if it covers the whole block; `join` is then called for every live warp.
  [[nodiscard]] bool met(unsigned id);
  /// Puts a warp into a group again. `together`: all lanes of the warp are live and converged; if false, the call has
  /// no effect.
  void join(unsigned warp, bool together);

  [[nodiscard]] const MarkCounts& counts() const { return counts_; }

 private:
  /// Control flow of a warp since the last barrier of the whole block.
  struct Way {
    bool together = false;    ///< the warp is in a group
    bool fresh = false;       ///< the warp has executed no record since the barrier
    std::uint64_t hash = 0;   ///< hash of the first record since the barrier and of the outcomes of branches
    std::uint64_t steps = 0;  ///< records executed
  };
  /// Result of the first warp that reached a point of a path. The results of the other warps are compared with it.
  struct Instance {
    std::uint32_t pc = 0;
    std::uint32_t warp = 0;
    std::uint32_t seen = 0;        ///< number of warps that have reached the point
    std::vector<std::byte> bytes;  ///< result rows; for loads the addresses
    std::uint64_t loaded = 0;      ///< for loads: hash of the result rows
  };

  [[nodiscard]] bool counts_as_redundant(std::uint32_t pc) const;
  [[nodiscard]] std::string difference(const Instance& first, unsigned warp, std::uint32_t pc, bool load,
                                       const std::vector<std::byte>& bytes) const;
  void outcome(Way& way, std::uint32_t pc, bool taken);

  const isa::Program* program_ = nullptr;
  unsigned lanes_ = 32;
  isa::LaneMask all_ = 0;
  unsigned full_warps_ = 0;
  bool promote_ = false;              ///< the block's shape makes conditional marks hold
  std::uint32_t whole_barriers_ = 0;  ///< one bit per barrier that covers the block and is not complete
  std::vector<Way> ways_;             ///< [warp] control flow of each warp
  std::unordered_map<std::uint64_t, Instance> instances_;
  isa::Access access_{};
  bool loads_ = false;  ///< the record between `before` and `after` is a load whose addresses are compared
  std::vector<std::byte> bytes_;
  MarkCounts counts_;
};

}  // namespace castor::gpu::functional
